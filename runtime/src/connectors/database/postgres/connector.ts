import pg from 'pg';
import type { ConnectorServices, Factory } from '../../../contracts/connector.ts';
import type { CallResult } from '../../../contracts/target.ts';
import { Failure } from '../../../errors/failure.ts';
import { prepareCall } from '../call.ts';
import type { Caller, DatabaseConnector, Engine, Execution } from '../engine.ts';
import type { Bound } from '../statement/dialect.ts';
import { type Table, Tables } from '../statement/table.ts';
import { addressOf, type PostgresConfig } from './address.ts';
import { answerOf, isStale } from './answer.ts';
import { postgresDialect } from './dialect.ts';
import { postgresFailure } from './errors.ts';
import { StatementNames } from './names.ts';
import { PostgresNode } from './node.ts';
import { Replicas } from './replicas.ts';
import { PostgresSchema } from './schema.ts';
import type { postgres } from './spec.ts';
import { readTable } from './tables.ts';
import { tlsOptions } from './tls.ts';
import { PostgresTransactions } from './transactions.ts';
import { ownArrays, ValueTypes } from './types.ts';

export const create: Factory<typeof postgres> = (name, config, services) =>
  new PostgresConnector(name, config, services);

/** One PostgreSQL database: a primary and perhaps replicas, each with connections of its own. */
class PostgresConnector implements DatabaseConnector, Engine {
  readonly name: string;
  readonly dialect = postgresDialect;
  readonly tables: Tables<Promise<Table | undefined>>;
  readonly nameable: readonly string[] | undefined;
  readonly target: DatabaseConnector['target'];
  readonly schema: PostgresSchema;
  private readonly transactions: PostgresTransactions;
  private readonly config: PostgresConfig;
  private readonly services: ConnectorServices;
  private readonly names = new StatementNames();
  private readonly types = new ValueTypes();
  private nodes: { readonly primary: PostgresNode; readonly replicas: Replicas } | undefined;

  constructor(name: string, config: PostgresConfig, services: ConnectorServices) {
    this.name = name;
    this.config = config;
    this.nameable = config.tables;
    this.services = services;
    this.tables = new Tables((target) => readTable(this.ask, target));
    const primary = () => this.opened().primary;
    this.transactions = new PostgresTransactions(this, primary, this.names, this.types);
    this.target = {
      prepare: (call) => prepareCall(this, call),
      transactions: this.transactions,
    };
    this.schema = new PostgresSchema(name, primary, () => this.forgetTables());
  }

  get connector(): string {
    return this.name;
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.nodes !== undefined) return;
    const nodes = this.makeNodes();
    try {
      const { rows } = await nodes.primary.query({ text: ownArrays, types: this.types.plain }, { signal });
      for (const { array, element } of rows) this.types.learn(array, element);
    } catch (error) {
      await Promise.all([nodes.primary, ...nodes.replicas.nodes].map((node) => node.close()));
      throw error;
    }
    this.nodes = nodes;
    await Promise.all(nodes.replicas.nodes.map((node) => this.greet(node, nodes.replicas, signal)));
  }

  async close(): Promise<void> {
    const { nodes } = this;
    this.nodes = undefined;
    if (nodes !== undefined) await Promise.all([nodes.primary, ...nodes.replicas.nodes].map((node) => node.close()));
  }

  async check(signal: AbortSignal): Promise<void> {
    try {
      await this.opened().primary.check(signal);
    } catch (error) {
      throw postgresFailure(error, this.name, { doing: 'statement', lost: 'repeatable' });
    }
  }

  async run(bound: Bound, execution: Execution, { signal }: Caller): Promise<CallResult> {
    const { primary, replicas } = this.opened();
    const replica = execution.kind.reads ? replicas.next() : undefined;
    if (replica === undefined) return this.execute(primary, bound, execution, signal, true);
    try {
      return await this.execute(replica, bound, execution, signal, true);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'connector_refused') throw error;
      // A read that got no answer can be asked elsewhere.
      replicas.rest(replica);
      return this.execute(primary, bound, execution, signal, true);
    }
  }

  private async execute(
    node: PostgresNode,
    bound: Bound,
    execution: Execution,
    signal: AbortSignal | undefined,
    again: boolean,
  ): Promise<CallResult> {
    const { kind, exact, timeout } = execution;
    try {
      const result = await node.query(this.statement(bound, exact), { timeout, signal, writes: !kind.reads });
      if (kind.changesSchema) this.forgetTables();
      return answerOf(result, kind);
    } catch (error) {
      if (again && isStale(error)) {
        this.names.renew(bound.text);
        return this.execute(node, bound, execution, signal, false);
      }
      // The table is not what it was: it is read again before the next statement is written.
      if (error instanceof pg.DatabaseError && error.code?.startsWith('42')) this.forgetTables();
      throw postgresFailure(error, this.name, {
        doing: 'statement',
        bound,
        lost: kind.reads ? 'repeatable' : 'unknown',
      });
    }
  }

  private forgetTables(): void {
    this.tables.forget();
    this.transactions.forgetTables();
  }

  private statement(bound: Bound, exact: boolean): pg.QueryConfig {
    const name = bound.stable ? this.names.nameOf(bound.text) : undefined;
    return {
      name,
      text: bound.text,
      values: bound.values as unknown[],
      types: exact ? this.types.exact : this.types.plain,
    };
  }

  private readonly ask = async (text: string, values: readonly unknown[]) => {
    const bound: Bound = { text, values, stable: true };
    const kind = { reads: true, inserts: false, changesSchema: false };
    const { primary } = this.opened();
    return (await this.execute(primary, bound, { kind, exact: false, timeout: undefined }, undefined, true)).rows ?? [];
  };

  private makeNodes(): { primary: PostgresNode; replicas: Replicas } {
    const { config, services, name } = this;
    const address = addressOf(name, config);
    if (address.ignored.length > 0) {
      services.log.warn('options of the database url mean nothing here', { options: address.ignored });
    }
    const options = {
      connector: name,
      address,
      ssl: tlsOptions(name, address, services.directory),
      statementTimeout: config.statement_timeout,
      max: config.pool?.max ?? 25,
      min: config.pool?.min ?? 5,
      maxLifetime: config.pool?.max_lifetime ?? 0,
      userAgent: services.userAgent,
      log: services.log,
    };
    const replicas = config.use_replicas ? config.replicas : [];
    return {
      primary: new PostgresNode(options),
      replicas: new Replicas(
        replicas.map(({ host, port, weight, max_connections }) => ({
          node: new PostgresNode({
            ...options,
            address: { ...address, host, port: port ?? address.port },
            max: max_connections ?? options.max,
          }),
          weight,
        })),
        services.clock,
      ),
    };
  }

  /** A replica that cannot be reached is only worth a warning. */
  private async greet(node: PostgresNode, replicas: Replicas, signal: AbortSignal): Promise<void> {
    try {
      (await node.acquire(signal)).release();
    } catch (error) {
      replicas.rest(node);
      this.services.log.warn('a read replica cannot be reached', {
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }

  private opened(): { readonly primary: PostgresNode; readonly replicas: Replicas } {
    if (this.nodes !== undefined) return this.nodes;
    throw new Failure('connector_refused', `database "${this.name}" is not open`, { at: { connector: this.name } });
  }
}
