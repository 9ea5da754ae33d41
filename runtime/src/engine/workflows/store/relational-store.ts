import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { RuntimeTables, StatementRunner, Transactions } from '../../../foundation/contracts/sql.ts';
import type { Execute } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { SagaState, SagaStatus } from '../program.ts';
import { hasEnded } from '../transitions.ts';
import { briefOf, columnsOf, type Row, time, workflowOf } from './rows.ts';
import { stateFromText, stateToText } from './state-text.ts';
import {
  type BriefWorkflow,
  type Claim,
  type Lease,
  type Saved,
  type Saving,
  type StoredWorkflow,
  type WorkflowCount,
  type WorkflowFilter,
  type WorkflowPage,
  type WorkflowStore,
  wakeTime,
} from './store.ts';
import { type StoreTables, storeTables } from './tables.ts';

export interface RelationalStoreOptions {
  /** The database; its connector opens and closes it. */
  readonly connector: Pick<Connector, 'name' | 'target'>;
  readonly dialect: RuntimeTables;
  /** May contain a schema: `app.workflows`. */
  readonly table: string;
  /** Make the tables when they are missing. */
  readonly create: boolean;
  /** What to do when they are missing and are not made. Default: `auto_create`. */
  readonly remedy?: string;
}

type Params = Readonly<Record<string, unknown>>;

/** Keeps workflows in two tables of a relational database, over the connections of its connector. */
export class RelationalStore implements WorkflowStore {
  readonly #options: RelationalStoreOptions;
  readonly #tables: StoreTables;
  readonly #prepared = new Map<string, Execute>();

  constructor(options: RelationalStoreOptions) {
    this.#options = options;
    this.#tables = storeTables(options.table, options.dialect);
  }

  async prepare(): Promise<void> {
    let problem = await this.#problem();
    // Several processes may make the tables at once: a process that is too late finds them.
    for (let attempt = 0; this.#options.create && problem !== undefined && attempt < 3; attempt++) {
      const failed = await this.#make();
      problem = await this.#problem();
      if (problem !== undefined) problem = failed ?? problem;
    }
    if (problem !== undefined) throw this.#unusable(problem);
  }

  async now(): Promise<number> {
    const [row] = await this.#rows(this.#options.dialect.now, {});
    return Number(row?.['now']);
  }

  async create(state: SagaState, stepName: string | undefined, lease: Lease | undefined): Promise<void> {
    await this.#ask(this.#tables.insert, {
      ...columnsOf(state, stepName),
      id: state.id,
      saga_name: state.saga,
      input: stateToText(state.input),
      created_at: state.startedAt,
      updated_at: state.startedAt,
      owner: lease?.owner ?? null,
      lease_until: lease?.until ?? null,
      wake_at: lease?.until ?? state.startedAt,
      version: 1,
    });
  }

  async claim({ sagas, lease, now, limit, trying }: Claim): Promise<readonly StoredWorkflow[]> {
    if (sagas.length === 0 || limit <= 0) return [];
    const { due, signalled, take, one } = this.#tables;
    const found = await this.#rows(due, { now, sagas, limit });
    if (found.length < limit) found.push(...(await this.#rows(signalled, { now, sagas, limit: limit - found.length })));
    const claimed: StoredWorkflow[] = [];
    for (const { id, version } of found) {
      trying?.(String(id));
      const { affected } = await this.#ask(take, { id, version, owner: lease.owner, until: lease.until, now });
      if (affected !== 1) continue;
      const [row] = await this.#rows(one, { id });
      if (row !== undefined && row['owner'] === lease.owner) claimed.push(workflowOf(row));
    }
    return claimed;
  }

  async save(workflow: Pick<StoredWorkflow, 'state' | 'stepName' | 'version'>, saving: Saving): Promise<Saved> {
    const { state, stepName, version } = workflow;
    const { lease, now, taken, unlessCancelled } = saving;
    const over = hasEnded(state);
    const held = !over && state.status !== 'waiting';
    const params = {
      ...columnsOf(state, stepName),
      id: state.id,
      updated_at: now,
      version,
      mine: lease.owner,
      owner: held ? lease.owner : null,
      lease_until: held ? lease.until : null,
      wake_at: held ? lease.until : over ? null : (wakeTime(state) ?? null),
    };
    const { save, saveUnlessCancelled, dropSignal, dropSignals } = this.#tables;
    const statement = unlessCancelled ? saveUnlessCancelled : save;
    const { affected } =
      taken === undefined && !over
        ? await this.#ask(statement, params)
        : await this.#transaction(async (statements) => {
            const result = await statements.execute(statement, params);
            if (result.affected !== 1) return result;
            if (over) await statements.execute(dropSignals, { id: state.id });
            else await statements.execute(dropSignal, { id: state.id, event: taken });
            return result;
          });
    return affected === 1 ? 'kept' : this.#whyNot(params, state.status);
  }

  /** Why a save changed nothing: it may have been done already by an attempt whose answer was lost. */
  async #whyNot(params: Params, status: SagaStatus): Promise<Saved> {
    const [row] = await this.#rows(this.#tables.one, { id: params['id'] });
    if (row === undefined) return 'lost';
    const version = Number(row['version']);
    const own = row['owner'] === params['owner'] && row['status'] === status;
    if (version === Number(params['version']) + 1 && own) return 'kept';
    const same = version === params['version'] && row['owner'] === params['mine'];
    return same && row['cancel_requested_at'] !== null ? 'cancel_requested' : 'lost';
  }

  async renew(ids: readonly string[], { owner, until }: Lease): Promise<void> {
    if (ids.length > 0) await this.#ask(this.#tables.renew, { ids, owner, until });
  }

  async release(id: string, { owner, version }: { owner: string; version: number }, now: number): Promise<void> {
    await this.#ask(this.#tables.release, { id, owner, version, now });
  }

  async nextWake(sagas: readonly string[]): Promise<number | undefined> {
    if (sagas.length === 0) return undefined;
    const [row] = await this.#rows(this.#tables.nextWake, { sagas });
    return time(row?.['wake_at']);
  }

  signal(id: string, event: string, body: Params, now: number): ReturnType<WorkflowStore['signal']> {
    const { hold, one, pending, addSignal } = this.#tables;
    return this.#transaction(async (statements) => {
      // Locks the row, so that the instance cannot end meanwhile and its signals are serialized.
      const { affected } = await statements.execute(hold, { id, now });
      if (affected !== 1) {
        const { rows } = await statements.execute(one, { id });
        return rows?.length ? 'ended' : 'unknown';
      }
      const { rows } = await statements.execute(pending, { id, event });
      if (rows?.length) return 'already';
      await statements.execute(addSignal, { id, event, body: stateToText(body), now });
      return 'kept';
    });
  }

  async pendingSignal(id: string, event: string): Promise<Params | undefined> {
    const [row] = await this.#rows(this.#tables.pending, { id, event });
    return row && (stateFromText(String(row['body'])) as Params);
  }

  async requestCancel(id: string, now: number): Promise<boolean> {
    return (await this.#ask(this.#tables.requestCancel, { id, now })).affected === 1;
  }

  async get(id: string): Promise<StoredWorkflow | undefined> {
    const [row] = await this.#rows(this.#tables.one, { id });
    return row && workflowOf(row);
  }

  async list(filter: WorkflowFilter): Promise<WorkflowPage> {
    return this.#page(filter, this.#tables.list, workflowOf);
  }

  async brief(filter: WorkflowFilter): Promise<WorkflowPage<BriefWorkflow>> {
    return this.#page(filter, this.#tables.brief, briefOf);
  }

  async #page<W extends BriefWorkflow>(
    { status, saga, limit, after }: WorkflowFilter,
    query: StoreTables['list'],
    read: (row: Row) => W,
  ): Promise<WorkflowPage<W>> {
    const [, at, id] = /^(\d+)\.(.+)$/.exec(after ?? '') ?? [];
    const text = query({ status: status !== undefined, saga: saga !== undefined, after: id !== undefined });
    const rows = await this.#rows(text, { status, saga, at, id, limit: limit + 1 });
    const workflows = rows.slice(0, limit).map(read);
    const last = rows.length > limit ? workflows.at(-1)?.state : undefined;
    return { workflows, next: last && `${last.startedAt}.${last.id}` };
  }

  async counts(): Promise<readonly WorkflowCount[]> {
    const rows = await this.#rows(this.#tables.counts, {});
    return rows.map((row) => ({
      saga: String(row['saga_name']),
      status: String(row['status']) as SagaStatus,
      count: Number(row['number']),
    }));
  }

  /** Why the tables cannot be used; undefined when they can. Rejects when the database cannot be asked. */
  async #problem(): Promise<Failure | undefined> {
    try {
      for (const probe of this.#tables.probes) await this.#ask(probe, {});
      return undefined;
    } catch (error) {
      return refusal(error);
    }
  }

  /**
   * Makes the tables, all or none where the database can roll that back; resolves with the reason why they could not be
   * made.
   */
  async #make(): Promise<Failure | undefined> {
    try {
      if (!this.#options.dialect.undoesSchema) {
        for (const statement of this.#tables.create) await this.#ask(statement, {});
        return undefined;
      }
      await this.#transaction(async (statements) => {
        for (const statement of this.#tables.create) await statements.execute(statement, {});
      });
      return undefined;
    } catch (error) {
      return refusal(error);
    }
  }

  #unusable(problem: Failure): Failure {
    const { connector, create, table } = this.#options;
    const missing = this.#options.remedy ?? 'write auto_create = true';
    const remedy = create ? 'name another table, or make it as docs/workflows.md shows' : missing;
    const text = `table "${table}" of connector "${connector.name}" cannot hold workflows: ${problem.message}; ${remedy}`;
    return new Failure('connector_failed', text, {
      cause: problem,
      retriable: false,
      at: { connector: connector.name },
    });
  }

  async #rows(query: string, params: Params): Promise<Row[]> {
    return [...((await this.#ask(query, params)).rows ?? [])];
  }

  async #ask(query: string, params: Params): Promise<CallResult> {
    let execute = this.#prepared.get(query);
    if (execute === undefined) {
      execute = this.#target.prepare({
        verb: 'call',
        operation: undefined,
        target: undefined,
        query,
        timeout: undefined,
        exact: true,
        fresh: true,
        flow: 'workflows',
        label: this.#options.table,
      });
      this.#prepared.set(query, execute);
    }
    return execute({ params });
  }

  #transaction<T>(work: (statements: StatementRunner) => Promise<T>): Promise<T> {
    return this.#transactions.run(work, undefined);
  }

  get #target() {
    const { name, target } = this.#options.connector;
    if (target === undefined) throw new Failure('internal', `connector "${name}" is not a database`);
    return target;
  }

  get #transactions(): Transactions {
    const { transactions } = this.#target;
    if (transactions !== undefined) return transactions;
    throw new Failure('internal', `connector "${this.#options.connector.name}" has no transactions`);
  }
}

/** The objection of the database to a statement; throws the error that prevented the request. */
function refusal(error: unknown): Failure {
  if (error instanceof Failure && !error.retriable) return error;
  throw error;
}
