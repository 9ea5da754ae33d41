import { Fields, toJson } from '@svc/protocol/cel';
import { GraphQLError, type GraphQLField } from 'graphql';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { delivering, type Reply } from './delivery.ts';
import type { Execution } from './execution.ts';
import { FieldMessage } from './field-message.ts';
import { fitOf } from './fit.ts';
import type { ResolveField } from './resolve-field.ts';
import type { Selected } from './selection.ts';

/** Most keys that a flow is given at once; further ones are given to it again. */
export const mostKeys = 1000;

/** What a flow says of the keys that it takes at once. */
export interface BatchWords {
  /** The field of the object around it whose values are the keys. */
  readonly batch: string;
  /** The field of the rows that equals a key. */
  readonly match: string;
}

/** The words of a flow that takes many keys at once; undefined for any other flow. */
export function batchWordsOf({ words }: Pick<Binding, 'words'>): BatchWords | undefined {
  const { batch, match } = words as { readonly batch?: string; readonly match?: string };
  return batch === undefined ? undefined : { batch, match: match ?? batch };
}

type Row = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

/** What one execution of a flow is asked with: keys that have the rest in common. */
export interface Asked {
  readonly args: Values;
  /** Fields of the rows that are read; undefined: all. */
  readonly columns: readonly string[] | undefined;
  /** What is selected below the field, for a flow that asks. */
  readonly selected: Selected | undefined;
}

/**
 * Collects the keys that one level of a request asks a flow for, and runs it once with all of them. The flow reads them
 * as `input.keys`, and as the field by which rows are found, so that a table is filtered by them.
 */
export class Batches {
  readonly #words: BatchWords;
  readonly #field: string;
  readonly #deliver: ReturnType<typeof delivering>;
  /** Those that still take keys, by request and by what they have in common. */
  readonly #open = new WeakMap<Execution, Map<string, Batch>>();

  constructor(binding: Binding, words: BatchWords, field: string) {
    this.#words = words;
    this.#field = field;
    this.#deliver = delivering(binding);
  }

  /** The rows of a key. Rejects when the flow of its batch fails. */
  rowsOf(key: unknown, execution: Execution, asked: Asked): Promise<readonly Row[]> {
    const text = keyText(key);
    if (text === undefined)
      throw new GraphQLError(`${this.#field} is found by "${this.#words.batch}", which is not a single value here`);
    const open = this.#open.get(execution) ?? new Map<string, Batch>();
    this.#open.set(execution, open);
    const common = `${JSON.stringify(toJson(asked.args))} ${asked.columns?.join(' ') ?? '-'}`;
    let batch = open.get(common);
    if (batch === undefined || (batch.size >= mostKeys && !batch.has(text))) {
      const begun = new Batch();
      batch = begun;
      open.set(common, begun);
      // After everything else of this turn, resolved promises included, so that a level is collected whole.
      void Promise.resolve().then(() =>
        process.nextTick(() => {
          if (open.get(common) === begun) open.delete(common);
          void begun.settle((keys) => this.#rows(keys, execution, asked));
        }),
      );
    }
    return batch.add(text, key);
  }

  async #rows(keys: readonly unknown[], { asker, variables, limiter }: Execution, asked: Asked) {
    const { match } = this.#words;
    const { columns, selected } = asked;
    const message = new FieldMessage(asker, {
      field: this.#field,
      args: Object.assign(new Fields(), asked.args, { keys, [match]: keys }),
      parent: undefined,
      variables,
      others: [],
      read: match === 'keys' ? [] : ['keys'],
      record: true,
      selected,
      requested: undefined,
      columns: columns === undefined || columns.includes(match) ? columns : [...columns, match],
    });
    const reply = (await limiter.run(() => this.#deliver(message))) as Reply;
    return groupsOf(rowsIn(reply?.value), match, this.#field);
  }
}

/** Keys that one execution is asked for. */
class Batch {
  readonly #waiting = new Map<string, { readonly key: unknown } & PromiseWithResolvers<readonly Row[]>>();

  get size(): number {
    return this.#waiting.size;
  }

  has(text: string): boolean {
    return this.#waiting.has(text);
  }

  add(text: string, key: unknown): Promise<readonly Row[]> {
    const known = this.#waiting.get(text);
    if (known !== undefined) return known.promise;
    const waiting = { key, ...Promise.withResolvers<readonly Row[]>() };
    this.#waiting.set(text, waiting);
    return waiting.promise;
  }

  /** Never rejects: those who wait get the failure. */
  async settle(ask: (keys: readonly unknown[]) => Promise<ReadonlyMap<string, readonly Row[]>>): Promise<void> {
    try {
      const rows = await ask([...this.#waiting.values()].map(({ key }) => key));
      for (const [text, { resolve }] of this.#waiting) resolve(rows.get(text) ?? []);
    } catch (error) {
      for (const { reject } of this.#waiting.values()) reject(error);
    }
  }
}

/** A key as it is compared: `1` of a caller is the 1 of a row. Undefined for what is not a single value. */
function keyText(key: unknown): string | undefined {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof key) ? String(key) : undefined;
}

/** The rows of an answer: a list, the list that an object holds alone, one row, or none. */
function rowsIn(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  if (typeof answer !== 'object' || answer === null) return [];
  const values = Object.values(answer);
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : [answer];
}

/** Rows by their keys, in their order. Throws when one has no key: no object would get it. */
function groupsOf(rows: readonly unknown[], match: string, field: string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const text = typeof row === 'object' && row !== null ? keyText((row as Row)[match]) : undefined;
    if (text === undefined)
      throw new GraphQLError(`the flow of ${field} answered a row without "${match}", by which rows are distributed`);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [row as Row]);
    else group.push(row as Row);
  }
  return groups;
}

/** The resolver of a field whose flow takes the keys of all objects of a level at once. */
export function batchResolver(
  binding: Binding,
  words: BatchWords,
  { name, type }: GraphQLField<unknown, unknown>,
  typeName: string,
): ResolveField {
  const field = `${typeName}.${name}`;
  const batches = new Batches(binding, words, field);
  const fit = fitOf(type, field);
  return (parent, _args, execution, { path }) => {
    const { places, variables } = execution;
    const place = places.at(path, field);
    const finish = (rows: readonly unknown[]) => place.shape(fit(rows));
    const key = (parent as Values)[words.batch];
    if (key === null) return finish([]);
    if (key === undefined)
      throw new GraphQLError(`${field} is found by "${words.batch}", which its object does not have`);
    const selected = place.selection(variables);
    const asked = {
      args: spread(place.args(variables)),
      columns: place.isRead ? undefined : selected.names,
      selected: binding.readsSelection === true ? selected : undefined,
    };
    return batches.rowsOf(key, execution, asked).then(finish);
  };
}

/** Fields of an argument `input` are at the top level, as in every flow. */
function spread(args: Values): Values {
  const { input } = args;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return args;
  const { input: _, ...others } = args;
  return { ...(input as Values), ...others };
}
