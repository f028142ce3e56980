// Type colours. A custom colour keeps its hue, while its lightness is adapted to the theme for contrast. `TypeColour`
// in `trendy export report` uses the same algorithm. Both implementations are tested with
// `Tools/PageTests/colours.txt`.

/** Palette. Each entry is a name, followed by mark (bars, cells, lines) and ink (glyph, text) for each theme. */
export const PALETTE = [
  ['clay', '#73392e', '#73392e', '#b27164', '#c78577'],
  ['sky', '#0197bd', '#027290', '#9fe4ff', '#9fe4ff'],
  ['amber', '#957007', '#856402', '#d3a32d', '#d3a32d'],
  ['violet', '#513889', '#513889', '#856fc6', '#9d88e1'],
  ['blue', '#4464c0', '#4362bf', '#9fbafe', '#9fbafe'],
  ['slate', '#747985', '#646975', '#9da3b0', '#9da3b0'],
  ['olive', '#645d02', '#645d02', '#958c00', '#a39921'],
  ['rose', '#b12f60', '#b12f60', '#ffb4c7', '#ffb4c7'],
  ['jade', '#009353', '#057944', '#57c685', '#57c685'],
  ['leaf', '#609d10', '#467604', '#abe07e', '#abe07e'],
  ['plum', '#8849a2', '#8849a2', '#c184dc', '#c184dc'],
  ['teal', '#036767', '#036767', '#3a9595', '#4ca5a4'],
].map(([name, mark, ink, darkMark, darkInk]) => ({ name, mark, ink, darkMark, darkInk }));

const LIGHT = { ground: '#f9f8f6', surface: '#ffffff', wash: 0.13, low: 0.42, high: 0.63, step: -0.01 };
const DARK = { ground: '#101114', surface: '#181a1e', wash: 0.2, low: 0.6, high: 0.88, step: 0.01 };

/**
 * @param {string} hex `#RRGGBB`
 * @returns {[number, number, number] | null} components from 0 to 1
 */
function parseHex(hex) {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex ?? '');
  return match && /** @type {[number, number, number]} */ (match.slice(1).map((part) => parseInt(part, 16) / 255));
}

const toLinear = (/** @type {number} */ v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const toGamma = (/** @type {number} */ v) => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);

/**
 * Converts a colour to OKLCH (B. Ottosson).
 * @param {[number, number, number]} rgb
 * @returns {[number, number, number]}
 */
function toOKLCH(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const L = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const A = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const B = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return [L, Math.hypot(A, B), Math.atan2(B, A)];
}

/**
 * Converts from OKLCH, reducing the chroma if necessary to stay within the gamut.
 * @param {[number, number, number]} lch
 * @returns {[number, number, number]}
 */
function fromOKLCH([L, C, H]) {
  for (let chroma = C; ; chroma -= 0.005) {
    const c = Math.max(0, chroma);
    const a = c * Math.cos(H);
    const b = c * Math.sin(H);
    const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const rgb = [
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ];
    if (c === 0 || rgb.every((v) => v >= -0.0005 && v <= 1.0005)) {
      return /** @type {[number, number, number]} */ (rgb.map((v) => toGamma(Math.min(1, Math.max(0, v)))));
    }
  }
}

/** @param {[number, number, number]} rgb */
const luminance = ([r, g, b]) => 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);

/**
 * Returns the contrast ratio (WCAG) of two colours, the first rounded to bytes.
 * @param {[number, number, number]} a
 * @param {[number, number, number]} b
 */
export function contrast(a, b) {
  const [x, y] = [
    luminance(/** @type {[number, number, number]} */ (a.map((v) => Math.round(v * 255) / 255))),
    luminance(b),
  ];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** @param {[number, number, number]} rgb */
const hex = (rgb) => {
  const digits = rgb.map((v) =>
    Math.round(v * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}`;
};

/**
 * @param {[number, number, number]} a
 * @param {[number, number, number]} b
 * @param {number} share proportion of `a`
 */
const mix = (a, b, share) => /** @type {[number, number, number]} */ (a.map((v, i) => v * share + b[i] * (1 - share)));

/**
 * Returns a colour's mark and ink for a theme, with a contrast of at least 3:1 to the background and 4.5:1 to the wash.
 * @param {[number, number, number]} rgb
 * @param {typeof LIGHT} theme
 */
function fit(rgb, theme) {
  const ground = /** @type {[number, number, number]} */ (parseHex(theme.ground));
  const surface = /** @type {[number, number, number]} */ (parseHex(theme.surface));
  let [L, C, H] = toOKLCH(rgb);
  L = Math.min(theme.high, Math.max(theme.low, L));
  C = Math.min(C, 0.17);
  let mark = fromOKLCH([L, C, H]);
  while (contrast(mark, ground) < 3.05 && L > 0 && L < 1) mark = fromOKLCH([(L += theme.step), C, H]);
  const wash = mix(mark, surface, theme.wash);
  let ink = mark;
  for (let l = L; contrast(ink, wash) < 4.6 && l > 0 && l < 1; ) ink = fromOKLCH([(l += theme.step), C, H]);
  return { mark: hex(mark), ink: hex(ink) };
}

/** @type {Map<string, {mark: string, ink: string, darkMark: string, darkInk: string}>} */
const fitted = new Map();

/**
 * Returns a colour's mark and ink for both themes.
 * @param {string} text stored colour, replaced by slate if it is invalid
 */
export function colours(text) {
  const key = (text ?? '').toLowerCase();
  const known = fitted.get(key);
  if (known) return known;
  const own = PALETTE.find((entry) => entry.mark === key);
  const rgb = parseHex(key);
  let result = own;
  if (!result && rgb) {
    const light = fit(rgb, LIGHT);
    const dark = fit(rgb, DARK);
    result = { name: '', mark: light.mark, ink: light.ink, darkMark: dark.mark, darkInk: dark.ink };
  }
  result ??= PALETTE[5];
  fitted.set(key, result);
  return result;
}

/**
 * Returns custom CSS properties for a type's colour.
 * @param {string} text
 */
export function tint(text) {
  const { mark, ink, darkMark, darkInk } = colours(text);
  return { '--tl': mark, '--til': ink, '--td': darkMark, '--tid': darkInk };
}
