import { h, svg } from './dom.js';
import { tint } from './colour.js';

/** Line glyphs in a box of 20 units, drawn with a stroke of 1.6. */
const PATHS = {
  today:
    'M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 2v1.6M10 16.4V18M2 10h1.6' +
    'M16.4 10H18M4.3 4.3l1.2 1.2M14.5 14.5l1.2 1.2M4.3 15.7l1.2-1.2M14.5 5.5l1.2-1.2',
  timeline: 'M3 5.5h7M7 10h7M11 14.5h6',
  calendar:
    'M4.5 4.5h11a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 15V6a1.5 1.5 0 0 1 1.5-1.5z' +
    'M3 8.5h14M6.8 2.8v3M13.2 2.8v3',
  insights: 'M4 16.5v-5M8 16.5v-9M12 16.5v-6M16 16.5V4',
  route:
    'M5.2 16.5a1.8 1.8 0 1 1 0-3.6 1.8 1.8 0 0 1 0 3.6zM14.8 7.1a1.8 1.8 0 1 1 0-3.6 1.8 1.8 0 0 1 0 3.6z' +
    'M7 14.7h4.2a2.3 2.3 0 0 0 0-4.7H8.8a2.3 2.3 0 0 1 0-4.7H13',
  gauge: 'M3.5 14.5a7 7 0 1 1 13 0M10 12.5l3.2-4.4',
  pin: 'M10 17.5s5.5-4.6 5.5-9.2a5.5 5.5 0 0 0-11 0c0 4.6 5.5 9.2 5.5 9.2zM10 10.3a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  devices:
    'M2.5 13V5.5A1.5 1.5 0 0 1 4 4h9a1.5 1.5 0 0 1 1.5 1.5M2 15.5h7.5M12.7 8.5h3.6a1.2 1.2 0 0 1 1.2 1.2' +
    'v5.6a1.2 1.2 0 0 1-1.2 1.2h-3.6a1.2 1.2 0 0 1-1.2-1.2V9.7a1.2 1.2 0 0 1 1.2-1.2z',
  data:
    'M10 8.3c3.6 0 6-1.2 6-2.8s-2.4-2.8-6-2.8-6 1.2-6 2.8 2.4 2.8 6 2.8z' +
    'M4 5.5v9c0 1.6 2.4 2.8 6 2.8s6-1.2 6-2.8v-9M4 10c0 1.6 2.4 2.8 6 2.8s6-1.2 6-2.8',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  more: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13.2 13.2L17 17',
  plus: 'M10 4.5v11M4.5 10h11',
  minus: 'M4.5 10h11',
  check: 'M4.5 10.5l3.7 3.7 7.3-8',
  left: 'M12 5l-5 5 5 5',
  right: 'M8 5l5 5-5 5',
  down: 'M5 8l5 5 5-5',
  dots: 'M5 10h.01M10 10h.01M15 10h.01',
  stop: 'M6.5 6.5h7v7h-7z',
  play: 'M7 5.5v9l7-4.5z',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6.5V10l2.4 1.6',
  offline: 'M3 3l14 14M6.2 7.2A4.5 4.5 0 0 0 6 16h8.5M9 4.8a4.5 4.5 0 0 1 5.8 3.6 3.7 3.7 0 0 1 2.5 5.6',
  warn: 'M10 7v4M10 13.8h.01M10 3.2l7.3 13H2.7z',
  phone:
    'M7 2.5h6A1.3 1.3 0 0 1 14.3 3.8v12.4a1.3 1.3 0 0 1-1.3 1.3H7a1.3 1.3 0 0 1-1.3-1.3V3.8A1.3 1.3 0 0 1 7 2.5z' +
    'M9 15h2',
  laptop: 'M4.5 4.5h11a1 1 0 0 1 1 1V12h-13V5.5a1 1 0 0 1 1-1zM2 15h16',
  file: 'M11.5 2.5H6A1.5 1.5 0 0 0 4.5 4v12A1.5 1.5 0 0 0 6 17.5h8a1.5 1.5 0 0 0 1.5-1.5V6.5zM11.5 2.5v4h4',
  hand: 'M4 16l.8-3.3L13 4.5a1.8 1.8 0 0 1 2.5 2.5l-8.2 8.2z',
  heart: 'M10 16.5S3 12.4 3 7.7A3.7 3.7 0 0 1 10 6a3.7 3.7 0 0 1 7 1.7c0 4.7-7 8.8-7 8.8z',
  cup: 'M4 8h10v4.5a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4zM14 9h1.2a2 2 0 0 1 0 4H14M7 5.5V3M11 5.5V3',
  smile: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7 12c.7 1 1.7 1.6 3 1.6s2.3-.6 3-1.6M7.6 8h.01M12.4 8h.01',
  pill:
    'M11 3.8a3.3 3.3 0 0 1 4.7 0 3.3 3.3 0 0 1 0 4.7L8.5 15.7a3.3 3.3 0 0 1-4.7 0 3.3 3.3 0 0 1 0-4.7z' +
    'M7.5 7.3l4.7 4.7',
  shoe:
    'M3 6.5v7A1.5 1.5 0 0 0 4.5 15h11a1.5 1.5 0 0 0 1.5-1.5c0-2-1.5-2.5-4-3L9.5 7.5 7.5 9C5.5 9 5 7.5 4.5 6.5z' +
    'M10.5 8.5l-1 1M12.3 10l-1 1',
  drop: 'M10 3s5 5.3 5 9a5 5 0 0 1-10 0c0-3.7 5-9 5-9z',
  book: 'M10 5.5C8.5 4.3 6.3 4 3.5 4v11c2.8 0 5 .3 6.5 1.5 1.5-1.2 3.7-1.5 6.5-1.5V4c-2.8 0-5 .3-6.5 1.5zM10 5.5v11',
  bolt: 'M11 2.8L5 11.2h4.5L9 17.2l6-8.4h-4.5z',
  moon: 'M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z',
  dumbbell: 'M2.5 10h15M5 6.5v7M7.5 5v10M12.5 5v10M15 6.5v7',
  home: 'M3.5 9.5L10 4l6.5 5.5M5.5 8.5V16h9V8.5M8.5 16v-4h3v4',
  work:
    'M4 7h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z' +
    'M7.5 7V5.5A1 1 0 0 1 8.5 4.5h3a1 1 0 0 1 1 1V7M3 11h14',
  car:
    'M3.5 14.5V10l1.7-4.2A1.3 1.3 0 0 1 6.4 5h7.2a1.3 1.3 0 0 1 1.2.8L16.5 10v4.5z' +
    'M3.5 10h13M6 12.3h.01M14 12.3h.01M5 14.5V16M15 14.5V16',
  bike: 'M5 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM15 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM5 12l3-5h4.5L15 12M8 7l2.5 5M11.5 4.5h2',
  food: 'M6 3v5a2 2 0 0 1-4 0V3M4 10v7M4 3v4M14.5 17v-6h-3c0-4 1.2-7 3-8z',
  pencil: 'M4 16l.8-3.3L13 4.5a1.8 1.8 0 0 1 2.5 2.5l-8.2 8.2zM11.5 6l2.5 2.5',
  flag: 'M5 17.5V3M5 4h9.5l-2 3.5 2 3.5H5',
  cross: 'M8 3.5h4V8h4.5v4H12v4.5H8V12H3.5V8H8z',
  star: 'M10 3l2.2 4.5 4.9.7-3.6 3.5.9 4.9L10 14.3l-4.4 2.3.9-4.9L2.9 8.2l4.9-.7z',
  music: 'M7.5 15V4.5l8-1.5v10.5M5.5 17a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM13.5 15.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  people:
    'M7.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM2.5 16c0-2.8 2.2-4.5 5-4.5s5 1.7 5 4.5' +
    'M13 9.5a2.2 2.2 0 1 0-.6-4.3M14.5 11.8c1.8.5 3 2 3 4.2',
  insightsMark: 'M3 14.5l4.5-5.5 3.5 3 5.5-7M16.5 5h.01',
  leaf: 'M4 16c0-8 4-12 12.5-12.5C17 12 13 16 8 15.5c-1.5-.2-2.5-1-2.5-1M4 17c1.5-4 4-6.5 7.5-8.5',
  sun: 'M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 2v1.6M10 16.4V18M2 10h1.6M16.4 10H18',
  bag: 'M4.5 7h11l.8 9.5H3.7zM7 9V6a3 3 0 0 1 6 0v3',
  trash: 'M4 6h12M8 6V4.5h4V6M5.5 6l.7 10.5h7.6L14.5 6',
};

/** Glyphs for the icon names used by phones and the command line, and for names that users give to types. */
const NAMES = {
  coffee: 'cup',
  'cup.and.saucer': 'cup',
  'cup.and.saucer.fill': 'cup',
  '☕': 'cup',
  '☕️': 'cup',
  tea: 'cup',
  '☺': 'smile',
  mood: 'smile',
  'face.smiling': 'smile',
  '⚑': 'flag',
  workout: 'flag',
  '✚': 'cross',
  medication: 'pill',
  pills: 'pill',
  '✎': 'pencil',
  journal: 'pencil',
  '⇢': 'car',
  trip: 'car',
  '⌂': 'home',
  visit: 'pin',
  house: 'home',
  '◔': 'gauge',
  odometer: 'gauge',
  run: 'shoe',
  'figure.run': 'shoe',
  '🏃': 'shoe',
  water: 'drop',
  'drop.fill': 'drop',
  '💧': 'drop',
  reading: 'book',
  'book.fill': 'book',
  headache: 'bolt',
  'bolt.fill': 'bolt',
  sleep: 'moon',
  'moon.fill': 'moon',
  '☾': 'moon',
  '⚡': 'bolt',
  '⚡︎': 'bolt',
  'bed.double': 'moon',
  gym: 'dumbbell',
  'dumbbell.fill': 'dumbbell',
  'heart.fill': 'heart',
  'star.fill': 'star',
  '★': 'star',
  office: 'work',
  briefcase: 'work',
  'car.fill': 'car',
  bicycle: 'bike',
  'fork.knife': 'food',
  meal: 'food',
  'flame.fill': 'bolt',
};

/** Glyphs offered to the user. */
export const CHOICES = [
  'cup',
  'smile',
  'pill',
  'shoe',
  'drop',
  'book',
  'bolt',
  'moon',
  'dumbbell',
  'heart',
  'star',
  'food',
  'bike',
  'car',
  'home',
  'work',
  'pencil',
  'flag',
  'music',
  'people',
  'leaf',
  'sun',
  'bag',
  'clock',
];

/**
 * @param {string} name
 * @param {string} [classes] each with a leading dot
 */
export function glyph(name, classes = '') {
  return svg(
    `svg.glyph${classes}`,
    { viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('path', { d: PATHS[/** @type {keyof typeof PATHS} */ (name)] ?? PATHS.dots }),
  );
}

/**
 * Draws a type's glyph within a drawing: a path in a box of 20 units, or a letter.
 * @param {{name: string, icon: string}} type
 * @param {number} x horizontal centre
 * @param {number} y vertical centre
 */
export function glyphAt(type, x, y) {
  const { drawn, text } = faceOf(type);
  if (drawn)
    return svg('path.glyph-of', {
      d: PATHS[/** @type {keyof typeof PATHS} */ (drawn)],
      transform: `translate(${x - 8} ${y - 8}) scale(.8)`,
    });
  return svg('text.letter', { x, y: y + 4 }, text);
}

/**
 * Returns the glyph suggested by a type's name, such as `Coffee`.
 * @param {string} name
 * @returns {string | null}
 */
export function suggested(name) {
  const word = name.trim().toLowerCase();
  return Object.hasOwn(NAMES, word) || CHOICES.includes(word) ? known(word) : null;
}

/**
 * Returns a type's face: a glyph, up to two characters from its icon, or the first letter of its name.
 * @param {{name: string, icon: string}} type
 */
function faceOf(type) {
  const icon = (type.icon ?? '').trim();
  // The command line and imports store a bullet for types without an icon.
  const isBare = icon === '' || icon === '•';
  const drawn = isBare ? suggested(type.name ?? '') : known(icon);
  const signs = isBare ? 0 : [...new Intl.Segmenter().segment(icon)].length;
  return { drawn, text: signs > 0 && signs <= 2 ? icon : ([...(type.name ?? '')][0] ?? '·').toUpperCase() };
}

/**
 * @param {string} icon stored icon of a type
 * @returns {string | null} glyph for the icon
 */
function known(icon) {
  const word = icon.toLowerCase();
  if (Object.hasOwn(PATHS, word)) return word;
  return Object.hasOwn(NAMES, word) ? NAMES[/** @type {keyof typeof NAMES} */ (word)] : null;
}

/**
 * Returns a disc with a type's glyph.
 * @param {{name: string, color: string, icon: string}} type
 * @param {22 | 28 | 32 | 48} size
 */
export function disc(type, size = 28) {
  const { drawn, text } = faceOf(type);
  return h(
    `span.disc.d${size}`,
    { set: tint(type.color), 'aria-hidden': 'true' },
    drawn ? glyph(drawn) : h('span.sign', null, text),
  );
}
