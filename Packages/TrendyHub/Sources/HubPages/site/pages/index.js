// Modules of the pages. The hub's document for a page preloads that page's module. Other modules are loaded later.

const modules = {
  today: () => import('./today.js'),
  timeline: () => import('./timeline.js'),
  calendar: () => import('./calendar.js'),
  types: () => import('./types.js'),
  type: () => import('./type.js'),
  insights: () => import('./insights.js'),
  trips: () => import('./trips.js'),
  mileage: () => import('./mileage.js'),
  places: () => import('./places.js'),
  devices: () => import('./devices.js'),
  data: () => import('./data.js'),
  settings: () => import('./settings.js'),
  more: () => import('./more.js'),
  notfound: () => import('./notfound.js'),
};

/** Loads the modules of all pages, so they can be shown while the hub is unreachable. */
export const loadPages = () => Promise.all(Object.values(modules).map((load) => load()));

/**
 * @param {string} path
 * @param {URLSearchParams} query
 * @returns {Promise<import('../app.js').Page>}
 */
export async function pageAt(path, query) {
  const [first, second = ''] = path
    .split('/')
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
  switch (first) {
    case undefined:
      return (await modules.today()).today();
    case 'timeline':
      return (await modules.timeline()).timeline(second, query);
    case 'calendar':
      return (await modules.calendar()).calendar(query);
    case 'types':
      return second ? (await modules.type()).type(second, query) : (await modules.types()).types();
    case 'insights':
      return (await modules.insights()).insights(query);
    case 'trips':
      return (await modules.trips()).trips(second, query);
    case 'mileage':
      return (await modules.mileage()).mileage(query);
    case 'places':
      return (await modules.places()).places(second, query);
    case 'devices':
      return (await modules.devices()).devices();
    case 'data':
      return (await modules.data()).data();
    case 'settings':
      return (await modules.settings()).settings();
    case 'more':
      return (await modules.more()).more();
    default:
      return (await modules.notfound()).missing();
  }
}
