// Sheet to create or edit a type, with name, colour, icon, goal and properties.

import { actionForm, h } from './dom.js';
import { CHOICES, disc, glyph, suggested } from './glyph.js';
import { PALETTE, tint } from './colour.js';
import { choice, field, parseNumber, textField, uniqueId } from './field.js';
import { openSheet, sheetHead, submit } from './sheet.js';
import { toast } from './toast.js';
import { asOneStep } from '../data/undo.js';
import { change, create, definitions, remove, types } from '../data/record.js';
import { newId } from '../data/api.js';
import { goalOf } from './goal.js';
import { canMerge, confirmDelete, openMergeType } from './typeactions.js';
import { texts } from '../texts.js';

/** Returns the next unused palette colour. */
function nextColour() {
  const used = new Set(types().map((type) => type.color.toLowerCase()));
  return (PALETTE.find((entry) => !used.has(entry.mark)) ?? PALETTE[types().length % PALETTE.length]).mark;
}

/**
 * @param {Api.EventType | null} type `null` for a new type
 * @param {string} [name] name of a new type
 */
export function openType(type, name = '') {
  const title = type ? texts.type.edit : texts.type.newType;
  openSheet(title, (sheet, close) => {
    let color = type?.color ?? nextColour();
    let icon = type?.icon ?? '';
    const preview = h('span');
    const nameField = textField(texts.type.name, type?.name ?? name, { maxlength: 200, required: true });
    const draw = () =>
      preview.replaceChildren(
        disc({ name: nameField.read() || '·', color, icon: icon || suggested(nameField.read()) || '' }, 32),
      );
    nameField.input.addEventListener('input', draw);
    const colourName = uniqueId();
    const own = /** @type {HTMLInputElement} */ (
      h('input.input', {
        type: 'color',
        value: /^#[0-9a-f]{6}$/i.test(color) ? color : '#747985',
        'aria-label': texts.type.ownColour,
        on: {
          input: () => {
            color = own.value;
            draw();
          },
        },
      })
    );
    const swatches = h(
      'div.swatches',
      { role: 'radiogroup', 'aria-label': texts.type.colour },
      PALETTE.map((entry) =>
        h(
          'label',
          null,
          h('input', {
            type: 'radio',
            name: colourName,
            checked: entry.mark === color.toLowerCase(),
            on: {
              change: () => {
                color = entry.mark;
                own.value = color;
                draw();
              },
            },
          }),
          h('span.swatch', { set: tint(entry.mark) }),
          texts.type.colours[/** @type {'clay'} */ (entry.name)],
        ),
      ),
    );
    const glyphName = uniqueId();
    const sign = /** @type {HTMLInputElement} */ (
      h('input.input', {
        type: 'text',
        maxlength: 8,
        value: CHOICES.includes(icon) ? '' : icon,
        placeholder: texts.type.ownIcon,
        'aria-label': texts.type.ownIcon,
        on: {
          input: () => {
            icon = sign.value.trim();
            for (const other of glyphs.querySelectorAll('input')) other.checked = false;
            draw();
          },
        },
      })
    );
    const glyphs = h(
      'div.glyphs',
      { role: 'radiogroup', 'aria-label': texts.type.icon },
      CHOICES.map((choiceName) =>
        h(
          'label',
          null,
          h('input', {
            type: 'radio',
            name: glyphName,
            'aria-label': texts.type.icons[/** @type {'cup'} */ (choiceName)],
            checked: choiceName === icon,
            on: {
              change: () => {
                icon = choiceName;
                sign.value = '';
                draw();
              },
            },
          }),
          glyph(choiceName),
        ),
      ),
    );
    const properties = propertyList(type);
    const goal = goalFields(type);
    const id = type?.id ?? newId();
    draw();
    const save = async () => {
      nameField.wrong(null);
      const text = nameField.read();
      if (!text) {
        nameField.wrong(texts.form.required);
        return nameField.input.focus();
      }
      if (!properties.check() || !goal.check()) return;
      const values = { name: text, color, icon: icon || suggested(text) || [...text][0] };
      const target = goal.read();
      const saved = () =>
        asOneStep(texts.toast.saved, async () => {
          if (!type) {
            await create('event-types', { id, ...values, ...(target ? { goal: target } : {}) }, '');
          } else if (
            target !== undefined ||
            values.name !== type.name ||
            values.color !== type.color ||
            values.icon !== type.icon
          ) {
            await change('event-types', type, { ...values, ...(target !== undefined ? { goal: target } : {}) }, '');
          }
          await properties.save(id);
        });
      if (await submit(sheet, close, saved)) toast(texts.toast.saved);
    };
    const form = actionForm(
      save,
      sheetHead(title, close, preview),
      nameField.element,
      h(
        'div.field',
        null,
        h('span.label', null, texts.type.colour),
        swatches,
        h('div.pair', null, h('span.small.quiet', null, texts.type.ownColour), own),
      ),
      h('div.field', null, h('span.label', null, texts.type.icon), glyphs, sign),
      goal.element,
      properties.element,
      h(
        'footer',
        null,
        h('button.button.primary', { type: 'submit' }, texts.act.save),
        h('span.space'),
        type &&
          canMerge(type) &&
          h(
            'button.button.plain',
            {
              type: 'button',
              on: {
                click: () => {
                  close();
                  openMergeType(type);
                },
              },
            },
            texts.type.merge,
          ),
        type &&
          h(
            'button.button.plain.red',
            {
              type: 'button',
              on: {
                click: () => {
                  close();
                  confirmDelete(type);
                },
              },
            },
            texts.type.deleteType,
          ),
      ),
    );
    if (!type) queueMicrotask(() => nameField.input.focus());
    return form;
  });
}

/**
 * @param {Api.EventType | null} type
 */
function goalFields(type) {
  const old = type ? goalOf(type) : null;
  const isMinutes = old?.measure === 'duration';
  const amount = textField(texts.goal.goal, old ? String(isMinutes ? old.amount / 60 : old.amount) : '', {
    inputmode: 'numeric',
    placeholder: texts.goal.none,
  });
  const bound = choice(
    texts.goal.bound,
    [
      ['at_least', texts.goal.atLeast],
      ['at_most', texts.goal.atMost],
    ],
    old?.bound ?? 'at_least',
  );
  const measure = choice(
    texts.goal.measure,
    [
      ['count', texts.goal.times],
      ['duration', texts.goal.minutes],
    ],
    old?.measure ?? 'count',
  );
  const period = choice(
    texts.goal.period,
    [
      ['day', texts.goal.perDay],
      ['week', texts.goal.perWeek],
    ],
    old?.period ?? 'day',
  );
  const value = () => {
    if (!amount.read()) return null;
    const n = parseNumber(amount.read()) * (measure.read() === 'duration' ? 60 : 1);
    if (!(Number.isInteger(n) && n >= 0 && n <= 1_000_000)) throw texts.goal.invalid;
    return { amount: n, bound: bound.read(), measure: measure.read(), period: period.read() };
  };
  return {
    element: h(
      'div.field',
      null,
      h('span.label', null, texts.goal.goal),
      h('div.side-by-side', null, amount.element, bound.element, measure.element, period.element),
    ),
    check() {
      amount.wrong(null);
      try {
        value();
        return true;
      } catch (text) {
        amount.wrong(String(text));
        amount.input.focus();
        return false;
      }
    },
    /**
     * Returns the goal, `null` for none, or `undefined` if unchanged. A goal of an unknown kind is hidden and stays
     * unchanged.
     */
    read() {
      const now = value();
      if (!now && !old) return undefined;
      if (
        now &&
        old &&
        ['amount', 'bound', 'measure', 'period'].every(
          (name) => old[/** @type {'amount'} */ (name)] === now[/** @type {'amount'} */ (name)],
        )
      )
        return undefined;
      return now && { ...old, ...now };
    },
  };
}

/** @param {Api.PropertyDefinition | null} definition */
const choicesText = (definition) => definition?.options?.join(', ') ?? '';

/**
 * Returns a type's property list, with fields to edit and add properties.
 * @param {Api.EventType | null} type
 */
function propertyList(type) {
  const old = type ? definitions(type.id) : [];
  /** @type {Set<string>} */
  const removed = new Set();
  /**
   * @typedef {{id: string, label: import('./field.js').Field, kind: () => string, options: import('./field.js').Field}}
   *   Fields of one property
   */
  /** @type {Fields[]} */
  const added = [];
  /** @type {Map<string, Fields>} */
  const mended = new Map();
  const list = h('div.field');
  const empty = h('p.small.quiet', null, texts.type.noProperties);
  const draw = () => {
    empty.hidden = old.length - removed.size + added.length > 0;
  };
  /**
   * @param {Api.PropertyDefinition | null} definition `null` for a new property
   * @returns {Fields & {box: HTMLElement}}
   */
  const fields = (definition) => {
    const label = textField(texts.type.label, definition?.label ?? '', { maxlength: 200 });
    const kindInput = /** @type {HTMLSelectElement} */ (
      h(
        'select.input',
        null,
        Object.entries(texts.type.kinds).map(([kind, text]) => h('option', { value: kind }, text)),
      )
    );
    const kind = field(texts.type.kind, kindInput, kindInput, () => kindInput.value);
    // The kind of an existing property cannot be changed.
    const kindOf = () => definition?.property_type ?? kindInput.value;
    const options = textField(texts.type.options, choicesText(definition));
    const unit = h('p.hint', null, texts.type.unitHint);
    const show = () => {
      options.element.hidden = kindOf() !== 'select';
      unit.hidden = kindOf() !== 'number';
    };
    show();
    kindInput.addEventListener('change', show);
    return {
      id: definition?.id ?? newId(),
      label,
      kind: kindOf,
      options,
      box: h(
        'div.field',
        null,
        definition ? label.element : h('div.pair', null, label.element, kind.element),
        options.element,
        unit,
      ),
    };
  };
  for (const definition of old) {
    const row = h(
      'div.plain-row',
      null,
      h(
        'span.what',
        null,
        definition.label,
        ' ',
        h(
          'span.quiet',
          null,
          texts.type.kinds[/** @type {'text'} */ (definition.property_type)] ?? definition.property_type,
        ),
      ),
      h(
        'button.button.square.plain',
        {
          type: 'button',
          'aria-label': texts.act.on(texts.act.edit, definition.label),
          on: {
            click: () => {
              const { box, ...of } = fields(definition);
              mended.set(definition.id, of);
              row.replaceWith(box);
              of.label.input.focus();
            },
          },
        },
        glyph('pencil'),
      ),
      h(
        'button.button.square.plain',
        {
          type: 'button',
          'aria-label': texts.act.on(texts.act.remove, definition.label),
          on: {
            click: () => {
              removed.add(definition.id);
              row.remove();
              list.dispatchEvent(new Event('input', { bubbles: true }));
              draw();
            },
          },
        },
        glyph('trash'),
      ),
    );
    list.append(row);
  }
  const add = () => {
    const { box, ...of } = fields(null);
    added.push(of);
    list.append(box);
    of.label.input.focus();
    draw();
  };
  /**
   * @param {Fields} of
   * @returns {string[]}
   */
  const choicesOf = (of) =>
    of.options
      .read()
      .split(',')
      .map((/** @type {string} */ part) => part.trim())
      .filter(Boolean);
  draw();
  return {
    element: h(
      'div.field',
      null,
      h('span.label', null, texts.type.properties),
      empty,
      list,
      h(
        'div',
        null,
        h('button.button', { type: 'button', on: { click: add } }, glyph('plus', '.s16'), texts.type.addProperty),
      ),
    ),
    check() {
      for (const each of [...mended.values(), ...added]) {
        each.label.wrong(null);
        each.options.wrong(null);
        if (!each.label.read() && !added.includes(each)) {
          each.label.wrong(texts.form.required);
          each.label.input.focus();
          return false;
        }
        if (each.kind() === 'select' && each.label.read() && !choicesOf(each).length) {
          each.options.wrong(texts.form.required);
          each.options.input.focus();
          return false;
        }
      }
      return true;
    },
    /** @param {string} typeId */
    async save(typeId) {
      for (const definition of old)
        if (removed.has(definition.id)) await remove('property-definitions', definition, texts.toast.saved);
      for (const [id, of] of mended) {
        const definition = /** @type {Api.PropertyDefinition} */ (old.find((one) => one.id === id));
        const label = of.label.read();
        const patch = {
          ...(label !== definition.label ? { label } : {}),
          ...(of.kind() === 'select' && of.options.read() !== choicesText(definition)
            ? { options: choicesOf(of) }
            : {}),
        };
        if (Object.keys(patch).length) await change('property-definitions', definition, patch, texts.toast.saved);
      }
      const keys = new Set(old.map((definition) => definition.key));
      let order = Math.max(0, ...old.map((definition) => definition.display_order ?? 0));
      for (const each of added) {
        const text = each.label.read();
        if (!text) continue;
        const stem =
          text
            .toLowerCase()
            .normalize('NFKD')
            .replace(/[^\p{L}\p{N}]+/gu, '_')
            .replace(/^_|_$/g, '') || 'value';
        let key = stem;
        for (let n = 2; keys.has(key); n++) key = `${stem}_${n}`;
        keys.add(key);
        await create(
          'property-definitions',
          {
            id: each.id,
            event_type_id: typeId,
            key,
            label: text,
            property_type: each.kind(),
            display_order: ++order,
            ...(each.kind() === 'select' ? { options: choicesOf(each) } : {}),
          },
          texts.toast.saved,
        );
      }
    },
  };
}
