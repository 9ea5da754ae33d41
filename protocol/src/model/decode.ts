import {
  type AttributeSpec,
  type BlockSpec,
  type BodyOrigin,
  type Origin,
  origin,
  type Values,
  withAnyWords,
  withWords,
} from '../schema/index.ts';
import type { Expression } from '../syntax/index.ts';
import { closest } from '../text/index.ts';
import { type AskedConnector, askedConnector, refuseWord, takeWords } from './asked-connector.ts';
import { type BodyToDecode, nameOf } from './body.ts';
import { checkBodyRules } from './body-rules.ts';
import type { DecodeContext } from './decode-context.ts';
import { attributeAsBlock, blockAsAttribute, isBlockForm, isFreeField } from './forms.ts';
import {
  isAttribute,
  isBlock,
  itemsOf,
  labelledByWord,
  overlay,
  place,
  type SourcedAttribute,
  type SourcedBlock,
  type SourcedItem,
} from './items.ts';
import { type Report, withoutMissing } from './report.ts';
import { valueContext } from './value-context.ts';
import { decodeValue, referencesIn } from './values.ts';

/** Decodes a body by its spec. Problems are reported; what could not be decoded is absent or has its default. */
export function decodeBody<S extends BlockSpec>(body: BodyToDecode, written: S, context: DecodeContext): Values<S> {
  const items = withDefinition(body, written, context);
  const asked = askedConnector(items, written, context);
  const spec =
    asked === undefined
      ? written
      : asked.isUnknown
        ? withAnyWords(written, asked.specs)
        : withWords(written, asked.specs);
  const parts = new Map<string, Origin>();
  const unset = new Map<string, string>();
  const values: Record<PropertyKey, unknown> = {};
  const bodyOrigin: BodyOrigin = { ...body.origin, parts };
  values[origin] = bodyOrigin;
  if (body.label !== undefined) values['label'] = body.label;
  if (body.over !== undefined) values['over'] = body.over;

  const sorted = sortItems(items, body, spec, asked, context);
  for (const [name, sourced] of sorted.attributes) {
    const attribute = spec.attributes[name] as AttributeSpec;
    const value = readAttribute(sourced, attribute, name, body, unset, context);
    parts.set(name, place(sourced, sourced.item.value ?? sourced.item));
    if (value !== undefined) values[name] = value;
  }
  for (const [name, blocks] of sorted.blocks) {
    const inner = spec.blocks[name] as BlockSpec;
    parts.set(name, place(blocks[0] as SourcedBlock, (blocks[0] as SourcedBlock).item.type));
    const decoded = blocks.map((sourced) =>
      decodeBlock(sourced, inner, context, sourced.definition ?? body.outer ?? body.title),
    );
    if (inner.repeated) {
      refuseEqualLabels(name, blocks, inner, context.report);
      values[name] = decoded;
    } else {
      for (const extra of blocks.slice(1)) reportSecond(name, blocks[0] as SourcedBlock, extra, context.report);
      values[name] = decoded[0];
    }
  }
  if (spec.fields)
    values['fields'] = sorted.fields.flatMap((sourced) => {
      const value = readAttribute(sourced, spec.fields as AttributeSpec, sourced.item.name.text, body, unset, context);
      const at = place(sourced, sourced.item.value ?? sourced.item);
      return value === undefined ? [] : [{ name: sourced.item.name.text, value, origin: at }];
    });
  const misread = [...parts.keys()].filter((name) => values[name] === undefined && !unset.has(name));
  complete(values, parts, unset, body, spec, context);
  checkBodyRules(values, parts, misread, body, spec, context.report);
  if (asked) values['words'] = takeWords(values, asked, spec);
  return values as Values<S>;
}

/** Decodes one block: its labels, then its body. */
export function decodeBlock(
  sourced: SourcedBlock,
  spec: BlockSpec,
  context: DecodeContext,
  outer?: string,
): Values<BlockSpec> {
  const { item } = sourced;
  const label = readLabels(sourced, spec, context);
  const title = item.labels.length > 0 ? `${item.type.text} "${item.labels[0]?.text}"` : item.type.text;
  return decodeBody(
    { items: itemsOf(sourced), title, outer, origin: place(sourced, item.type), label: label.name, over: label.over },
    spec,
    item.complete ? context : { ...context, report: withoutMissing(context.report) },
  );
}

function readLabels(sourced: SourcedBlock, spec: BlockSpec, context: DecodeContext): { name?: string; over?: unknown } {
  const { item } = sourced;
  const { labels } = item;
  const at = place(sourced, item.type);
  const word = item.type.text;
  if (spec.over) {
    const [name, keyword, list] = labels;
    if (labels.length !== 3 || keyword?.text !== 'in' || !name || !list) {
      context.report('wrong-labels', `${word} is written ${word} "name" in "expression"`, at);
      return { name: name?.text ?? '' };
    }
    const range = list.quoted ? { start: list.start + 1, end: list.end - 1 } : list;
    const source = { kind: 'cel', source: list.text, origin: place(sourced, range), escaped: false };
    return { name: name.text, over: { ...source, reads: spec.over.reads ?? [], gives: spec.over.gives } };
  }
  if (spec.label) {
    if (labels.length === 0)
      context.report('missing-label', `${word} needs a name`, at, {
        help: `Write ${word} "${spec.label.name}" { … }.`,
      });
    for (const extra of labels.slice(1))
      context.report('extra-label', `${word} has one name`, place(sourced, extra), { help: 'Remove this label.' });
    const { refersTo } = spec.label;
    const [first] = labels;
    if (refersTo !== undefined && first && first.text !== '')
      context.links.push({ refersTo, name: first.text, origin: place(sourced, first) });
    return { name: labels[0]?.text ?? '' };
  }
  for (const extra of labels)
    context.report('extra-label', `${word} has no name`, place(sourced, extra), { help: 'Remove this label.' });
  return {};
}

/** The items of a body with the definition that it names in `use` laid under them. */
function withDefinition(body: BodyToDecode, spec: BlockSpec, context: DecodeContext): readonly SourcedItem[] {
  if (!spec.reusable) return body.items;
  const word = (body.title.match(/^\w+/) as RegExpMatchArray)[0];
  const use = body.items.find((sourced) => isAttribute(sourced) && sourced.item.name.text === 'use');
  if (!use || !isAttribute(use) || !use.item.value) return body.items;
  const names = usedNames(use, word, context);
  let base: readonly SourcedItem[] = [];
  for (const { name, at } of names) {
    const definition = context.definition(word, name);
    if (definition) base = overlay(base, definition, spec);
    else {
      const known = context.definitionNames(word);
      const near = closest(name, known);
      const all =
        known.length === 0 ? `There is no ${word} "…" block at the root.` : `These exist: ${known.join(', ')}.`;
      context.report('unknown-definition', `there is no ${word} named "${name}"`, at, {
        help: near ? `Did you mean "${near}"? ${all}` : all,
      });
    }
  }
  return overlay(
    base,
    body.items.filter((sourced) => sourced !== use),
    spec,
  );
}

function usedNames(use: SourcedAttribute, word: string, context: DecodeContext): { name: string; at: Origin }[] {
  const value = use.item.value as Expression;
  const expressions = value.kind === 'list' ? value.items : [value];
  return expressions.flatMap((expression) => {
    const spec = { kind: 'reference', doc: '', required: false, secret: false, aliases: [], refersTo: word } as const;
    const name = decodeValue(expression, spec, valueContext(`use of ${word}`, use, context));
    return typeof name === 'string' ? [{ name, at: place(use, expression) }] : [];
  });
}

interface SortedItems {
  readonly attributes: ReadonlyMap<string, SourcedAttribute>;
  readonly blocks: ReadonlyMap<string, SourcedBlock[]>;
  readonly fields: readonly SourcedAttribute[];
}

/** Assigns every item to the word of the spec that it means; unknown, unavailable and doubled words are reported. */
function sortItems(
  items: readonly SourcedItem[],
  body: BodyToDecode,
  spec: BlockSpec,
  asked: AskedConnector | undefined,
  context: DecodeContext,
): SortedItems {
  const attributes = new Map<string, SourcedAttribute>();
  const blocks = new Map<string, SourcedBlock[]>();
  const fields: SourcedAttribute[] = [];
  const addBlock = (name: string, sourced: SourcedBlock) => {
    const list = blocks.get(name);
    if (list) list.push(sourced);
    else blocks.set(name, [sourced]);
  };
  for (const sourced of items) {
    if (isBlock(sourced)) {
      const word = sourced.item.type.text;
      if (spec.blocks[word] && Object.hasOwn(spec.blocks, word)) addBlock(word, sourced);
      else if (Object.hasOwn(spec.attributes, word)) addAttribute(word, blockAsAttribute(sourced), attributes, context);
      else if (spec.entries !== undefined) addBlock(spec.entries, labelledByWord(sourced));
      else if (!asked || !refuseWord(sourced, word, body, asked, context))
        reportUnknown(sourced, word, 'block', body, spec, context.report);
      continue;
    }
    if (!isAttribute(sourced)) continue;
    const written = sourced.item.name.text;
    const name = canonicalName(written, spec);
    if (name !== undefined) addAttribute(name, sourced, attributes, context);
    else if (Object.hasOwn(spec.blocks, written) && !isFreeField(sourced, spec)) {
      const block = attributeAsBlock(sourced, spec.blocks[written] as BlockSpec);
      if (block) addBlock(written, block);
      else
        context.report('block-expected', `${written} is a block`, place(sourced, sourced.item), {
          help: `Write ${written} { … } without the equals sign.`,
        });
    } else if (spec.fields && !spec.unavailable.includes(written)) fields.push(sourced);
    else if (!asked || !refuseWord(sourced, written, body, asked, context))
      reportUnknown(sourced, written, 'attribute', body, spec, context.report);
  }
  return { attributes, blocks, fields };
}

function canonicalName(written: string, spec: BlockSpec): string | undefined {
  if (Object.hasOwn(spec.attributes, written)) return written;
  for (const name in spec.attributes) if (spec.attributes[name]?.aliases.includes(written)) return name;
  return undefined;
}

function addAttribute(
  name: string,
  sourced: SourcedAttribute,
  attributes: Map<string, SourcedAttribute>,
  context: DecodeContext,
): void {
  const earlier = attributes.get(name);
  if (!earlier) attributes.set(name, sourced);
  else if (earlier.item.name.text !== sourced.item.name.text || isBlockForm(earlier) || isBlockForm(sourced))
    reportTwice(name, earlier, sourced, context.report);
}

/** Says that an attribute is written a second time, perhaps by another of its names. */
function reportTwice(name: string, first: SourcedAttribute, second: SourcedAttribute, report: Report): void {
  const alias = second.item.name.text === first.item.name.text ? '' : ` (${second.item.name.text} means the same)`;
  report('duplicate-attribute', `${name} is written twice${alias}`, place(second, second.item.name), {
    help: 'Remove one of the two.',
    related: [{ message: 'written first here', ...place(first, first.item.name) }],
  });
}

function readAttribute(
  sourced: SourcedAttribute,
  spec: AttributeSpec,
  name: string,
  body: BodyToDecode,
  unset: Map<string, string>,
  context: DecodeContext,
): unknown {
  const { value: expression } = sourced.item;
  if (!expression) return undefined;
  const subject = `${name} of ${sourced.definition ?? nameOf(body)}`;
  const missing: { readonly variable: string; readonly at: Origin }[] = [];
  const values = valueContext(subject, sourced, context, (variable, range) => {
    unset.set(name, variable);
    missing.push({ variable, at: place(sourced, range) });
  });
  const value = decodeValue(expression, spec, values);
  // One that empties a required attribute is an error, which `complete` reports.
  if (!spec.required || (value !== undefined && value !== ''))
    for (const { variable, at } of missing) reportUnset(subject, variable, at, context.report);
  for (const { refersTo, name, at } of referencesIn(value, spec, expression))
    context.links.push({ refersTo, name, origin: place(sourced, at) });
  return value;
}

/** Says that something reads a variable that is not set. */
export function reportUnset(what: string, variable: string, at: Origin, report: Report): void {
  report('unset-variable', `${what} reads ${variable}, which is not set`, at, {
    severity: 'warning',
    help: `Set ${variable}, or give a default: env("${variable}", "…").`,
  });
}

/** Fills defaults and empty lists, and reports what is required and missing. */
function complete(
  values: Record<PropertyKey, unknown>,
  parts: ReadonlyMap<string, Origin>,
  unset: ReadonlyMap<string, string>,
  body: BodyToDecode,
  spec: BlockSpec,
  context: DecodeContext,
): void {
  for (const name in spec.attributes) {
    const attribute = spec.attributes[name] as AttributeSpec;
    if (attribute.required && (values[name] === undefined || values[name] === '')) {
      const variable = unset.get(name);
      if (variable !== undefined)
        context.report(
          'missing-attribute',
          `${nameOf(body)} needs ${name}, and the variable ${variable} is not set`,
          parts.get(name) ?? body.origin,
          {
            help: `Set ${variable}, or give a default: env("${variable}", "…").`,
          },
        );
      else if (!parts.has(name))
        context.report('missing-attribute', `${nameOf(body)} needs the attribute ${name}`, body.origin, {
          help: attribute.doc,
        });
      else if (values[name] === '')
        context.report('missing-attribute', `${name} of ${nameOf(body)} must not be empty`, parts.get(name) as Origin, {
          help: attribute.doc,
        });
    } else if (values[name] === undefined && attribute.default !== undefined) values[name] = attribute.default;
  }
  for (const name in spec.blocks) {
    const inner = spec.blocks[name] as BlockSpec;
    if (values[name] === undefined && inner.repeated) values[name] = [];
    const missing = inner.required && (values[name] === undefined || (values[name] as unknown[]).length === 0);
    if (missing)
      context.report(
        'missing-block',
        `${nameOf(body)} needs ${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name} block`,
        body.origin,
        { help: inner.doc },
      );
  }
}

function refuseEqualLabels(name: string, blocks: readonly SourcedBlock[], spec: BlockSpec, report: Report): void {
  if (!spec.label || spec.label.refersTo !== undefined || spec.over) return;
  const seen = new Map<string, SourcedBlock>();
  for (const sourced of blocks) {
    const label = sourced.item.labels[0];
    if (!label) continue;
    const first = seen.get(label.text);
    if (!first) seen.set(label.text, sourced);
    else
      report('duplicate-name', `there are two ${name} blocks named "${label.text}"`, place(sourced, label), {
        help: 'Give one of them another name.',
        related: [{ message: 'the first one is here', ...place(first, first.item.labels[0] ?? first.item) }],
      });
  }
}

function reportSecond(name: string, first: SourcedBlock, second: SourcedBlock, report: Report): void {
  report('duplicate-block', `${name} may be written once here`, place(second, second.item.type), {
    help: 'Remove one of the two blocks.',
    related: [{ message: 'written first here', ...place(first, first.item.type) }],
  });
}

function reportUnknown(
  sourced: SourcedItem,
  word: string,
  form: 'attribute' | 'block',
  body: BodyToDecode,
  spec: BlockSpec,
  report: Report,
): void {
  const at = place(sourced, sourced.item.kind === 'attribute' ? sourced.item.name : sourced.item.type);
  if (spec.unavailable.includes(word)) {
    report('not-available', `${form} "${word}" is not available in this version`, at, {
      help: `Remove it from ${body.title}.`,
    });
    return;
  }
  const known = [...Object.keys(spec.attributes), ...Object.keys(spec.blocks)];
  const near = closest(word, known);
  report(`unknown-${form}`, `${nameOf(body)} has no ${form} "${word}"`, at, {
    help: near ? `Did you mean "${near}"?` : known.length === 0 ? undefined : `It takes ${known.sort().join(', ')}.`,
    ...(near ? { fix: { title: `Change to "${near}"`, edits: [{ range: at.range, text: near }] } } : {}),
  });
}
