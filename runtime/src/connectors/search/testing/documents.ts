import { Mapping, type WrittenMapping } from './mapping.ts';
import { parsing, Refusal, ShardRefusal } from './refusal.ts';

type Document = Record<string, unknown>;
type Query = Readonly<Record<string, unknown>>;

/** One stored document. */
export interface Stored {
  readonly id: string;
  version: number;
  /** As it was sent: the server answers the very text. */
  source: Document;
}

/** An index with the few queries and aggregations that the tests ask for, as the server's documentation describes them. */
export class Index {
  readonly name: string;
  /** Other indices, in which `terms` looks up. */
  readonly others: (name: string) => Index;
  readonly documents = new Map<string, Stored>();
  readonly mapping = new Mapping();
  #made = 0;

  constructor(name: string, others: (name: string) => Index) {
    this.name = name;
    this.others = others;
  }

  /** Writes a document; with `isNew` an id that exists is a conflict. */
  put(given: string | undefined, source: Document, isNew: boolean): Stored {
    const id = given ?? `made-${++this.#made}`;
    refuseId(id);
    const before = this.documents.get(id);
    if (before !== undefined && isNew) {
      const reason = `[${id}]: version conflict, document already exists (current version [${before.version}])`;
      throw new Refusal(409, 'version_conflict_engine_exception', reason);
    }
    this.mapping.take(source, id);
    const stored = { id, version: (before?.version ?? 0) + 1, source };
    this.documents.set(id, stored);
    return stored;
  }

  /** Lays fields over a document, or runs a script on it. */
  update(id: string, body: { readonly doc?: Document; readonly script?: Script }): Stored {
    const before = this.documents.get(id);
    if (before === undefined) throw new Refusal(404, 'document_missing_exception', `[${id}]: document missing`);
    const source = { ...before.source, ...body.doc };
    if (body.script !== undefined) run(body.script, source);
    return this.put(id, source, false);
  }

  delete(id: string): boolean {
    return this.documents.delete(id);
  }

  /** What is wrong with a query is wrong whatever there is. */
  find(query: Query = { match_all: {} }): Stored[] {
    matches(this, { id: '', version: 0, source: {} }, query);
    return [...this.documents.values()].filter((stored) => matches(this, stored, query));
  }

  map(written: WrittenMapping): void {
    this.mapping.write(written);
  }

  /** What a field of a document is found by: the words of a text, any other value as it is. */
  wordsOf(stored: Stored, field: string): readonly string[] {
    const values = [fieldOf(stored, field) ?? []].flat().map(String);
    return this.mapping.typeOf(field) === 'text' ? values.flatMap(analysed) : values;
  }
}

/** Bytes of an id. */
const longestId = 512;

function refuseId(id: string): void {
  if (id === '') throw new Refusal(400, 'illegal_argument_exception', 'if _id is specified it must not be empty');
  if (Buffer.byteLength(id) <= longestId) return;
  const reason = `Validation Failed: 1: id [${id}] is too long, must be no longer than ${longestId} bytes`;
  throw new Refusal(400, 'action_request_validation_exception', reason);
}

export interface Script {
  readonly source: string;
  readonly params?: Document;
}

/** The two scripts of the tests. */
function run({ source, params = {} }: Script, document: Document): void {
  const added = /^ctx\._source\.(\w+) \+= params\.(\w+)$/.exec(source);
  if (added) document[added[1] as string] = Number(document[added[1] as string]) + Number(params[added[2] as string]);
  else if (source === 'ctx._source.putAll(params.fields)') Object.assign(document, params['fields']);
  else throw new Refusal(400, 'illegal_argument_exception', 'compile error');
}

function matches(index: Index, stored: Stored, query: Query): boolean {
  const [[kind, operand], ...further] = Object.entries(query) as [[string, Query], ...unknown[]];
  if (further.length > 0) throw parsing(`[${kind}] malformed query, expected [END_OBJECT]`);
  if (kind === 'match_all') return true;
  if (kind === 'ids') {
    const ids = operand['values'] as string[];
    if (ids.includes(''))
      throw new ShardRefusal(400, 'query_shard_exception', "failed to create query: Ids can't be empty");
    return ids.includes(stored.id);
  }
  if (kind === 'exists') return operand['field'] === '_id' || fieldOf(stored, operand['field'] as string) !== undefined;
  if (kind === 'bool') {
    const parts = (name: string) => [operand[name] ?? []].flat() as Query[];
    const found = (name: string) => parts(name).map((part) => matches(index, stored, part));
    const [all, none, some] = [[...found('must'), ...found('filter')], found('must_not'), found('should')];
    return all.every(Boolean) && !none.some(Boolean) && (some.length === 0 || some.some(Boolean));
  }
  const [[field, given]] = Object.entries(operand) as [[string, unknown]];
  const value = fieldOf(stored, field);
  const words = index.wordsOf(stored, field);
  switch (kind) {
    case 'term':
      refuseList(kind, given);
      return words.includes(String(compared(index, field, isObject(given) ? given['value'] : given)));
    case 'terms':
      return lookedUp(given, index.others).some((one) => words.includes(String(compared(index, field, one))));
    case 'match': {
      refuseList(kind, given);
      const text = compared(index, field, isObject(given) ? given['query'] : given);
      if (text === null) throw parsing('No text specified for text query');
      return analysed(String(text)).some((word) => words.includes(word));
    }
    case 'range':
      return Object.entries(given as Record<string, number>).every(([name, limit]) => {
        compared(index, field, limit);
        const number = Number(value);
        if (name === 'gt') return number > limit;
        if (name === 'gte') return number >= limit;
        return name === 'lt' ? number < limit : number <= limit;
      });
    default:
      throw parsing(`unknown query [${kind}]`);
  }
}

/** A value that a field is compared with: one of its type. */
function compared(index: Index, field: string, value: unknown): unknown {
  index.mapping.refuseCompared(field, value);
  return value;
}

/** The values of `terms`: those that are given, or those of a field of a document in any index. */
function lookedUp(given: unknown, others: (name: string) => Index): readonly unknown[] {
  if (Array.isArray(given)) return given;
  if (!isObject(given)) throw parsing('[terms] query requires an array of terms');
  const { index, id, path } = given as { readonly index?: string; readonly id?: string; readonly path?: string };
  if (index === undefined || id === undefined || path === undefined)
    throw parsing('[terms] query lookup element requires specifying the index, id and path');
  return [others(index).documents.get(id)?.source[path] ?? []].flat();
}

function refuseList(kind: string, given: unknown): void {
  if (!Array.isArray(given)) return;
  throw kind === 'term'
    ? parsing('[term] query does not support array of values')
    : new Refusal(500, 'illegal_state_exception', "Can't get text on a START_ARRAY at 1:24");
}

export function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The words of a text, in small letters. */
function analysed(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+(?:[.'][\p{L}\p{N}_]+)*/gu) ?? [];
}

function fieldOf({ source }: Stored, field: string): unknown {
  return source[field] ?? source[field.replace(/\.keyword$/, '')];
}

/** `terms` and `max` aggregations. */
export function aggregate(index: Index, found: readonly Stored[], aggs: Record<string, Query>): Document {
  const answer: Document = {};
  for (const [name, aggregation] of Object.entries(aggs)) {
    const [kind, operand] = Object.entries(aggregation)[0] as [string, { readonly field: string }];
    index.mapping.refuseText(operand.field);
    const values = found.flatMap((stored) => fieldOf(stored, operand.field) ?? []);
    if (kind === 'max') answer[name] = { value: Math.max(...values.map(Number)) };
    else if (kind === 'terms') {
      const counts = new Map<unknown, number>();
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
      const buckets = [...counts].sort(([, a], [, b]) => b - a).map(([key, doc_count]) => ({ key, doc_count }));
      answer[name] = { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets };
    } else throw parsing(`Unknown aggregation type [${kind}]`);
  }
  return answer;
}

/** The sort values of a document; `_score` is 1 for every one. */
export function sortKeys(stored: Stored, sort: readonly unknown[]): unknown[] {
  return sort.map((each) => fieldOf(stored, sortField(each)));
}

export function sortField(each: unknown): string {
  return typeof each === 'string' ? each : (Object.keys(each as object)[0] as string);
}

/** Compares by the keys of a `sort`. */
export function inOrder(sort: readonly unknown[]) {
  const descends = sort.map((each) => {
    const order = isObject(each) ? Object.values(each)[0] : undefined;
    return (isObject(order) ? order['order'] : order) === 'desc';
  });
  return (one: readonly unknown[], two: readonly unknown[]): number => {
    for (const [at, isDown] of descends.entries()) {
      const [a, b] = [one[at], two[at]] as [number, number];
      if (a !== b) return a < b === isDown ? 1 : -1;
    }
    return 0;
  };
}

/** A document with the fields that were asked for. */
export function selected(source: Document, asked: unknown): Document {
  if (asked === undefined || asked === true) return source;
  const names = [asked].flat().map(String);
  return Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));
}
