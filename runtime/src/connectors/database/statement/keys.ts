import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Dialect } from './dialect.ts';
import { insertOf, keyUnknown } from './insert.ts';
import { type Insert, type NamedTable, quoteTable, type TableKey } from './named-table.ts';
import { Query } from './query.ts';

/** Statements that are kept taken apart. */
const kept = 500;

/** A statement of a transaction, ready to be bound. */
export interface TransactionQuery {
  readonly query: Query;
  /** The result as the transaction is given it: an INSERT whose key was wanted answers `id`. */
  readonly answer: (result: CallResult) => CallResult;
}

const asItIs = (result: CallResult): CallResult => result;

/** Statements of transactions, taken apart once; the key of what an INSERT made is added to those that are asked for it. */
export class TransactionQueries {
  private readonly where: string;
  private readonly dialect: Dialect;
  private readonly plain = new Map<string, Query>();
  private readonly inserts = new Map<string, Insert | undefined>();
  private readonly keys = new Map<string, TableKey>();

  constructor(connector: string, dialect: Dialect) {
    this.where = `transaction of "${connector}"`;
    this.dialect = dialect;
  }

  /** The INSERT whose table must be looked up for its key, undefined when nothing is to be asked. */
  lacking(source: string): NamedTable | undefined {
    const insert = this.insert(source);
    return insert === undefined || insert.returns || this.keys.has(quoteTable(insert.table, this.dialect))
      ? undefined
      : insert.table;
  }

  learn(table: NamedTable, key: TableKey): void {
    // What does not exist yet may exist the next time.
    if (key !== 'no such table') this.keys.set(quoteTable(table, this.dialect), key);
  }

  /** After the table that `lacking` named was learnt. Throws when a key is `required` and cannot be determined. */
  take(source: string, wanted: 'known' | 'required' | undefined): TransactionQuery {
    const insert = wanted === undefined ? undefined : this.insert(source);
    if (insert === undefined || wanted === undefined) return { query: this.query(source), answer: asItIs };
    if (insert.returns) return { query: this.query(source), answer: withReturned };
    const key = this.keys.get(quoteTable(insert.table, this.dialect));
    if (key === undefined || key === 'no such table') return { query: this.query(source), answer: asItIs };
    const { column } = key;
    if (column !== undefined) {
      const { keys } = this.dialect;
      return {
        query: this.query(keys.ask(insert, column)),
        answer: (result) => this.withKey(result, insert, column, wanted),
      };
    }
    if (wanted === 'known') return { query: this.query(source), answer: asItIs };
    throw this.keyMissing(insert);
  }

  private keyMissing({ table }: Insert): Failure {
    return new Failure('connector_failed', `${this.where}: ${keyUnknown(table, this.dialect)}`, { retriable: false });
  }

  /** The last row that was made; none was made, and no row of an earlier statement is meant. */
  private withKey(result: CallResult, insert: Insert, column: string, wanted: 'known' | 'required'): CallResult {
    const id = this.dialect.keys.read(result, insert, column);
    if (id === undefined && wanted === 'required') throw this.keyMissing(insert);
    return { affected: result.affected ?? result.rows?.length ?? 0, id };
  }

  /** Tables may have changed. */
  forget(): void {
    this.keys.clear();
  }

  private insert(source: string): Insert | undefined {
    if (!this.inserts.has(source)) {
      if (this.inserts.size >= kept) this.inserts.clear();
      this.inserts.set(source, insertOf(source, this.dialect.lexis));
    }
    return this.inserts.get(source);
  }

  private query(source: string): Query {
    const known = this.plain.get(source);
    if (known !== undefined) return known;
    const made = new Query(source, this.dialect, this.where, 'transaction');
    if (this.plain.size >= kept) this.plain.clear();
    this.plain.set(source, made);
    return made;
  }
}

/** What the author lets the statement answer. */
function withReturned(result: CallResult): CallResult {
  const first = result.rows?.[0];
  return { ...result, id: first === undefined ? null : (Object.values(first)[0] ?? null) };
}
