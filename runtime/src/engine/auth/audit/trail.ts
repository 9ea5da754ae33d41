import type { Client } from '../client.ts';
import type { auditEvents } from './spec.ts';

export type AuditEvent = (typeof auditEvents)[number];

/** What happened to an account. It never holds a credential. */
export interface AuditRecord {
  readonly event: AuditEvent;
  readonly user_id: string | undefined;
  readonly email: string | undefined;
  /** Absent for what the command line did. */
  readonly client: Client | undefined;
  readonly success: boolean;
  /** A stable word, where it failed. */
  readonly reason: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Keeps records. */
export interface AuditTrail {
  /**
   * Resolves when the record is written, or need not be. Rejects with `store_unavailable` where records are required and this
   * one could not be written: what it is about must not happen then.
   */
  record(record: AuditRecord): Promise<void>;
}

/** Where nothing is recorded. */
export const noTrail: AuditTrail = { record: async () => undefined };
