// Map with places, routes and positions, drawn on a blank background or on map tiles, with graticule and scale.

import { fill, h, svg } from './dom.js';
import { glyph } from './glyph.js';
import { tileLayer } from './maptiles.js';
import { settings } from '../data/record.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/** Width of the map's buttons in pixels. Routes are kept clear of them. */
const BUTTONS = 44;
const MINUTES = [1 / 60, 1 / 30, 1 / 12, 1 / 6, 1 / 4, 1 / 2, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200];

/**
 * Returns the Web Mercator coordinate of a latitude, in radians.
 * @param {number} latitude
 */
const northing = (latitude) => Math.asinh(Math.tan((Math.min(85, Math.max(-85, latitude)) * Math.PI) / 180));
/** @param {number} y */
const latitudeOf = (y) => (Math.atan(Math.sinh(y)) * 180) / Math.PI;

/**
 * Views of maps by content.
 * @type {Map<string, {x: number, y: number, scale: number, isOwn: boolean}>}
 */
const views = new Map();

/**
 * Point where a route is about to be split. `onPick` receives a fraction of the route and a position.
 * @typedef {{point: () => {at: number[] | null} | null, onPick: (part: number, at: number[]) => void, attach: (draw: ()
 *   => void) => void}} Cutter
 */

/**
 * Receives a position picked by the user with a long press, a right click, or Enter for the centre of the map; with
 * `isTap` a tap suffices. `attach` receives a function that fits the view to the content and draws it.
 * @typedef {{onPick: (position: number[]) => void, isTap?: boolean, attach?: (fitted: () => void) => void}} Picker
 */

/**
 * Minimum duration in milliseconds of a press that picks a position, longer than the browser's own long press.
 */
const HOLD = 700;

/**
 * @param {string} name
 */
const short = (name) => {
  const signs = [...name];
  return signs.length > 28 ? `${signs.slice(0, 27).join('')}…` : name;
};

/**
 * @param {{label: string, places: Api.Geofence[], chosen?: string, route?: number[][], roads?: number[][][], start?:
 *   string, end?: string, cutter?: Cutter | null, stops?: {latitude: number, longitude: number, text: string}[], gaps?:
 *   {points: number[][], text: string}[], spot?: {at: () => number[] | null, attach: (draw: () => void) => void} |
 *   null, picker?: Picker | null}} of positions are latitude and longitude; `spot` is the position that the user points
 *   at in a chart
 */
export function routeMap({
  label,
  places,
  chosen = '',
  route = [],
  roads = [],
  start = '',
  end = '',
  cutter = null,
  stops = [],
  gaps = [],
  spot = null,
  picker = null,
}) {
  const ground = /** @type {SVGSVGElement} */ (
    svg('svg.ground', {
      role: 'application',
      tabindex: 0,
      'aria-label': picker ? texts.places.mapKeys(label) : texts.trips.mapKeys(label),
      dataset: { key: 'map' },
    })
  );
  const tiles = tileLayer();
  const wide = { width: 600, height: 400 };
  /**
   * Draws the name of one end of the route, on the side with room for it.
   * @param {string} name
   * @param {number} px
   * @param {number} py
   */
  const nameOf = (name, px, py) => {
    const isRight = px > wide.width - 40 - 7 * short(name).length;
    return svg(
      'text.label',
      { x: px + (isRight ? -12 : 12), y: py + 16, 'text-anchor': isRight ? 'end' : 'start' },
      short(name),
    );
  };
  const key = `${label} ${chosen} ${route[0]} ${route.length}`;
  const known = views.get(key);
  /** Centre, pixels per radian, and whether the user has moved the map. A map keeps its view when it is redrawn. */
  const view = known ?? { x: 0, y: 0, scale: 1, isOwn: false };
  if (views.size > 100) views.clear();
  views.set(key, view);
  const fit = () => {
    const placed = places.filter(isPlaced);
    const shown = placed.find((place) => place.id === chosen);
    const points = route.length
      ? route
      : shown
        ? circleBox(shown)
        : placed.length
          ? placed.flatMap(circleBox)
          : roads.flat();
    if (!points.length) {
      view.scale = 3000;
      return;
    }
    const xs = points.map((point) => (point[1] * Math.PI) / 180);
    const ys = points.map((point) => northing(point[0]));
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    view.x = (left + right) / 2;
    view.y = (low + high) / 2;
    // Even on small maps, the content uses at least a quarter of the size.
    const room = (/** @type {number} */ size, /** @type {number} */ margin) => Math.max(size - margin, size / 4);
    // Fit the content, leaving 48 px around it and room for the buttons. The view is at least 200 m wide.
    const least = 200 / 6_371_000 / Math.cos((latitudeOf(view.y) * Math.PI) / 180);
    view.scale = Math.min(
      room(wide.width, 96 + BUTTONS) / Math.max(right - left, least),
      room(wide.height, 96) / Math.max(high - low, least),
    );
    view.x += BUTTONS / 2 / view.scale;
  };
  const x = (/** @type {number} */ longitude) => wide.width / 2 + ((longitude * Math.PI) / 180 - view.x) * view.scale;
  const y = (/** @type {number} */ latitude) => wide.height / 2 - (northing(latitude) - view.y) * view.scale;
  const line = (/** @type {number[][]} */ points) =>
    points.map((point, i) => `${i ? 'L' : 'M'}${x(point[1]).toFixed(1)} ${y(point[0]).toFixed(1)}`).join('');

  function draw() {
    const { width, height } = wide;
    ground.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const metresAPixel = (6_371_000 * Math.cos((latitudeOf(view.y) * Math.PI) / 180)) / view.scale;
    const degreesAPixel = 180 / Math.PI / view.scale;
    const step = (MINUTES.find((minutes) => minutes / 60 / degreesAPixel > 110) ?? 1200) / 60;
    /** @type {Child[]} */
    const grid = [];
    const firstLongitude = Math.ceil(((view.x * 180) / Math.PI - (width / 2) * degreesAPixel) / step) * step;
    for (let longitude = firstLongitude; x(longitude) < width; longitude += step) {
      grid.push(
        svg('line.graticule', { x1: x(longitude), x2: x(longitude), y1: 0, y2: height }),
        x(longitude) < width - 170 && svg('text', { x: x(longitude) + 5, y: height - 8 }, degrees(longitude, step)),
      );
    }
    const low = latitudeOf(view.y - height / 2 / view.scale);
    for (let latitude = Math.ceil(low / step) * step; y(latitude) > 0 && latitude < 85; latitude += step) {
      grid.push(
        svg('line.graticule', { x1: 0, x2: width, y1: y(latitude), y2: y(latitude) }),
        y(latitude) < height - 26 &&
          y(latitude) > 16 &&
          svg('text', { x: 8, y: y(latitude) - 5 }, degrees(latitude, step)),
      );
    }
    /** @type {SVGElement[]} */
    const labels = [];
    const circles = places.filter(isPlaced).map((place) => {
      const radius = Math.max(
        3,
        place.radius /
          ((metresAPixel * Math.cos((place.latitude * Math.PI) / 180)) /
            Math.cos((latitudeOf(view.y) * Math.PI) / 180)),
      );
      const [cx, cy] = [x(place.longitude), y(place.latitude)];
      if (cx < -radius - 200 || cx > width + radius + 200 || cy < -radius - 200 || cy > height + radius + 200)
        return null;
      labels.push(svg('text.label', { x: cx, y: cy - radius - 9, 'text-anchor': 'middle' }, short(place.name)));
      return svg(`circle.place${place.id === chosen ? '.chosen' : ''}`, { cx, cy, r: radius });
    });
    const first = route[0];
    const last = route[route.length - 1];
    const way =
      route.length > 1
        ? [
            svg('path.casing', { d: line(route) }),
            svg('path.way', { d: line(route) }),
            svg('circle.start', { cx: x(first[1]), cy: y(first[0]), r: 6 }),
            svg('circle.finish', { cx: x(last[1]), cy: y(last[0]), r: 7 }),
            start && nameOf(start, x(first[1]), y(first[0])),
            end && nameOf(end, x(last[1]), y(last[0])),
          ]
        : [];
    for (const gap of way.length ? gaps : []) {
      const [from, to] = [gap.points[0], gap.points[gap.points.length - 1]];
      way.splice(2, 0, svg('path.unfixed', { d: line(gap.points) }), svg('path.missing', { d: line(gap.points) }));
      if (Math.hypot(x(to[1]) - x(from[1]), y(to[0]) - y(from[0])) > 24)
        way.push(
          svg(
            'text.label.at-stop',
            { x: (x(from[1]) + x(to[1])) / 2 + 10, y: (y(from[0]) + y(to[0])) / 2 + 4 },
            gap.text,
          ),
        );
    }
    for (const stop of way.length ? stops : []) {
      const [px, py] = [x(stop.longitude), y(stop.latitude)];
      way.push(
        svg('rect.stop', { x: px - 5, y: py - 5, width: 10, height: 10, rx: 2 }),
        svg('text.label.at-stop', { x: px + 10, y: py + 4 }, stop.text),
      );
    }
    const pointed = spot?.at();
    if (pointed) way.push(svg('circle.spot', { cx: x(pointed[1]), cy: y(pointed[0]), r: 6 }));
    const cut = cutter?.point()?.at;
    if (cut)
      way.push(
        svg('circle.cut', { cx: x(cut[1]), cy: y(cut[0]), r: 9 }),
        svg('path.cut-mark', { d: `M${x(cut[1]) - 4} ${y(cut[0])}h8` }),
      );
    tiles?.show(view, width, height);
    fill(
      ground,
      tiles?.group,
      grid,
      roads.filter((points) => points.length > 1).map((points) => svg('path.road', { d: line(points) })),
      circles,
      way,
      labels,
      scale(metresAPixel, width, height),
    );
  }

  const zoom = (/** @type {number} */ factor, px = wide.width / 2, py = wide.height / 2) => {
    const scale = Math.min(4e8, Math.max(120, view.scale * factor));
    view.x += (px - wide.width / 2) * (1 / view.scale - 1 / scale);
    view.y -= (py - wide.height / 2) * (1 / view.scale - 1 / scale);
    view.scale = scale;
    view.isOwn = true;
    draw();
  };
  const pan = (/** @type {number} */ dx, /** @type {number} */ dy) => {
    view.x -= dx / view.scale;
    view.y += dy / view.scale;
    view.isOwn = true;
    draw();
  };
  const all = () => {
    view.isOwn = false;
    fit();
    draw();
  };
  ground.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const acts = {
      ArrowLeft: () => pan(60, 0),
      ArrowRight: () => pan(-60, 0),
      ArrowUp: () => pan(0, 60),
      ArrowDown: () => pan(0, -60),
      '+': () => zoom(1.5),
      '=': () => zoom(1.5),
      '-': () => zoom(1 / 1.5),
      0: all,
      ...(picker ? { Enter: () => choose(wide.width / 2, wide.height / 2) } : {}),
    };
    const act = acts[/** @type {keyof typeof acts} */ (event.key)];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  ground.addEventListener(
    'wheel',
    (/** @type {WheelEvent} */ event) => {
      // The wheel scrolls the page unless the map has the focus. A pinch on a touchpad is reported as Ctrl with the
      // wheel.
      if (!event.ctrlKey && document.activeElement !== ground) return;
      event.preventDefault();
      const box = ground.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    },
    { passive: false },
  );
  /**
   * Returns the nearest point of the route within a distance on screen.
   * @param {number} px
   * @param {number} py
   * @param {number} most
   */
  const pick = (px, py, most) => {
    const points = route.map((point) => [x(point[1]), y(point[0])]);
    let [best, part, behind, at] = [most, 0, 0, route[0]];
    for (let i = 1; i < points.length; i++) {
      const [[ax, ay], [bx, by]] = [points[i - 1], points[i]];
      const hop = Math.hypot(bx - ax, by - ay);
      const share = hop ? Math.min(1, Math.max(0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / hop / hop)) : 0;
      const away = Math.hypot(px - ax - share * (bx - ax), py - ay - share * (by - ay));
      if (away < best) {
        [best, part] = [away, behind + share * hop];
        at = [0, 1].map((k) => route[i - 1][k] + share * (route[i][k] - route[i - 1][k]));
      }
      behind += hop;
    }
    if (best >= most || !behind) return;
    cutter?.onPick(part / behind, at);
    draw();
  };
  const choose = (/** @type {number} */ px, /** @type {number} */ py) => {
    const longitude = ((view.x + (px - wide.width / 2) / view.scale) * 180) / Math.PI;
    // The map repeats to the east and west.
    const around = longitude - 360 * Math.floor((longitude + 180) / 360);
    picker?.onPick([latitudeOf(view.y - (py - wide.height / 2) / view.scale), around]);
    draw();
  };
  const inside = (/** @type {MouseEvent} */ event) => {
    const box = ground.getBoundingClientRect();
    return /** @type {[number, number]} */ ([event.clientX - box.left, event.clientY - box.top]);
  };
  /** State of a single pointer, which moves the map or drags the split point. */
  let hold = { isCut: false, moved: 0, isLong: false };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let held;
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  ground.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
    ground.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const cut = cutter?.point()?.at;
    const [px, py] = inside(event);
    hold = {
      isCut:
        Boolean(cut) &&
        fingers.size === 1 &&
        Math.hypot(px - x(/** @type {number[]} */ (cut)[1]), py - y(/** @type {number[]} */ (cut)[0])) < 24,
      moved: 0,
      isLong: false,
    };
    clearTimeout(held);
    if (picker && event.pointerType === 'touch' && fingers.size === 1)
      held = setTimeout(() => {
        if (hold.moved >= 6) return;
        hold.isLong = true;
        choose(px, py);
      }, HOLD);
  });
  ground.addEventListener('pointerup', (/** @type {PointerEvent} */ event) => {
    if (fingers.size !== 1 || hold.moved >= 6 || hold.isLong || event.button) return;
    if (cutter?.point()) pick(...inside(event), 28);
    if (picker?.isTap) choose(...inside(event));
  });
  if (picker) {
    ground.addEventListener('contextmenu', (/** @type {MouseEvent} */ event) => {
      event.preventDefault();
      hold.isLong = true;
      clearTimeout(held);
      choose(...inside(event));
    });
    // A sheet opened by a long press must not receive the click that follows. The end of a touch is sent to the element
    // where it began, even if that has been redrawn.
    const release = (/** @type {Event} */ event) => {
      if (hold.isLong) event.preventDefault();
    };
    ground.addEventListener('touchstart', ({ target }) => target?.addEventListener('touchend', release), {
      passive: true,
    });
  }
  ground.addEventListener('pointermove', (/** @type {PointerEvent} */ event) => {
    const old = fingers.get(event.pointerId);
    if (!old) return;
    const next = { x: event.clientX, y: event.clientY };
    hold.moved += Math.hypot(next.x - old.x, next.y - old.y);
    if (hold.isCut && fingers.size === 1) {
      fingers.set(event.pointerId, next);
      return pick(...inside(event), Infinity);
    }
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1] ?? old;
      const box = ground.getBoundingClientRect();
      const before = Math.hypot(old.x - other.x, old.y - other.y);
      if (before > 0)
        zoom(
          Math.hypot(next.x - other.x, next.y - other.y) / before,
          (next.x + other.x) / 2 - box.left,
          (next.y + other.y) / 2 - box.top,
        );
    } else {
      pan(next.x - old.x, next.y - old.y);
    }
    fingers.set(event.pointerId, next);
  });
  // A map behind a sheet loses the pointer without receiving its release.
  for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture']))
    ground.addEventListener(name, (/** @type {PointerEvent} */ event) => {
      clearTimeout(held);
      fingers.delete(event.pointerId);
    });
  const box = h(
    'div.map',
    null,
    ground,
    tiles?.credit && h('p.credit', null, tiles.credit),
    h(
      'div.zoom',
      null,
      h(
        'button',
        { type: 'button', 'aria-label': texts.trips.zoomIn, on: { click: () => zoom(1.6) } },
        glyph('plus', '.s16'),
      ),
      h(
        'button',
        { type: 'button', 'aria-label': texts.trips.zoomOut, on: { click: () => zoom(1 / 1.6) } },
        glyph('minus', '.s16'),
      ),
    ),
  );
  cutter?.attach(draw);
  spot?.attach(draw);
  picker?.attach?.(all);
  if (!view.isOwn) fit();
  draw();
  new ResizeObserver(() => {
    if (!box.clientWidth) return;
    wide.width = box.clientWidth;
    wide.height = box.clientHeight;
    if (!view.isOwn) fit();
    draw();
  }).observe(box);
  return box;
}

/** @param {Api.Geofence} place */
const isPlaced = ({ latitude, longitude, radius }) => [latitude, longitude, radius].every(Number.isFinite);

/**
 * @param {Api.Geofence} place
 * @returns {number[][]} two corners
 */
function circleBox(place) {
  const latitude = ((place.radius / 6_371_000) * 180) / Math.PI;
  const longitude = latitude / Math.max(0.05, Math.cos((place.latitude * Math.PI) / 180));
  return [
    [place.latitude - latitude, place.longitude - longitude],
    [place.latitude + latitude, place.longitude + longitude],
  ];
}

/**
 * Formats an angle, such as `52°24′`.
 * @param {number} value
 * @param {number} step
 */
function degrees(value, step) {
  const seconds = Math.round(Math.abs(value) * 3600);
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const minutes = `${Math.floor(seconds / 3600)}°${two(Math.floor(seconds / 60) % 60)}′`;
  const text = step < 1 / 60 ? `${minutes}${two(seconds % 60)}″` : minutes;
  return (value < 0 ? '−' : '') + (step >= 1 ? text.split('°')[0] + '°' : text);
}

/**
 * @param {number} metresAPixel
 * @param {number} width
 * @param {number} height
 */
function scale(metresAPixel, width, height) {
  const imperial = settings().units === 'imperial';
  const unit = imperial ? (metresAPixel * 100 > 400 ? 1609.344 : 0.3048) : metresAPixel * 100 >= 1000 ? 1000 : 1;
  const wanted = (metresAPixel * 100) / unit;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const value = [5, 2, 1].map((n) => n * power).find((n) => n <= wanted) ?? power;
  const long = (value * unit) / metresAPixel;
  const { miles, feet, kilometres, metres } = texts.units;
  const name = imperial ? (unit > 1 ? miles : feet) : unit > 1 ? kilometres : metres;
  const [a, b, y] = [width - 16 - long, width - 16, height - 14];
  return svg(
    'g',
    null,
    svg('path.scale', { d: `M${a} ${y - 5}v5H${b}v-5` }),
    svg('text', { x: (a + b) / 2, y: y - 8, 'text-anchor': 'middle' }, `${count(value)} ${name}`),
  );
}
