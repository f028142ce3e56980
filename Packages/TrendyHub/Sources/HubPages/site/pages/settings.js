import { h } from '../parts/dom.js';
import { definePage, head } from '../parts/pagehead.js';
import { choice, field, textField, toggle, zoneField } from '../parts/field.js';
import { toast } from '../parts/toast.js';
import { showKeys, areSingleKeysOn } from '../parts/shortcuts.js';
import { bytes } from '../parts/eventtext.js';
import { ask, Refused, Unreachable } from '../data/api.js';
import { browserZone, today } from '../data/days.js';
import { refusesToPersist } from '../data/storage.js';
import { keepSession, ownSetting, setOwnSetting } from '../data/preferences.js';
import { read, session, set, settings as values } from '../data/record.js';
import { command } from './pair.js';
import { count, some, words } from '../texts.js';

/** Durations of a stop that ends a trip. */
const STOPS = ['5m', '10m', '15m'];
const DAYS = ['monday', 'sunday', 'saturday'];

/**
 * Each change is saved at once.
 * @returns {import('../app.js').Page}
 */
export const settings = () =>
  definePage({
    title: words.nav.settings,
    load: () =>
      read('/me/storage').then(
        ({ answer }) => answer,
        () => null,
      ),
    draw(room) {
      const now = values();
      const save = (/** @type {string} */ key) => async (/** @type {unknown} */ value) => {
        await set(key, value || null);
        toast(words.toast.saved);
      };
      const startInput = /** @type {HTMLInputElement} */ (
        h('input.input', {
          type: 'time',
          value: (now.day_starts_at ?? '00:00').padStart(5, '0'),
          dataset: { key: 'day-start' },
        })
      );
      startInput.addEventListener('change', () => save('day_starts_at')(startInput.value));
      const theme = ownSetting('theme') ?? 'system';
      const setTheme = (/** @type {string} */ value) => {
        setOwnSetting('theme', value === 'system' ? null : value);
        if (value === 'system') delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = value;
      };
      const group = (/** @type {string} */ title, /** @type {(Node | false)[]} */ fields, note = '') =>
        h(
          'section',
          null,
          h('div.section-head', null, h('h2', null, title), note && h('span.small.quiet', null, note)),
          h('div.group', null, fields),
        );
      const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' });
      const dayName = (/** @type {string} */ day) =>
        weekday.format(new Date(Date.UTC(2024, 0, { monday: 1, sunday: 7, saturday: 6 }[day] ?? 1)));
      const weekStart = now.week_starts_on ?? 'monday';
      return h(
        'div.page',
        null,
        head(words.nav.settings, null),
        h(
          'div.settings',
          null,
          group(words.settings.you, [nameField(), zoneChoice(String(now.time_zone ?? ''), save('time_zone'))]),
          group(
            words.settings.days,
            [
              field(words.settings.dayStart, startInput, startInput, () => startInput.value, words.settings.dayHint)
                .element,
              choice(
                words.settings.weekStart,
                (DAYS.includes(weekStart) ? DAYS : [...DAYS, weekStart]).map((day) => [
                  day,
                  DAYS.includes(day) ? dayName(day) : day,
                ]),
                weekStart,
                save('week_starts_on'),
              ).element,
            ],
            words.settings.all,
          ),
          group(
            words.settings.units,
            [
              choice(
                words.settings.lengths,
                [
                  ['metric', 'km'],
                  ['imperial', 'mi'],
                ],
                now.units ?? 'metric',
                save('units'),
              ).element,
              choice(
                words.settings.clock,
                [
                  ['', words.settings.byLocale],
                  ['24', '20:30'],
                  ['12', '8:30 pm'],
                ],
                String(now.hours ?? ''),
                save('hours'),
              ).element,
            ],
            words.settings.all,
          ),
          group(
            words.nav.trips,
            [
              h(
                'div',
                null,
                choice(
                  words.settings.stop,
                  STOPS.map((minutes) => [minutes, words.settings.minutes(parseInt(minutes))]),
                  STOPS.includes(now['trips.stop']) ? now['trips.stop'] : '5m',
                  save('trips.stop'),
                ).element,
                h('p.small.quiet.why-note', null, words.settings.stopHint),
              ),
            ],
            words.settings.all,
          ),
          group(
            words.settings.look,
            [
              choice(
                words.settings.theme,
                [
                  ['system', words.settings.system],
                  ['light', words.settings.light],
                  ['dark', words.settings.dark],
                ],
                theme,
                setTheme,
              ).element,
              toggle(words.settings.keys, areSingleKeysOn(), words.settings.keysHint, (isOn) =>
                setOwnSetting('keys', isOn ? 'on' : 'off'),
              ).element,
              h('div', null, h('button.button', { type: 'button', on: { click: showKeys } }, words.keys.title)),
            ],
            words.settings.browser,
          ),
          group(words.settings.map, [
            h('p', null, session.tiles ? words.settings.tiles(session.tiles.credit) : words.settings.noTiles),
            !session.tiles && command('trendyd hub init --tiles /srv/tiles'),
          ]),
          group(words.settings.hub, [
            h(
              'dl.keys',
              null,
              [
                [words.settings.browser, session.device.name],
                [words.settings.hub, `${session.hub}, ${location.host}`],
                ...(room
                  ? [
                      [
                        words.settings.entries,
                        [
                          some(room.rows, 'record'),
                          room.quota_rows !== null && words.settings.ofMost(count(room.quota_rows)),
                        ]
                          .filter(Boolean)
                          .join(' '),
                      ],
                      [
                        words.settings.content,
                        [bytes(room.bytes), room.quota_bytes !== null && words.settings.ofMost(bytes(room.quota_bytes))]
                          .filter(Boolean)
                          .join(' '),
                      ],
                      ...(room.stored_bytes === null ? [] : [[words.settings.disk, bytes(room.stored_bytes)]]),
                    ]
                  : []),
              ].map(([name, value]) => [h('dt', null, name), h('dd', null, value)]),
            ),
            refusesToPersist() && h('p.problem', null, words.settings.notPersistent),
          ]),
        ),
      );
    },
  });

/**
 * The zone of all days and times on these pages.
 * @param {string} value
 * @param {(name: string) => Promise<void>} save
 */
function zoneChoice(value, save) {
  const of = zoneField(
    words.settings.zone,
    value,
    [['', words.settings.zoneHere(browserZone())]],
    'time-zone',
    async (name) => {
      try {
        // One that the hub cannot count days in would leave all pages without them.
        if (name) await ask('GET', `/events/days?from=${today()}&to=${today()}&zone=${encodeURIComponent(name)}`);
        of.wrong(null);
        await save(name);
      } catch (error) {
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
        of.wrong(error instanceof Unreachable ? words.trips.needsHub : error.message);
      }
    },
    words.settings.zoneHint,
  );
  return of.element;
}

/** The person's name, which the hub keeps outside of the record. */
function nameField() {
  const name = textField(words.settings.name, session.person.name, { maxlength: 100, dataset: { key: 'person-name' } });
  const call = async (/** @type {string} */ text) => {
    const before = session.person.name;
    try {
      session.person.name = (await ask('PATCH', '/me', { name: text })).name;
      keepSession(session);
      /** @type {HTMLInputElement} */ (name.input).value = session.person.name;
      name.wrong(null);
      toast(words.settings.renamed(session.person.name), false);
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
      name.wrong(error instanceof Unreachable ? words.trips.needsHub : error.message);
      session.person.name = before;
    }
  };
  name.input.addEventListener('change', () => {
    if (!name.read()) name.wrong(words.form.required);
    else if (name.read() !== session.person.name) call(name.read());
    else name.wrong(null);
  });
  return name.element;
}
