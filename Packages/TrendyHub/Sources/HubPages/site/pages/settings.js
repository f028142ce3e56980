import { h } from '../parts/dom.js';
import { definePage, head } from '../parts/pagehead.js';
import { choice, field, textField, toggle, zoneField } from '../parts/field.js';
import { toast } from '../parts/toast.js';
import { showKeys, areSingleKeysOn } from '../parts/shortcuts.js';
import { bytes } from '../parts/eventtext.js';
import { ask, Refused, Unreachable } from '../data/api.js';
import { browserZone, today, weekdayName } from '../data/days.js';
import { refusesToPersist } from '../data/storage.js';
import { storeSession, preference, setPreference } from '../data/preferences.js';
import { read, session, set, settings as values } from '../data/record.js';
import { command } from './pair.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/** Choices for the duration of a stop that ends a trip. */
const STOPS = ['5m', '10m', '15m'];
const DAYS = ['monday', 'sunday', 'saturday'];

/**
 * Settings page. Each change is saved immediately.
 * @returns {import('../app.js').Page}
 */
export const settings = () =>
  definePage({
    title: texts.nav.settings,
    load: () =>
      read('/me/storage').then(
        ({ answer }) => answer,
        () => null,
      ),
    draw(room) {
      const now = values();
      const save = (/** @type {string} */ key) => async (/** @type {unknown} */ value) => {
        await set(key, value || null);
        toast(texts.toast.saved);
      };
      const startInput = /** @type {HTMLInputElement} */ (
        h('input.input', {
          type: 'time',
          value: (now.day_starts_at ?? '00:00').padStart(5, '0'),
          dataset: { key: 'day-start' },
        })
      );
      startInput.addEventListener('change', () => save('day_starts_at')(startInput.value));
      const theme = preference('theme') ?? 'system';
      const setTheme = (/** @type {string} */ value) => {
        setPreference('theme', value === 'system' ? null : value);
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
      const dayName = (/** @type {string} */ day) =>
        weekdayName(`2024-01-0${{ monday: 1, sunday: 7, saturday: 6 }[day] ?? 1}`, 'long');
      const weekStart = now.week_starts_on ?? 'monday';
      return h(
        'div.page',
        null,
        head(texts.nav.settings, null),
        h(
          'div.settings',
          null,
          group(texts.settings.profile, [nameField(), zoneChoice(String(now.time_zone ?? ''), save('time_zone'))]),
          group(
            texts.settings.days,
            [
              field(texts.settings.dayStart, startInput, startInput, () => startInput.value, texts.settings.dayHint)
                .element,
              choice(
                texts.settings.weekStart,
                (DAYS.includes(weekStart) ? DAYS : [...DAYS, weekStart]).map((day) => [
                  day,
                  DAYS.includes(day) ? dayName(day) : day,
                ]),
                weekStart,
                save('week_starts_on'),
              ).element,
            ],
            texts.settings.everywhere,
          ),
          group(
            texts.settings.units,
            [
              choice(
                texts.settings.distances,
                [
                  ['metric', texts.units.kilometres],
                  ['imperial', texts.units.miles],
                ],
                now.units ?? 'metric',
                save('units'),
              ).element,
              choice(
                texts.settings.clock,
                [
                  ['', texts.settings.byLocale],
                  ['24', texts.settings.clock24],
                  ['12', texts.settings.clock12],
                ],
                String(now.hours ?? ''),
                save('hours'),
              ).element,
            ],
            texts.settings.everywhere,
          ),
          group(
            texts.nav.trips,
            [
              h(
                'div',
                null,
                choice(
                  texts.settings.stop,
                  STOPS.map((minutes) => [minutes, texts.units.minutes(parseInt(minutes))]),
                  STOPS.includes(now['trips.stop']) ? now['trips.stop'] : '5m',
                  save('trips.stop'),
                ).element,
                h('p.small.quiet.why-note', null, texts.settings.stopHint),
              ),
            ],
            texts.settings.everywhere,
          ),
          group(
            texts.settings.display,
            [
              choice(
                texts.settings.theme,
                [
                  ['system', texts.settings.system],
                  ['light', texts.settings.light],
                  ['dark', texts.settings.dark],
                ],
                theme,
                setTheme,
              ).element,
              toggle(texts.settings.keys, areSingleKeysOn(), texts.settings.keysHint, (isOn) =>
                setPreference('keys', isOn ? 'on' : 'off'),
              ).element,
              h('div', null, h('button.button', { type: 'button', on: { click: showKeys } }, texts.settings.showKeys)),
            ],
            texts.settings.browser,
          ),
          group(texts.settings.map, [
            h('p', null, session.tiles ? texts.settings.tiles(session.tiles.credit) : texts.settings.noTiles),
            !session.tiles && command('trendyd hub init --tiles /srv/tiles'),
          ]),
          group(texts.settings.hub, [
            h(
              'dl.keys',
              null,
              [
                [texts.settings.browser, session.device.name],
                [texts.settings.hub, texts.settings.hubAt(session.hub, location.host)],
                ...(room
                  ? [
                      [
                        texts.settings.stored,
                        ofLimit(
                          texts.units.records(room.rows),
                          room.quota_rows === null ? null : count(room.quota_rows),
                        ),
                      ],
                      [
                        texts.settings.size,
                        ofLimit(bytes(room.bytes), room.quota_bytes === null ? null : bytes(room.quota_bytes)),
                      ],
                      ...(room.stored_bytes === null ? [] : [[texts.settings.disk, bytes(room.stored_bytes)]]),
                    ]
                  : []),
              ].map(([name, value]) => [h('dt', null, name), h('dd', null, value)]),
            ),
            refusesToPersist() && h('p.problem', null, texts.settings.notPersistent),
          ]),
        ),
      );
    },
  });

/**
 * @param {string} used
 * @param {string | null} limit
 */
const ofLimit = (used, limit) => (limit === null ? used : texts.settings.ofLimit(used, limit));

/**
 * @param {string} value
 * @param {(name: string) => Promise<void>} save
 */
function zoneChoice(value, save) {
  const of = zoneField(
    texts.settings.zone,
    value,
    [['', texts.settings.zoneHere(browserZone())]],
    'time-zone',
    async (name) => {
      try {
        // Verify that the hub supports the zone. Otherwise no page could show days.
        if (name) await ask('GET', `/events/days?from=${today()}&to=${today()}&zone=${encodeURIComponent(name)}`);
        of.wrong(null);
        await save(name);
      } catch (error) {
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
        of.wrong(error instanceof Unreachable ? texts.trips.needsHub : error.message);
      }
    },
    texts.settings.zoneHint,
  );
  return of.element;
}

/** Returns the field for the user's name, which the hub stores outside the record. */
function nameField() {
  const name = textField(texts.settings.name, session.person.name, { maxlength: 100, dataset: { key: 'person-name' } });
  const call = async (/** @type {string} */ text) => {
    const before = session.person.name;
    try {
      session.person.name = (await ask('PATCH', '/me', { name: text })).name;
      storeSession(session);
      /** @type {HTMLInputElement} */ (name.input).value = session.person.name;
      name.wrong(null);
      toast(texts.settings.renamed(session.person.name), false);
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
      name.wrong(error instanceof Unreachable ? texts.trips.needsHub : error.message);
      session.person.name = before;
    }
  };
  name.input.addEventListener('change', () => {
    if (!name.read()) name.wrong(texts.form.required);
    else if (name.read() !== session.person.name) call(name.read());
    else name.wrong(null);
  });
  return name.element;
}
