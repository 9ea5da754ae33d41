import { isIP } from 'node:net';
import { Refusal, ShardRefusal } from './refusal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a mapping says of a field, as far as the tests write it. */
export interface MappedField {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, MappedField>>;
}

export interface WrittenMapping {
  readonly dynamic?: string | boolean;
  readonly properties?: Readonly<Record<string, MappedField>>;
}

/** Names that no field of a document may have. */
const metadata: readonly string[] = ['_id', '_index', '_routing', '_source', '_version', '_seq_no', '_field_names'];
/** Largest values of whole numbers, by type. */
const largest: Readonly<Record<string, number>> = { integer: 2 ** 31 - 1, long: 2 ** 63, short: 2 ** 15 - 1 };
const dateForm = /^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}(?::\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/;
/** Bytes of one term of a keyword. */
const longestTerm = 32_766;

/** The types of the fields of an index: those of its mapping, and what the first value made of the others. */
export class Mapping {
  readonly #types = new Map<string, string>();
  #isStrict = false;

  write({ dynamic, properties = {} }: WrittenMapping): void {
    this.#isStrict = dynamic === 'strict';
    this.#add(properties, '');
  }

  #add(properties: Readonly<Record<string, MappedField>>, above: string): void {
    for (const [name, { type, properties: below }] of Object.entries(properties)) {
      this.#types.set(above + name, type ?? 'object');
      if (below !== undefined) this.#add(below, `${above}${name}.`);
    }
  }

  typeOf(field: string): string | undefined {
    return this.#types.get(field) ?? (field.endsWith('.keyword') ? 'keyword' : undefined);
  }

  /** Refuses a document whose values do not fit; what it adds to the mapping stays. */
  take(document: Fields, id: string): void {
    for (const name of Object.keys(document))
      if (metadata.includes(name))
        throw mapping(`Field [${name}] is a metadata field and cannot be added inside a document.`);
    this.#fields(document, '', id);
  }

  #fields(fields: Fields, above: string, id: string): void {
    for (const [name, value] of Object.entries(fields)) {
      if (name.trim() === '') throw mapping('failed to parse', argument('field name cannot be an empty string'));
      if (name.split('.').includes(''))
        throw mapping('failed to parse', argument(`object field starting or ending with a [.]: [${name}]`));
      this.#value(above + name, value, above, id);
    }
  }

  #value(path: string, value: unknown, above: string, id: string): void {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      for (const item of value) this.#value(path, item, above, id);
      return;
    }
    const known = this.#types.get(path);
    if (known === undefined && this.#isStrict) {
      const [name, where] = [path.slice(above.length), above === '' ? '_doc' : above.slice(0, -1)];
      const reason = `mapping set to strict, dynamic introduction of [${name}] within [${where}] is not allowed`;
      throw new Refusal(400, 'strict_dynamic_mapping_exception', reason);
    }
    const type = known ?? inferred(value);
    if (type === 'object' || type === 'nested') {
      if (typeof value !== 'object')
        throw mapping(
          `object mapping for [${path}] tried to parse field [${path}] as object, but found a concrete value`,
        );
      this.#types.set(path, type);
      this.#fields(value as Fields, `${path}.`, id);
      return;
    }
    const cause = problemOf(type, value);
    const preview = `Preview of field's value: '${String(value)}'`;
    if (cause !== undefined)
      throw mapping(`failed to parse field [${path}] of type [${type}] in document with id '${id}'. ${preview}`, cause);
    if (type === 'keyword' && Buffer.byteLength(String(value)) > longestTerm)
      throw new Refusal(
        400,
        'illegal_argument_exception',
        `Document contains at least one immense term in field="${path}"`,
      );
    this.#types.set(path, type);
  }

  /** Refuses to compare a field with a value that is not of its type. */
  refuseCompared(field: string, value: unknown): void {
    const type = this.typeOf(field);
    const cause = type === undefined || type === 'text' || type === 'keyword' ? undefined : problemOf(type, value);
    if (cause === undefined) return;
    if (type === 'date') throw new ShardRefusal(400, 'parse_exception', cause.reason, cause);
    throw new ShardRefusal(400, 'query_shard_exception', `failed to create query: ${cause.reason}`, cause);
  }

  /** Refuses to sort by what has no order: a text is kept by its words. */
  refuseUnordered(field: string): void {
    if (field === '_score' || field === '_id' || field === '_doc') return;
    if (this.typeOf(field) !== undefined) return this.refuseText(field);
    throw new ShardRefusal(400, 'query_shard_exception', `No mapping found for [${field}] in order to sort on`);
  }

  /** Fails over a null as the place of a row in the order of numbers. */
  refuseNothing(field: string): void {
    if (!['integer', 'long', 'date'].includes(this.typeOf(field) ?? '')) return;
    throw new ShardRefusal(500, 'null_pointer_exception', 'Cannot invoke "java.lang.Long.longValue()"');
  }

  /** Refuses to count by a text. */
  refuseText(field: string): void {
    if (this.typeOf(field) !== 'text') return;
    const reason = `Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [${field}]`;
    throw new ShardRefusal(400, 'illegal_argument_exception', reason);
  }
}

/** What a first value makes of its field. */
function inferred(value: unknown): string {
  if (typeof value === 'string') return dateForm.test(value) && value.length > 4 ? 'date' : 'text';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isInteger(Number(value)) ? 'long' : 'float';
}

/** Why a value is not one of a type. */
function problemOf(type: string, value: unknown): { readonly type: string; readonly reason: string } | undefined {
  if (typeof value === 'object' && value !== null)
    return { type: 'illegal_state_exception', reason: "Can't get text on a START_OBJECT at 1:6" };
  const text = String(value);
  switch (type) {
    case 'ip':
      return isIP(text) > 0 ? undefined : argument(`'${text}' is not an IP string literal.`);
    case 'integer':
    case 'long':
    case 'short':
    case 'float':
    case 'double': {
      if (text.trim() === '' || Number.isNaN(Number(text)))
        return { type: 'number_format_exception', reason: `For input string: "${text}"` };
      if (Math.abs(Number(text)) <= (largest[type] ?? Number.POSITIVE_INFINITY)) return undefined;
      return { type: 'input_coercion_exception', reason: `Numeric value (${text}) out of range` };
    }
    case 'boolean':
      return ['true', 'false', ''].includes(text)
        ? undefined
        : argument(`Can't parse boolean value [${text}], expected [true] or [false]`);
    case 'date':
      if (text === '') return argument('cannot parse empty date');
      return typeof value === 'number' || (dateForm.test(text) && !Number.isNaN(Date.parse(text)))
        ? undefined
        : argument(`failed to parse date field [${text}] with format [strict_date_optional_time||epoch_millis]`);
    default:
      return undefined;
  }
}

function argument(reason: string): { readonly type: string; readonly reason: string } {
  return { type: 'illegal_argument_exception', reason };
}

function mapping(reason: string, cause?: { readonly type: string; readonly reason: string }): Refusal {
  return new Refusal(400, 'mapper_parsing_exception', reason, cause);
}
