import type { KnownTarget } from '@svc/protocol/wire';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { prepareCall } from '../call.ts';
import type { Caller, DatabaseConnector, Engine, Execution } from '../engine.ts';
import { prepareRows } from '../many.ts';
import type { Bound } from '../statement/bound.ts';
import type { Dialect } from '../statement/dialect.ts';
import type { RowRun } from '../statement/insert-form.ts';
import { knownTables } from '../statement/known.ts';
import { type Table, Tables } from '../statement/table.ts';
import type { Driver } from './driver.ts';
import { serverFailure } from './failure.ts';
import type { ServerNode } from './node.ts';
import { Nodes, serversOf } from './nodes.ts';
import { ServerSchema } from './schema.ts';
import type { ServerConfig } from './spec.ts';
import type { Ask } from './tables.ts';
import { ServerTransactions } from './transactions.ts';

/** How the connector reads for itself. */
const lookup: Execution = {
  kind: { reads: true, inserts: false, changesSchema: false, changesSession: false },
  exact: false,
  timeout: undefined,
};

/** A database on a server: a primary and perhaps replicas, each with connections of its own. */
export class ServerConnector<Connection, Statement, Result> implements DatabaseConnector, Engine {
  readonly name: string;
  readonly dialect: Dialect;
  readonly tables: Tables<Promise<Table | undefined>>;
  readonly nameable: readonly string[] | undefined;
  readonly target: DatabaseConnector['target'];
  readonly schema: ServerSchema;
  private readonly driver: Driver<Connection, Statement, Result>;
  private readonly nodes: Nodes<ServerNode<Connection, Statement, Result>>;
  private readonly transactions: ServerTransactions<Connection, Statement, Result>;

  constructor(
    name: string,
    config: ServerConfig,
    services: ConnectorServices,
    driver: Driver<Connection, Statement, Result>,
  ) {
    this.name = name;
    this.dialect = driver.dialect;
    this.nameable = config.tables;
    this.driver = driver;
    const servers = () => serversOf(name, config, services, driver.defaults, (options) => driver.node(options));
    this.nodes = new Nodes(name, services, servers, (node, bound, execution, signal) =>
      this.execute(node, bound, execution, signal, true),
    );
    const primary = () => this.nodes.primary;
    this.tables = new Tables((target) => driver.tables.read(this.ask, target));
    this.transactions = new ServerTransactions(this, driver, primary);
    this.target = {
      prepare: (call) => prepareCall(this, call),
      prepareRows: (call) => prepareRows(this, call),
      transactions: this.transactions,
    };
    this.schema = new ServerSchema(name, driver, primary, this.ask, () => this.forgetTables());
  }

  get connector(): string {
    return this.name;
  }

  open(signal: AbortSignal): Promise<void> {
    return this.nodes.open((primary) => this.driver.prepare(primary, signal), signal);
  }

  close(cut?: AbortSignal): Promise<void> {
    return this.nodes.close(cut);
  }

  async check(signal: AbortSignal): Promise<void> {
    try {
      await this.nodes.primary.check(signal);
    } catch (error) {
      throw serverFailure(error, this.name, this.driver.errors, { doing: 'statement', lost: 'repeatable' });
    }
  }

  async knownTargets(signal: AbortSignal): Promise<readonly KnownTarget[]> {
    const bound: Bound = { text: this.driver.tables.known, values: [], stable: true };
    const { rows = [] } = await this.execute(this.nodes.primary, bound, lookup, signal, true);
    return knownTables(rows, this.dialect);
  }

  run(bound: Bound, execution: Execution, { signal }: Caller): Promise<CallResult> {
    return this.nodes.run(bound, execution, signal);
  }

  takesRun(run: RowRun): boolean {
    return this.driver.takesRun(run);
  }

  /** `again`: a statement that has to be prepared again is sent again. */
  private async execute(
    node: ServerNode<Connection, Statement, Result>,
    bound: Bound,
    execution: Execution,
    signal: AbortSignal | undefined,
    again: boolean,
  ): Promise<CallResult> {
    const { driver } = this;
    const { kind, exact, timeout } = execution;
    try {
      const result = await node.query(driver.statement(bound, exact), {
        timeout,
        signal,
        writes: !kind.reads,
        changesSession: kind.changesSession,
      });
      if (kind.changesSchema) this.forgetTables();
      return await driver.answer(result, kind, exact, (asked) => node.query(asked, { timeout, signal }));
    } catch (error) {
      if (again && driver.prepareAgain(error, bound)) return this.execute(node, bound, execution, signal, false);
      // The table is not what it was: it is read again before the next statement is written.
      if (driver.errors.tableChanged(error)) this.forgetTables();
      const lost = kind.reads ? 'repeatable' : 'unknown';
      throw serverFailure(error, this.name, driver.errors, { doing: 'statement', bound, lost });
    }
  }

  private readonly ask: Ask = async (text, values) => {
    const bound: Bound = { text, values, stable: true };
    return (await this.execute(this.nodes.primary, bound, lookup, undefined, true)).rows ?? [];
  };

  private forgetTables(): void {
    this.tables.forget();
    this.transactions.forgetTables();
  }
}
