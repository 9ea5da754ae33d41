import { child, childrenOf, type Documents, type Located, member, textOf } from './documents.ts';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/** What a schema says, with everything that must be true at once (`allOf`, references) in one. */
export interface Schema {
  /** Where it was written first, and what it is called: the name of the component that it is a reference to. */
  readonly at: Located;
  readonly name: string | undefined;
  /** Where the schema itself is. */
  readonly target: Located;
  /** Equal for schemas that say the same by being the same. */
  readonly key: string;
  /** Undefined: any value. */
  readonly types: ReadonlySet<JsonType> | undefined;
  readonly isNullable: boolean;
  readonly facts: Facts;
  /** Schemas that a field must match all of. */
  readonly properties: ReadonlyMap<string, readonly Located[]>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly Located[];
  /** What further fields are; false refuses them. */
  readonly additional: Located | false | undefined;
  /** Alternatives that are not one list of types. */
  readonly alternatives: readonly Located[];
  /** Words that are not understood here, with their places. */
  readonly others: readonly Located[];
}

/** Constraints of one value. */
export interface Facts {
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly patterns?: readonly string[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** The bounds themselves are not allowed. */
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly readOnly?: boolean | undefined;
  readonly writeOnly?: boolean | undefined;
}

/** Schemas in each other by `allOf` and alternatives. */
const deepest = 50;

/** Words that constrain values in ways that are not read here. */
const otherWords = [
  'multipleOf',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'not',
  'if',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'prefixItems',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
  'discriminator',
  '$dynamicRef',
] as const;

const jsonTypes: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

/** Reads a schema that a value must match all of `parts` of. */
export function schemaOf(parts: readonly Located[], documents: Documents): Schema {
  const [first] = parts as readonly [Located, ...Located[]];
  // A part that says a type alone has no name of its own.
  const telling = parts.filter((part) => wrapped(part) !== undefined || saysMore(part, ['type']) || isReference(part));
  const reading = new Reading(telling[0] ?? first, documents, telling.length < 2 ? telling[0] : undefined, parts);
  for (const part of parts) reading.add(part, 0, []);
  return reading;
}

class Reading implements Schema {
  readonly at: Located;
  target: Located;
  readonly key: string;
  name: string | undefined;
  types: Set<JsonType> | undefined;
  isNullable = true;
  facts: Facts = {};
  readonly properties = new Map<string, Located[]>();
  readonly required = new Set<string>();
  readonly items: Located[] = [];
  additional: Located | false | undefined;
  readonly alternatives: Located[] = [];
  readonly others: Located[] = [];
  readonly #documents: Documents;
  /** What was read already: everything that it says is said. */
  readonly #read = new Set<unknown>();

  constructor(at: Located, documents: Documents, named: Located | undefined, parts: readonly Located[]) {
    this.at = at;
    this.target = at;
    this.#documents = documents;
    if (named !== undefined) this.#identify(named);
    const places = this.name === undefined ? parts : [this.target];
    this.key = places.map(({ file, pointer }) => `${file}#${pointer}`).join(' ');
  }

  add(part: Located, depth: number, around: readonly string[]): void {
    this.#documents.step();
    const found = this.#documents.resolve(part);
    if (found === undefined) return;
    const key = `${found.file}#${found.pointer}`;
    if (around.includes(key) || depth > deepest) {
      this.#documents.break(part, 'it contains itself by allOf, oneOf or anyOf');
      return;
    }
    const before = this.isNullable;
    const inner = [...around, key];
    const isNew = !this.#read.has(found.value);
    if (isNew) this.#own(found);
    if (part !== found) this.#beside(part);
    if (!isNew) return;
    this.#read.add(found.value);
    for (const [, each] of this.#documents.childrenOf(child(found, 'allOf'))) this.add(each, depth + 1, inner);
    for (const word of ['oneOf', 'anyOf'] as const) {
      const several = child(found, word);
      if (several !== undefined) this.#alternatives(several, depth, inner);
    }
    // Around a reference it is meant of what the reference names.
    if (member(found.value, 'nullable') === true) this.isNullable = before;
  }

  /** What it is called: the component that it refers to, also through a wrapper that says nothing more of values. */
  #identify(part: Located): void {
    let reference = part;
    for (let next = wrapped(reference); next !== undefined; next = wrapped(reference)) reference = next;
    if (!isReference(reference) || saysMore(reference)) return;
    const found = this.#documents.resolve(reference);
    if (found === undefined) return;
    this.target = found;
    this.name = /^\/components\/schemas\/([^/]+)$/.exec(found.pointer)?.[1] ?? fileName(found);
  }

  /** Beside a reference, version 3.1 lets more be said. */
  #beside(part: Located): void {
    if (saysMore(part)) this.#own(part);
    const description = textOf(part.value, 'description');
    if (description !== undefined) this.facts = { ...this.facts, description };
  }

  #own(found: Located): void {
    const { value } = found;
    if (typeof value !== 'object' || value === null) return;
    this.#types(value);
    this.#facts(value);
    for (const [name, each] of this.#documents.childrenOf(child(found, 'properties'))) {
      const parts = this.properties.get(name);
      if (parts === undefined) this.properties.set(name, [each]);
      else parts.push(each);
    }
    const required = member(value, 'required');
    if (Array.isArray(required)) for (const name of required) if (typeof name === 'string') this.required.add(name);
    const items = child(found, 'items');
    if (items !== undefined) this.items.push(items);
    const additional = child(found, 'additionalProperties');
    if (additional?.value === false) this.additional = false;
    else if (typeof additional?.value === 'object' && this.additional !== false) this.additional = additional;
    for (const word of otherWords) {
      const other = child(found, word);
      if (other !== undefined && other.value !== false) this.others.push(other);
    }
  }

  #types(value: object): void {
    const written = member(value, 'type');
    const words = Array.isArray(written) ? written : written === undefined ? [] : [written];
    const named = words.filter((word): word is JsonType => jsonTypes.has(word as string));
    const listed = member(value, 'enum');
    const saysNull = words.includes('null') || member(value, 'nullable') === true;
    // A schema that names no type lets null through, unless its values are listed.
    if (words.length > 0 && !saysNull) this.isNullable = false;
    else if (words.length === 0 && Array.isArray(listed) && !listed.includes(null)) this.isNullable = false;
    if (named.length > 0) this.#narrow(new Set(named));
    else if (this.types === undefined) {
      const implied = impliedType(value);
      if (implied !== undefined) this.types = new Set([implied]);
    }
  }

  #narrow(types: ReadonlySet<JsonType>): void {
    const known = this.types;
    this.types = new Set(
      known === undefined
        ? types
        : [...known].filter((each) => types.has(each) || (each === 'integer' && types.has('number'))),
    );
  }

  #facts(value: object): void {
    const had = this.facts;
    const number = (name: string) => {
      const found = member(value, name);
      return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
    };
    const isAbove = member(value, 'exclusiveMinimum') === true;
    const isBelow = member(value, 'exclusiveMaximum') === true;
    const pattern = textOf(value, 'pattern');
    const listed = member(value, 'enum');
    const constant = member(value, 'const');
    const allowed = Array.isArray(listed) ? listed : constant === undefined ? undefined : [constant];
    const standard = member(value, 'default');
    this.facts = {
      description: had.description ?? textOf(value, 'description') ?? undefined,
      format: textOf(value, 'format') ?? had.format,
      patterns: pattern === undefined ? had.patterns : [...(had.patterns ?? []), pattern],
      minimum: larger(had.minimum, isAbove ? undefined : number('minimum')),
      maximum: smaller(had.maximum, isBelow ? undefined : number('maximum')),
      above: larger(had.above, isAbove ? number('minimum') : number('exclusiveMinimum')),
      below: smaller(had.below, isBelow ? number('maximum') : number('exclusiveMaximum')),
      minLength: larger(had.minLength, number('minLength')),
      maxLength: smaller(had.maxLength, number('maxLength')),
      minItems: larger(had.minItems, number('minItems')),
      maxItems: smaller(had.maxItems, number('maxItems')),
      enum: both(
        had.enum,
        allowed?.filter((each) => each !== null),
      ),
      default: standard ?? had.default,
      readOnly: member(value, 'readOnly') === true || had.readOnly,
      writeOnly: member(value, 'writeOnly') === true || had.writeOnly,
    };
  }

  /** Alternatives of which one remains, and those that are plain types, count as types. */
  #alternatives(several: Located, depth: number, around: readonly string[]): void {
    const all = this.#documents.childrenOf(several).map(([, each]) => each);
    const values = all.filter(({ value }) => member(value, 'type') !== 'null');
    if (values.length === 0) return;
    const [only] = values;
    if (only !== undefined && values.length === 1) {
      const isNullable = all.length > 1;
      const before = this.isNullable;
      this.add(only, depth + 1, around);
      this.isNullable = before && (isNullable || this.isNullable);
      return;
    }
    const types = values.map(({ value }) => plainType(value));
    if (types.every((type) => type !== undefined)) {
      if (all.length === values.length) this.isNullable = false;
      this.#narrow(new Set(types));
    } else this.alternatives.push(...values);
  }
}

const silent: ReadonlySet<string> = new Set([
  'description',
  'title',
  'example',
  'examples',
  'deprecated',
  'xml',
  'externalDocs',
  'nullable',
  'default',
  'readOnly',
  'writeOnly',
  '$ref',
  '$comment',
]);

/** Whether a schema says anything of values beside a reference, not only what they mean. */
function saysMore({ value }: Located, also: readonly string[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).some((word) => !silent.has(word) && !also.includes(word) && !word.startsWith('x-'));
}

function isReference({ value }: Located): boolean {
  return typeof member(value, '$ref') === 'string';
}

/** The one schema that a schema without words of its own has in it. */
function wrapped(at: Located): Located | undefined {
  if (typeof at.value !== 'object' || at.value === null) return undefined;
  const words = Object.keys(at.value).filter((word) => !silent.has(word) && !word.startsWith('x-'));
  const [word] = words;
  if (words.length !== 1 || word === undefined || !['allOf', 'oneOf', 'anyOf'].includes(word)) return undefined;
  const inner = childrenOf(child(at, word)).map(([, each]) => each);
  const values = word === 'allOf' ? inner : inner.filter(({ value }) => member(value, 'type') !== 'null');
  return values.length === 1 ? values[0] : undefined;
}

function plainType(value: unknown): JsonType | undefined {
  const type = textOf(value, 'type');
  if (type === undefined || !jsonTypes.has(type) || type === 'object' || type === 'array') return undefined;
  return Object.keys(value as object).every((word) => word === 'type' || silent.has(word))
    ? (type as JsonType)
    : undefined;
}

function impliedType(value: object): JsonType | undefined {
  if (member(value, 'properties') !== undefined) return 'object';
  if (member(value, 'items') !== undefined) return 'array';
  const listed = member(value, 'enum');
  if (!Array.isArray(listed)) return undefined;
  const values = listed.filter((each) => each !== null);
  return values.length > 0 && values.every((each) => typeof each === 'string') ? 'string' : undefined;
}

function fileName({ file, pointer }: Located): string | undefined {
  const last = pointer === '' ? file.replace(/^.*\//, '').replace(/\.\w+$/, '') : pointer.replace(/^.*\//, '');
  return last === '' ? undefined : last;
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b);
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

function both(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): readonly unknown[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.filter((each) => b.includes(each));
}
