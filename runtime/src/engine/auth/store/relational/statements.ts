import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { Connector } from '../../../../foundation/contracts/connector.ts';
import type { StatementRunner, Transactions, WantedKey } from '../../../../foundation/contracts/sql.ts';
import type { Execute } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../../foundation/errors/failures.ts';

export type Row = Readonly<Record<string, unknown>>;
export type Params = Readonly<Record<string, unknown>>;

/** Statements of one transaction. */
export interface Statements {
  rows(query: string, params: Params): Promise<readonly Row[]>;
  /** How many rows it affected. */
  run(query: string, params: Params): Promise<number>;
  insert(query: string, params: Params, key: WantedKey): Promise<CallResult>;
}

const unavailable: ReadonlySet<FailureCode> = new Set([
  'connector_refused',
  'connector_timeout',
  'connector_busy',
  'outcome_unknown',
  'circuit_open',
]);
/** Milliseconds. */
const timeout = 10_000;

/** Asks the database of the accounts. Rejects with `store_unavailable` when it is unavailable. */
export class AccountDatabase {
  readonly connector: Pick<Connector, 'name' | 'target' | 'schema'>;
  readonly #prepared = new Map<string, Execute>();
  /** What rows beside those of the accounts have in their column `scope`, for every statement; undefined until it is known. */
  scope: string | undefined;

  constructor(connector: Pick<Connector, 'name' | 'target' | 'schema'>) {
    this.connector = connector;
  }

  async rows(query: string, params: Params): Promise<readonly Row[]> {
    return (await available(this.#execute(query, this.#scoped(params)))).rows ?? [];
  }

  async run(query: string, params: Params): Promise<number> {
    return (await available(this.#execute(query, this.#scoped(params)))).affected ?? 0;
  }

  /** All or nothing. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return available(this.#transactions.run((runner) => work(this.#statements(runner)), undefined));
  }

  #statements(runner: StatementRunner): Statements {
    return {
      rows: async (query, params) => (await runner.execute(query, this.#scoped(params))).rows ?? [],
      run: async (query, params) => (await runner.execute(query, this.#scoped(params))).affected ?? 0,
      insert: async (query, params, key) => runner.execute(query, params, key),
    };
  }

  #scoped(params: Params): Params {
    return this.scope === undefined ? params : { scope: this.scope, ...params };
  }

  async #execute(query: string, params: Params): Promise<CallResult> {
    let execute = this.#prepared.get(query);
    if (execute === undefined) {
      execute = this.#target.prepare({
        verb: 'call',
        operation: undefined,
        target: undefined,
        query,
        timeout,
        exact: true,
        fresh: true,
        flow: 'auth',
        label: 'accounts',
      });
      this.#prepared.set(query, execute);
    }
    return execute({ params });
  }

  get #target() {
    const { name, target } = this.connector;
    if (target === undefined) throw new Failure('internal', `connector "${name}" is not a database`);
    return target;
  }

  get #transactions(): Transactions {
    const { transactions } = this.#target;
    if (transactions !== undefined) return transactions;
    throw new Failure('internal', `connector "${this.connector.name}" has no transactions`);
  }
}

async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure) || !unavailable.has(error.code)) throw error;
    const { message, at, retryAfter } = error;
    throw new Failure('store_unavailable', `the accounts cannot be reached: ${message}`, {
      cause: error,
      at,
      retryAfter,
    });
  }
}
