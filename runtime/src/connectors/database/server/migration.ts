import type { Rows } from './tables.ts';

/** One connection on which a migration runs. What its methods reject with is translated by its caller. */
export interface MigrationConnection {
  /** Tries to get the lock by which processes that migrate one database exclude each other; false while another has it. */
  lock(): Promise<boolean>;
  query(text: string, values: readonly unknown[]): Promise<Rows>;
  /** Runs a script of any number of statements, each on its own unless a transaction is open. */
  script(sql: string): Promise<void>;
  /** Makes the session what it was before scripts, whose settings are for themselves; in an open transaction too. */
  restore(): Promise<void>;
  /** Runs a statement that begins or ends a transaction. */
  command(text: string): Promise<void>;
  /** False when a script has ended the transaction that it ran in, as far as the server says. */
  readonly inTransaction: boolean;
  /** Ends the connection, and with it the lock and whatever scripts have left. */
  end(): void;
}
