// Sheet for skipped days, such as holidays or illness. Skipped days do not break streaks and are hatched in charts.

import { actionForm, h } from './dom.js';
import { disc } from './glyph.js';
import { field, textField } from './field.js';
import { openSheet, sheetHead, submit } from './sheet.js';
import { toast } from './toast.js';
import { newId } from '../data/api.js';
import { asOneStep } from '../data/undo.js';
import { create, isOwnType, remove, skips, typeOf, types } from '../data/record.js';
import { dayAndMonth, isDate, today } from '../data/days.js';
import { texts } from '../texts.js';

/** @param {Api.EventType[]} chosen types that are initially selected */
export function openSkipSheet(chosen) {
  openSheet(texts.skips.title, (sheet, close) => {
    const dateField = (/** @type {string} */ label) => {
      const input = /** @type {HTMLInputElement} */ (h('input.input', { type: 'date', value: today() }));
      return field(label, input, input, () => input.value);
    };
    const [from, to] = [dateField(texts.skips.from), dateField(texts.skips.to)];
    const note = textField(texts.skips.reason, '', { maxlength: 1000, placeholder: texts.skips.reasonExample });
    const boxes = types()
      .filter((type) => !isOwnType(type))
      .map((type) => ({
        type,
        id: newId(),
        input: /** @type {HTMLInputElement} */ (
          h('input', { type: 'checkbox', checked: chosen.some((other) => other.id === type.id) })
        ),
      }));
    const wrong = h('p.wrong', { role: 'alert', hidden: true });
    const save = async () => {
      const [first, last] = [from.read(), to.read()];
      const picked = boxes.filter(({ input }) => input.checked).map(({ type, id }) => ({ type, id }));
      const problem =
        !isDate(first) || !isDate(last)
          ? texts.form.badTime
          : last < first
            ? texts.form.endBefore
            : picked.length
              ? ''
              : texts.skips.noTypes;
      wrong.textContent = problem;
      wrong.hidden = !problem;
      if (problem) return;
      const span = {
        from: first,
        to: last,
        ...(note.read() ? { note: note.read() } : {}),
      };
      const made = () =>
        asOneStep(texts.skips.title, async () => {
          for (const { type, id } of picked) await create('skips', { id, event_type_id: type.id, ...span }, '');
        });
      if (await submit(sheet, close, made)) toast(texts.toast.saved);
    };
    return actionForm(
      save,
      sheetHead(texts.skips.title, close),
      h('p.quiet', null, texts.skips.hint),
      h('div.pair', null, from.element, to.element),
      h(
        'fieldset.field',
        null,
        h('legend.label', null, texts.skips.types),
        h(
          'div.templates',
          null,
          boxes.map(({ type, input }) => h('label', null, disc(type, 22), h('span.cut', null, type.name), input)),
        ),
      ),
      note.element,
      wrong,
      h('footer', null, h('button.button.primary', { type: 'submit' }, texts.act.save)),
      known(close),
    );
  });
}

/**
 * Returns the existing skipped days, latest first.
 * @param {() => void} close
 */
function known(close) {
  const list = [...skips()].sort((a, b) => (a.from < b.from ? 1 : -1)).slice(0, 20);
  if (!list.length) return null;
  const take = async (/** @type {Api.Skip} */ skip) => {
    await remove('skips', skip, texts.toast.deleted);
    close();
    toast(texts.toast.deleted);
  };
  return h(
    'section',
    null,
    h('h3', null, texts.skips.earlier),
    h(
      'ul.rows',
      null,
      list.map((skip) => {
        const { from: first, to: last } = skip;
        const type = typeOf(skip.event_type_id);
        const year = first.slice(0, 4) === today().slice(0, 4) ? '' : ` ${first.slice(0, 4)}`;
        const when = `${first === last ? dayAndMonth(first) : `${dayAndMonth(first)} – ${dayAndMonth(last)}`}${year}`;
        return h(
          'li',
          null,
          h(
            'div.plain-row',
            null,
            disc(type, 28),
            h(
              'span.what',
              null,
              h('b', null, type.name),
              h('div.small.quiet', null, [when, skip.note].filter(Boolean).join(', ')),
            ),
            h(
              'button.button',
              {
                type: 'button',
                'aria-label': texts.act.on(texts.act.remove, `${type.name} ${when}`),
                on: { click: () => take(skip) },
              },
              texts.act.remove,
            ),
          ),
        );
      }),
    ),
  );
}
