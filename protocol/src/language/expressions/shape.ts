import { type CelType, typeName } from '../../cel/index.ts';
import type { FieldGrammar } from '../../schema/index.ts';
import { type Expression, literalText, sourceOf } from '../../syntax/index.ts';
import type { Range } from '../../text/index.ts';
import { namesOf } from '../name-lookup.ts';
import type { ProjectState } from '../states.ts';
import { nameIn, type WrittenBody } from '../written.ts';

/** What is known of a value while people write about it: some of its fields, by name. */
export interface Shape {
  readonly fields: ReadonlyMap<string, Field>;
}

export interface Field {
  /** In a few words, as it was declared: `string({ max_length = 30 })`. */
  readonly detail: string;
  readonly doc: string | undefined;
  /** What is known of the field's own fields. */
  readonly shape: Shape | undefined;
  /** What is known of the elements of a list. */
  readonly element?: Field | undefined;
  /** Where it is declared. */
  readonly place?: { readonly file: string; readonly range: Range } | undefined;
}

/** Types may name each other in circles; no one writes paths longer than this. */
const deepest = 8;

/** The fields that a static type has; undefined when it is not a map with known fields. */
export function shapeOfType(type: CelType): Shape | undefined {
  if (type.kind !== 'struct') return undefined;
  return {
    fields: new Map(Object.entries(type.fields).map(([name, own]) => [name, fieldOfType(own)])),
  };
}

function fieldOfType(type: CelType): Field {
  const element = type.kind === 'list' ? fieldOfType(type.element) : undefined;
  return { detail: typeName(type), doc: undefined, shape: shapeOfType(type), element };
}

/** The fields of a constant of the configuration. */
export function shapeOfConstant(value: unknown): Shape | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return {
    fields: new Map(Object.entries(value).map(([name, own]) => [name, fieldOfConstant(own)])),
  };
}

function fieldOfConstant(value: unknown): Field {
  const element = Array.isArray(value) && value.length > 0 ? fieldOfConstant(value[0]) : undefined;
  return { detail: detailOf(value), doc: undefined, shape: shapeOfConstant(value), element };
}

function detailOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'list' : 'map') : JSON.stringify(value);
}

/** The fields of the message that a block with fields of a grammar describes; undefined when there is no such block. */
export function shapeOfBlock(kind: string, name: string, state: ProjectState, depth = 0): Shape | undefined {
  const found = namesOf(kind, state).find((place) => place.name === name);
  const grammar = found?.declares?.spec?.fields?.grammar;
  if (found?.declares === undefined || grammar === undefined || depth > deepest) return undefined;
  const text = state.files.get(found.file)?.tree.text ?? '';
  const at = { file: found.file, text, state };
  return { fields: fieldsOf(found.declares, grammar, at, depth) };
}

/** The file that fields are written in. */
interface Site {
  readonly file: string;
  readonly text: string;
  readonly state: ProjectState;
}

function fieldsOf(
  { body, spec }: WrittenBody,
  grammar: FieldGrammar,
  site: Site,
  depth: number,
): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const item of body.items)
    if (item.kind === 'attribute' && item.value && !Object.hasOwn(spec?.attributes ?? {}, item.name.text))
      fields.set(item.name.text, { ...fieldOf(item.value, grammar, site, depth), place: placeOf(item.name, site) });
  return fields;
}

function placeOf({ start, end }: Range, { file }: Site): Field['place'] {
  return { file, range: { start, end } };
}

function fieldOf(value: Expression, grammar: FieldGrammar, site: Site, depth: number): Field {
  const detail = inWords(value, grammar, site) ?? written(value, site);
  if (value.kind === 'object') {
    const fields = new Map<string, Field>();
    for (const { key, value: own } of value.entries) {
      const name = key.kind === 'variable' ? key.name : literalText(key);
      if (name !== undefined) fields.set(name, { ...fieldOf(own, grammar, site, depth), place: placeOf(key, site) });
    }
    return { detail: 'object', doc: undefined, shape: { fields } };
  }
  const element = elementOf(value, grammar);
  return {
    detail,
    doc: undefined,
    shape: shapeOfName(value, grammar, site.state, depth),
    element: element && {
      ...fieldOf(element, grammar, site, depth),
      detail: nameIn(element, grammar.refersTo) ?? '',
    },
  };
}

function written(value: Expression, { text }: Site): string {
  return sourceOf(value, text).replace(/\s+/g, ' ');
}

/** What is written in brackets as people read it; undefined for what the grammar has no words for. */
function inWords(value: Expression, grammar: FieldGrammar, site: Site): string | undefined {
  if (value.kind === 'variable' && grammar.words.includes(value.name)) return grammar.inWords?.(value.name, new Map());
  if (value.kind !== 'call' || !grammar.words.includes(value.name.text)) return undefined;
  const constraints = new Map<string, string>();
  for (const argument of value.arguments) {
    if (argument.kind !== 'object') return undefined;
    for (const { key, value: own } of argument.entries) {
      const name = key.kind === 'variable' ? key.name : literalText(key);
      if (name === undefined) return undefined;
      constraints.set(name, written(own, site));
    }
  }
  return grammar.inWords?.(value.name.text, constraints);
}

/** The fields of the block that a text names. */
function shapeOfName(
  value: Expression,
  { refersTo }: FieldGrammar,
  state: ProjectState,
  depth: number,
): Shape | undefined {
  const name = value.kind === 'template' || value.kind === 'attribute-access' ? nameIn(value, refersTo) : undefined;
  return name === undefined ? undefined : shapeOfBlock(refersTo, name, state, depth + 1);
}

/** What a list holds: the constraint that names a block of the same kind. */
function elementOf(value: Expression, { constraints, refersTo }: FieldGrammar): Expression | undefined {
  const [argument] = value.kind === 'call' ? value.arguments : [];
  if (argument?.kind !== 'object') return undefined;
  return argument.entries.find(({ key }) => {
    const name = key.kind === 'variable' ? key.name : literalText(key);
    return name !== undefined && Object.hasOwn(constraints, name) && constraints[name]?.refersTo === refersTo;
  })?.value;
}
