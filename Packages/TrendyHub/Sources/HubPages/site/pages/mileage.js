import { h, svg } from '../parts/dom.js';
import { chart, table } from '../parts/chart.js';
import { definePage, head, stepButton } from '../parts/pagehead.js';
import { distance, lengthUnit } from '../parts/eventtext.js';
import { openOdometer } from '../parts/odometersheet.js';
import { vehicleFilter } from '../parts/vehiclefilter.js';
import { go, withQuery } from '../data/navigation.js';
import { read, refresh, session, vehicles } from '../data/record.js';
import { dateHere, longDate, monthName, shortDate, today, wholeDate, zone } from '../data/days.js';
import { decimal, fixed } from '../locale.js';
import { texts } from '../texts.js';

/**
 * Page with a year's mileage. The hub computes all numbers.
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function mileage(query) {
  const asked = query.get('year') ?? '';
  const year = /^[1-9]\d{3}$/.test(asked) ? Number(asked) : Number(today().slice(0, 4));
  const vehicle = query.get('vehicle') ?? '';
  const items = new URLSearchParams({ year: String(year), zone: zone(), ...(vehicle ? { vehicle } : {}) });
  return definePage({
    title: texts.nav.mileage,
    load: async () => (await read(`/mileage?${items}`)).answer,
    draw(log) {
      const move = (/** @type {number} */ step) => () => go(withQuery({ year: String(year + step) }), true);
      const file = `mileage-${year}`;
      const tools = [
        stepButton(texts.act.earlier, -1, move(-1)),
        stepButton(texts.act.later, 1, move(1)),
        ...(log.total.trips
          ? [
              h('a.button', { href: `/api/v1/mileage/csv?${items}`, download: `${file}.csv` }, texts.act.csv),
              h('a.button', { href: `/api/v1/mileage?${items}`, download: `${file}.json` }, texts.act.json),
              h(
                'button.button',
                { type: 'button', dataset: { key: 'print' }, on: { click: () => window.print() } },
                texts.mileage.print,
              ),
            ]
          : []),
      ];
      const page = (/** @type {Child[]} */ ...parts) =>
        h(
          'div.page.mileage',
          null,
          head(texts.mileage.title(String(year)), sentence(log), tools),
          vehicleFilter(vehicle),
          ...parts,
        );
      if (!log.total.trips)
        return page(
          h(
            'div.empty',
            null,
            h('p', null, texts.mileage.none(String(year)), !log.years.length && ` ${texts.trips.appear}`),
            log.years
              .filter((/** @type {number} */ other) => other !== year)
              .slice(-3)
              .map((/** @type {number} */ other) =>
                h('a.button', { href: withQuery({ year: String(other) }) }, String(other)),
              ),
          ),
          odometers(log, vehicle),
        );
      return page(
        form(log, vehicle),
        figures(log.total),
        h('section', null, months(log)),
        log.vehicles.length > 1 && !vehicle && h('section', null, ofVehicles(log)),
        odometers(log, vehicle),
        h('section', null, rows(log)),
        signatures(),
      );
    },
  });
}

/**
 * @param {number} share
 * @param {number} digits
 */
const percent = (share, digits) => texts.units.percent(decimal(Math.abs(share) * 100, digits));

/** @param {Api.Mileage} log */
const sentence = ({ total }) =>
  total.trips
    ? [
        texts.trips.summary(total.trips, distance(total.total_m)),
        total.unclassified_m > 0 && ` ${texts.mileage.unclassified(distance(total.unclassified_m))}`,
      ]
    : null;

/**
 * @typedef {Api.Mileage['total']} Sums
 * @typedef {Api.Mileage['months'][number]} Month
 */

/** @param {Sums} total */
function figures(total) {
  const shares = [
    [distance(total.total_m), texts.mileage.total],
    [distance(total.business_m), texts.trips.kinds.business.toLowerCase()],
    [distance(total.private_m), texts.trips.kinds.private.toLowerCase()],
    [total.total_m > 0 ? percent(total.business_m / total.total_m, 0) : '–', texts.mileage.businessShare],
  ];
  return h(
    'dl.figures',
    null,
    shares.map(([value, label]) => h('div', null, h('dt', null, label), h('dd', null, value))),
  );
}

const COLUMNS = ['month', 'trips', 'distance', 'business', 'private', 'unclassified'];
/** @param {string} first heading of the first column */
function headings(first) {
  const { trips, distance, business, private: own, unclassified } = texts.columns;
  const [unit] = lengthUnit();
  return [first, trips, ...[distance, business, own, unclassified].map((text) => texts.columnIn(text, unit))];
}
/** @param {number} metres */
const inUnit = (metres) => Math.round((metres / lengthUnit()[1]) * 10) / 10;
/** @param {Sums} sums */
const cells = (sums) => [
  sums.trips,
  inUnit(sums.total_m),
  inUnit(sums.business_m),
  inUnit(sums.private_m),
  inUnit(sums.unclassified_m),
];
/**
 * @param {Api.Mileage} log
 * @param {number} month
 */
const nameOf = (log, month, style = /** @type {'long' | 'short'} */ ('long')) =>
  monthName(`${log.year}-${String(month).padStart(2, '0')}-01`, style);

/**
 * Draws a bar for each month. Business distances are solid, private ones outlined and unclassified ones dotted, so the
 * chart prints well in black.
 * @param {Api.Mileage} log
 */
function months(log) {
  const most = Math.max(...log.months.map((month) => month.total_m));
  const best = log.months.find((month) => month.total_m === most) ?? log.months[0];
  const bar = (/** @type {Month} */ month) => {
    let x = 0;
    const part = (/** @type {string} */ name, /** @type {number} */ metres) => {
      const width = (98 * metres) / most;
      const rect = metres > 0 && svg(`rect.${name}`, { x: `${x}%`, y: 3, width: `${width}%`, height: 14, rx: 2 });
      x += width;
      return rect;
    };
    return svg(
      'svg.month-bar',
      { height: 20, 'aria-hidden': 'true' },
      part('business', month.business_m),
      part('private', month.private_m),
      part('open', month.unclassified_m),
    );
  };
  // All months have the same scale, so their labels must have the same width.
  const wide = {
    '--longest': Math.max(...log.months.map((month) => distance(month.total_m).length)),
  };
  const label = (/** @type {Month} */ month) =>
    texts.mileage.cell(
      nameOf(log, month.month),
      distance(month.total_m),
      distance(month.business_m),
      distance(month.private_m),
    );
  return chart({
    key: `mileage-${log.year}`,
    title: texts.mileage.byMonth,
    finding: texts.mileage.most(nameOf(log, best.month), distance(most)),
    onSwitch: refresh,
    columns: COLUMNS,
    headings: headings(texts.columns.month),
    rows: log.months.map((month) => [nameOf(log, month.month), ...cells(month)]),
    picture: () =>
      h(
        'div',
        { set: wide },
        h(
          'div.month-head',
          { 'aria-hidden': 'true' },
          h('span.num', null, texts.mileage.total),
          h('span.num.wide', null, texts.trips.kinds.business.toLowerCase()),
        ),
        h(
          'ul.months',
          null,
          log.months.map((month) =>
            h(
              'li',
              null,
              h(
                'a',
                {
                  href: `/trips?month=${log.year}-${String(month.month).padStart(2, '0')}`,
                  'aria-label': label(month),
                  dataset: { key: `month-${month.month}` },
                },
                h('span.quiet', null, nameOf(log, month.month, 'short')),
                bar(month),
                h('b.num', null, month.trips ? distance(month.total_m) : '–'),
                h('span.num.quiet.wide', null, month.trips ? distance(month.business_m) : ''),
              ),
            ),
          ),
        ),
        h(
          'p.legend.small.quiet',
          null,
          [
            ['business', texts.trips.kinds.business],
            ['private', texts.trips.kinds.private],
            ['open', texts.columns.unclassified],
          ].map(([name, word]) =>
            h(
              'span',
              null,
              svg(
                'svg.month-bar',
                { width: 22, height: 14, 'aria-hidden': 'true' },
                svg(`rect.${name}`, { x: 1, y: 1, width: 20, height: 12, rx: 2 }),
              ),
              word,
            ),
          ),
        ),
      ),
  });
}

/** @param {Api.Mileage} log */
function ofVehicles(log) {
  return [
    h('div.section-head', null, h('h2', null, texts.mileage.byVehicle)),
    table(
      texts.mileage.byVehicle,
      headings(texts.columns.vehicle),
      log.vehicles.map((one) => [one.vehicle_id ? one.name : texts.mileage.noVehicle, ...cells(one)]),
    ),
  ];
}

/**
 * @param {Api.Mileage} log
 * @param {string} vehicle
 */
function odometers(log, vehicle) {
  if (!log.odometers.length) return null;
  const day = (/** @type {{date: string}} */ reading) => longDate(dateHere(new Date(reading.date)));
  const logReading = h(
    'button.no-print',
    { type: 'button', dataset: { key: 'odometer' }, on: { click: () => openOdometer(vehicle) } },
    texts.mileage.logReading,
  );
  return h(
    'section',
    null,
    h('div.section-head', null, h('h2', null, texts.mileage.odometer), logReading),
    h(
      'ul.rows',
      null,
      log.odometers.map((one) => {
        const { whole, stretches, name } = one;
        if (!whole)
          return h(
            'li',
            null,
            h('div.plain-row', null, h('span.what', null, h('b', null, name), ` ${texts.mileage.noReadings}`)),
          );
        const off = stretches.filter((stretch) => stretch.warning);
        return h(
          'li',
          null,
          h(
            'div.odometer',
            null,
            h(
              'p',
              null,
              h('b', null, name),
              ' ',
              texts.mileage.comparison(
                distance(whole.to.odometer_m),
                day(whole.to),
                distance(whole.driven_m),
                distance(whole.trips_m),
                percent(whole.deviation, 1),
              ),
            ),
            (whole.warning || off.length > 0) &&
              h(
                'p.warned',
                null,
                whole.warning && h('b', null, `${texts.mileage.warning} `),
                texts.mileage.warningHint,
              ),
            off.length > 0 &&
              h(
                'ul',
                null,
                off.map((stretch) =>
                  h(
                    'li.small',
                    null,
                    `${texts.dates.span(day(stretch.from), day(stretch.to))}: `,
                    (stretch.deviation > 0 ? texts.mileage.missing : texts.mileage.tooMany)(
                      distance(Math.abs(stretch.driven_m - stretch.trips_m)),
                      percent(stretch.deviation, 1),
                    ),
                    ' ',
                    h(
                      'a.link.no-print',
                      { href: `/trips?month=${dateHere(new Date(stretch.from.date)).slice(0, 7)}` },
                      texts.mileage.showTrips,
                    ),
                  ),
                ),
              ),
            one.ignored > 0 && h('p.small.quiet', null, texts.mileage.ignored(one.ignored)),
          ),
        );
      }),
    ),
  );
}

/** @param {Api.Mileage} log */
function rows(log) {
  const [unit] = lengthUnit();
  const kind = (/** @type {Api.Mileage['rows'][number]} */ row) =>
    row.category
      ? (texts.trips.kinds[/** @type {'business'} */ (row.category)] ?? row.category)
      : h('a', { href: `/trips/${encodeURIComponent(row.id)}` }, texts.trips.classify);
  const isSeveral = log.vehicles.length > 1 && !log.vehicle_id;
  return [
    h('div.section-head', null, h('h2', null, texts.mileage.log)),
    h(
      'div.trip-table',
      null,
      table(
        texts.mileage.log,
        [
          texts.columns.date,
          texts.columns.from,
          texts.columns.to,
          unit,
          texts.columns.category,
          texts.columns.rule,
          ...(isSeveral ? [texts.mileage.vehicle] : []),
        ],
        log.rows.map((row) => [
          shortDate(dateHere(new Date(row.start))),
          row.from,
          row.to,
          fixed(inUnit(row.distance_m), 1),
          kind(row),
          row.rule ?? '',
          ...(isSeveral ? [row.vehicle] : []),
        ]),
        Infinity,
      ),
    ),
  ];
}

/**
 * Returns the header of the printed log.
 * @param {Api.Mileage} log
 * @param {string} vehicle
 */
function form(log, vehicle) {
  const name = vehicles().find((one) => one.id === vehicle)?.name ?? texts.mileage.allVehicles;
  return h(
    'dl.form.print-only',
    null,
    [
      [texts.mileage.person, session.person.name],
      [texts.mileage.vehicle, name],
      [texts.mileage.period, texts.dates.span(wholeDate(`${log.year}-01-01`), wholeDate(`${log.year}-12-31`))],
      [texts.mileage.printed, wholeDate(today())],
    ].map(([label, value]) => h('div', null, h('dt', null, label), h('dd', null, value))),
  );
}

const signatures = () =>
  h(
    'div.signatures.print-only',
    null,
    [texts.mileage.place, texts.mileage.signature].map((word) => h('p', null, word)),
  );
