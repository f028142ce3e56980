import { today } from './today.js';
import { timeline } from './timeline.js';
import { calendar } from './calendar.js';
import { types } from './types.js';
import { type } from './type.js';
import { insights } from './insights.js';
import { trips } from './trips.js';
import { mileage } from './mileage.js';
import { places } from './places.js';
import { devices } from './devices.js';
import { data } from './data.js';
import { settings } from './settings.js';
import { more } from './more.js';
import { missing } from './notfound.js';

/**
 * Returns the page of an address.
 * @param {string} path
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function pageAt(path, query) {
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
      return today();
    case 'timeline':
      return timeline(second, query);
    case 'calendar':
      return calendar(query);
    case 'types':
      return second ? type(second, query) : types();
    case 'insights':
      return insights(query);
    case 'trips':
      return trips(second, query);
    case 'mileage':
      return mileage(query);
    case 'places':
      return places(second);
    case 'devices':
      return devices();
    case 'data':
      return data();
    case 'settings':
      return settings();
    case 'more':
      return more();
    default:
      return missing();
  }
}
