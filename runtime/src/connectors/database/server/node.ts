import type { ConnectionOptions } from 'node:tls';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Address } from './address.ts';
import type { MigrationConnection } from './migration.ts';

/** Where one server is, and how many connections to it are held. */
export interface NodeOptions {
  readonly connector: string;
  readonly address: Address;
  readonly ssl: false | ConnectionOptions;
  /** Longest time of a statement that says nothing else; milliseconds, 0 for ever. */
  readonly statementTimeout: number;
  readonly max: number;
  readonly min: number;
  /** Milliseconds; 0 for ever. */
  readonly maxLifetime: number;
  readonly userAgent: string;
  readonly log: Log;
}

/** How long one statement may take, and for whom. */
export interface Limits {
  /** Milliseconds; the time of the connector when absent. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** It changes something, so that how it ended must be known, as far as it can be. */
  readonly writes?: boolean | undefined;
  /** It changes its connection, which is not used again. */
  readonly changesSession?: boolean | undefined;
}

/** A statement that was sent. */
export interface Running<Result> {
  /** Rejects at once when the signal fires or the time is over, and the server is asked to stop. */
  readonly result: Promise<Result>;
  /** Resolves when the connection does nothing any more, with whether it can be used again. */
  readonly idle: Promise<boolean>;
}

/** Gives a connection back; true destroys it. */
export type Release = (broken?: boolean) => void;

/** A connection that its caller has alone until it is released. */
export interface Lease<Connection> {
  readonly connection: Connection;
  readonly release: Release;
}

/** The connections to one server. `Statement` and `Result` are those of its client library. */
export interface ServerNode<Connection, Statement, Result> {
  /** A connection for the caller, who releases it. Rejects with a Failure after `connect_timeout`. */
  acquire(signal: AbortSignal | undefined): Promise<Lease<Connection>>;
  /** A connection for a migration. Rejects with a Failure after `connect_timeout`. */
  migrate(signal: AbortSignal | undefined): Promise<MigrationConnection>;
  /** Resolves when the server answers; rejects as `query` does. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * Runs one statement on any connection. Rejects with a Failure when there is no connection, the time is over or the
   * signal fires, else with the error of the client library.
   */
  query(statement: Statement, limits: Limits): Promise<Result>;
  /** Runs one statement on a connection that `acquire` gave, within the time of the connector. */
  on(connection: Connection, statement: Statement, signal: AbortSignal | undefined): Running<Result>;
  /** Ends when every connection that is in use was released; when `cut` fires, they are broken. */
  close(cut?: AbortSignal): Promise<void>;
}
