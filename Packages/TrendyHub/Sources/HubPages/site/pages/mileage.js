import { h, svg } from '../parts/dom.js';
import { chart, table } from '../parts/chart.js';
import { definePage, head, stepButton } from '../parts/pagehead.js';
import { distance, lengthUnit } from '../parts/eventtext.js';
import { openOdometer } from '../parts/odometersheet.js';
import { vehicleFilter } from '../parts/vehiclefilter.js';
import { go, withQuery } from '../data/navigation.js';
import { read, refresh, session, vehicles } from '../data/record.js';
import { dateHere, longDate, monthName, shortDate, today, wholeDate, zone } from '../data/days.js';
import { words, fixed } from '../texts.js';

const text = words.mileage;

/**
 * What do I hand in? Every number is the hub's.
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function mileage(query) {
  const asked = query.get('year') ?? '';
  const year = /^[1-9]\d{3}$/.test(asked) ? Number(asked) : Number(today().slice(0, 4));
  const vehicle = query.get('vehicle') ?? '';
  const items = new URLSearchParams({ year: String(year), zone: zone(), ...(vehicle ? { vehicle } : {}) });
  return definePage({
    title: words.nav.mileage,
    load: async () => (await read(`/mileage?${items}`)).answer,
    draw(log) {
      const move = (/** @type {number} */ step) => () => go(withQuery({ year: String(year + step) }), true);
      const file = `mileage-${year}`;
      const tools = [
        stepButton(words.act.earlier, -1, move(-1)),
        stepButton(words.act.later, 1, move(1)),
        ...(log.total.trips
          ? [
              h('a.button', { href: `/api/v1/mileage/csv?${items}`, download: `${file}.csv` }, words.act.csv),
              h('a.button', { href: `/api/v1/mileage?${items}`, download: `${file}.json` }, words.act.json),
              h(
                'button.button',
                { type: 'button', dataset: { key: 'print' }, on: { click: () => window.print() } },
                text.print,
              ),
            ]
          : []),
      ];
      const page = (/** @type {Child[]} */ ...parts) =>
        h('div.page.mileage', null, head(text.title(year), sentence(log), tools), vehicleFilter(vehicle), ...parts);
      if (!log.total.trips)
        return page(
          h(
            'div.empty',
            null,
            h('p', null, text.none(year), !log.years.length && ` ${words.trips.appear}`),
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
const percent = (share, digits) =>
  `${new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(Math.abs(share) * 100)} %`;

/** @param {Api.Mileage} log */
const sentence = ({ total }) =>
  total.trips
    ? [
        words.trips.summary(total.trips, distance(total.total_m)),
        total.unclassified_m > 0 && ` ${text.undecided(distance(total.unclassified_m))}`,
      ]
    : null;

/**
 * @typedef {Api.Mileage['total']} Sums
 * @typedef {Api.Mileage['months'][number]} Month
 */

/** @param {Sums} total */
function figures(total) {
  const shares = [
    [distance(total.total_m), text.driven],
    [distance(total.business_m), words.trips.business.toLowerCase()],
    [distance(total.private_m), words.trips.private.toLowerCase()],
    [total.total_m > 0 ? percent(total.business_m / total.total_m, 0) : '–', text.share],
  ];
  return h(
    'dl.figures',
    null,
    shares.map(([value, label]) => h('div', null, h('dt', null, label), h('dd', null, value))),
  );
}

const COLUMNS = () => {
  const [unit] = lengthUnit();
  return [
    text.month,
    text.trips,
    `${text.sum} (${unit})`,
    `${words.trips.business} (${unit})`,
    `${words.trips.private} (${unit})`,
    `${text.open} (${unit})`,
  ];
};
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
 * Business solid, private an outline, undecided dotted: so it prints in black.
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
  // One width for all, so that bars of all months have one scale.
  const wide = {
    '--longest': Math.max(...log.months.map((month) => distance(month.total_m).length)),
  };
  const label = (/** @type {Month} */ month) =>
    text.cell(nameOf(log, month.month), distance(month.total_m), distance(month.business_m), distance(month.private_m));
  return chart({
    key: `mileage-${log.year}`,
    title: text.byMonth,
    finding: text.most(nameOf(log, best.month), distance(most)),
    onSwitch: refresh,
    columns: COLUMNS(),
    rows: log.months.map((month) => [nameOf(log, month.month), ...cells(month)]),
    picture: () =>
      h(
        'div',
        { set: wide },
        h(
          'div.month-head',
          { 'aria-hidden': 'true' },
          h('span.num', null, text.driven),
          h('span.num.wide', null, words.trips.business.toLowerCase()),
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
            ['business', words.trips.business],
            ['private', words.trips.private],
            ['open', text.open],
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
    h('div.section-head', null, h('h2', null, text.byVehicle)),
    table(
      text.byVehicle,
      [text.vehicle, ...COLUMNS().slice(1)],
      log.vehicles.map((one) => [one.vehicle_id ? one.name : text.noVehicle, ...cells(one)]),
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
    text.logReading,
  );
  return h(
    'section',
    null,
    h('div.section-head', null, h('h2', null, text.odometer), logReading),
    h(
      'ul.rows',
      null,
      log.odometers.map((one) => {
        const { whole, stretches, name } = one;
        if (!whole)
          return h(
            'li',
            null,
            h('div.plain-row', null, h('span.what', null, h('b', null, name), ` ${text.noReadings}`)),
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
              text.says(
                distance(whole.to.odometer_m),
                day(whole.to),
                distance(whole.driven_m),
                distance(whole.trips_m),
                percent(whole.deviation, 1),
              ),
            ),
            (whole.warning || off.length > 0) &&
              h('p.warned', null, whole.warning && h('b', null, `${text.warning} `), text.warningWords),
            off.length > 0 &&
              h(
                'ul',
                null,
                off.map((stretch) =>
                  h(
                    'li.small',
                    null,
                    `${day(stretch.from)} – ${day(stretch.to)}: `,
                    (stretch.deviation > 0 ? text.missing : text.tooMany)(
                      distance(Math.abs(stretch.driven_m - stretch.trips_m)),
                      percent(stretch.deviation, 1),
                    ),
                    ' ',
                    h(
                      'a.link.no-print',
                      { href: `/trips?month=${dateHere(new Date(stretch.from.date)).slice(0, 7)}` },
                      text.look,
                    ),
                  ),
                ),
              ),
            one.ignored > 0 && h('p.small.quiet', null, text.ignored(one.ignored)),
          ),
        );
      }),
    ),
  );
}

/**
 * One line a trip.
 * @param {Api.Mileage} log
 */
function rows(log) {
  const [unit] = lengthUnit();
  const kind = (/** @type {Api.Mileage['rows'][number]} */ row) =>
    row.category
      ? (words.trips[/** @type {'business'} */ (row.category)] ?? row.category)
      : h('a', { href: `/trips/${encodeURIComponent(row.id)}` }, words.trips.toDecide);
  const isSeveral = log.vehicles.length > 1 && !log.vehicle_id;
  return [
    h('div.section-head', null, h('h2', null, text.log)),
    h(
      'div.trip-table',
      null,
      table(
        text.log,
        [
          text.date,
          words.trips.from,
          words.trips.to,
          unit,
          words.trips.kind,
          text.rule,
          ...(isSeveral ? [text.vehicle] : []),
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
 * What a printed log begins with.
 * @param {Api.Mileage} log
 * @param {string} vehicle
 */
function form(log, vehicle) {
  const name = vehicles().find((one) => one.id === vehicle)?.name ?? text.all;
  return h(
    'dl.form.print-only',
    null,
    [
      [text.person, session.person.name],
      [text.vehicle, name],
      [text.period, text.wholeYear(log.year)],
      [text.printed, wholeDate(today())],
    ].map(([label, value]) => h('div', null, h('dt', null, label), h('dd', null, value))),
  );
}

const signatures = () =>
  h(
    'div.signatures.print-only',
    null,
    [text.place, text.signature].map((word) => h('p', null, word)),
  );
