import type { SagaState, SagaStatus } from './program.ts';

/** The right to run instances: whose it is, and until when (milliseconds since 1970). */
export interface Lease {
  /** Unique to one engine of one process. */
  readonly owner: string;
  readonly until: number;
}

/** One instance as it is kept. */
export interface StoredWorkflow {
  readonly state: SagaState;
  /** Name of the step at `state.step`; undefined when all are done. It counts when the saga has changed meanwhile. */
  readonly stepName: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Somebody asked for its cancellation. */
  readonly cancelRequested: boolean;
  /** Grows with every change by an owner: whoever saves must have seen the last one. */
  readonly version: number;
  /** Whose lease it is under, or was. */
  readonly owner: string | undefined;
}

/** Which instances are taken, for whom, and how many at most. */
export interface Claim {
  /** Sagas that the caller can run; instances of others are left alone. */
  readonly sagas: readonly string[];
  readonly lease: Lease;
  readonly now: number;
  readonly limit: number;
  /** Told each id before it is taken: when the claim rejects, the owner may hold it. */
  readonly trying?: ((id: string) => void) | undefined;
}

/** How one state is saved. */
export interface Saving {
  readonly lease: Lease;
  readonly now: number;
  /** Do not save when a cancellation was asked for, but say so. */
  readonly heedCancel: boolean;
  /** The event whose signal this state has taken up: it goes away with the same change. */
  readonly taken?: string | undefined;
}

/** What became of a save. `lost`: somebody else has the instance now, nothing was changed. */
export type Saved = 'kept' | 'cancel_requested' | 'lost';

export interface WorkflowFilter {
  readonly status?: SagaStatus | undefined;
  readonly saga?: string | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface WorkflowPage {
  /** Those that began last come first. */
  readonly workflows: readonly StoredWorkflow[];
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined;
}

/** How many instances of a saga are under way with one status. */
export interface WorkflowCount {
  readonly saga: string;
  readonly status: SagaStatus;
  readonly count: number;
}

/**
 * Keeps instances of sagas beyond the life of a process. All methods reject with a Failure when the store cannot be
 * reached; then nothing is known of the change, and asking again is safe. Times are milliseconds since 1970.
 */
export interface WorkflowStore {
  /** Makes the tables, or rejects with a Failure that says what is missing. May be called again. */
  prepare(): Promise<void>;
  /** The time of the store's own clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Keeps a new instance, version 1. With a lease it is the owner's, without one it is due at once. */
  create(state: SagaState, stepName: string | undefined, lease: Lease | undefined): Promise<void>;
  /**
   * Takes instances that nobody holds and that have something to do: they run, a time of theirs has come, their signal
   * is there, or a cancellation was asked for. Of several processes one gets each.
   */
  claim(claim: Claim): Promise<readonly StoredWorkflow[]>;
  /**
   * Saves a state that was claimed with this version, which then is one higher. A state that waits or has ended is given
   * back with the same change; signals of one that has ended go away.
   */
  save(workflow: Pick<StoredWorkflow, 'state' | 'stepName' | 'version'>, saving: Saving): Promise<Saved>;
  /** Moves the end of those of the instances that are still the owner's. */
  renew(ids: readonly string[], lease: Lease): Promise<void>;
  /**
   * Gives one instance back as it was saved last, for anybody to take; nothing when it is no longer the owner's with this
   * version, so that a request which arrives late does no harm to who has taken it again.
   */
  release(id: string, held: { readonly owner: string; readonly version: number }, now: number): Promise<void>;
  /** When the next waiting instance has something to do; undefined when none does by itself. */
  nextWake(sagas: readonly string[]): Promise<number | undefined>;
  /** Keeps a signal until its instance waits for it: `already` when one of the event is kept, `ended` when nothing can. */
  signal(
    id: string,
    event: string,
    body: Readonly<Record<string, unknown>>,
    now: number,
  ): Promise<'kept' | 'already' | 'ended' | 'unknown'>;
  /** The body of a kept signal. */
  pendingSignal(id: string, event: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Asks whoever runs the instance to cancel it; false when it neither runs nor waits, or was asked before. */
  requestCancel(id: string, now: number): Promise<boolean>;
  get(id: string): Promise<StoredWorkflow | undefined>;
  list(filter: WorkflowFilter): Promise<WorkflowPage>;
  /** Instances that have not ended. */
  counts(): Promise<readonly WorkflowCount[]>;
}

/** When a waiting instance has something to do by itself; undefined when only a signal moves it on. */
export function wakeTime({ resumeAt, stepExpiresAt, expiresAt }: SagaState): number | undefined {
  const times = [resumeAt, stepExpiresAt, expiresAt].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
