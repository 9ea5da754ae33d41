import type { SagaState, SagaStatus } from '../program.ts';

/** The right to run instances: its owner, and its end (milliseconds since 1970). */
export interface Lease {
  /** Unique to one engine of one process. */
  readonly owner: string;
  readonly until: number;
}

/** One instance as it is kept. */
export interface StoredWorkflow {
  readonly state: SagaState;
  /**
   * Name of the step at `state.step`; undefined when all are done. It is authoritative when the saga has changed
   * meanwhile.
   */
  readonly stepName: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Its cancellation was requested. */
  readonly cancelRequested: boolean;
  /** Grows with every change by an owner: a save must be based on the last one. */
  readonly version: number;
  /** The owner of its present or last lease. */
  readonly owner: string | undefined;
}

/** Which instances are claimed, for which owner, and how many at most. */
export interface Claim {
  /** Sagas that the caller can run; instances of others are not claimed. */
  readonly sagas: readonly string[];
  readonly lease: Lease;
  readonly now: number;
  readonly limit: number;
  /** Called with each id before it is claimed: when the claim rejects, the owner may hold it. */
  readonly trying?: ((id: string) => void) | undefined;
}

/** How one state is saved. */
export interface Saving {
  readonly lease: Lease;
  readonly now: number;
  /** Do not save when a cancellation was requested; report that instead. */
  readonly unlessCancelled: boolean;
  /** The event whose signal this state has taken up: it is deleted with the same change. */
  readonly taken?: string | undefined;
}

/** The result of a save. `lost`: another owner has the instance now, nothing was changed. */
export type Saved = 'kept' | 'cancel_requested' | 'lost';

export interface WorkflowFilter {
  readonly status?: SagaStatus | undefined;
  readonly saga?: string | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface WorkflowPage<W = StoredWorkflow> {
  /** The newest come first. */
  readonly workflows: readonly W[];
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined;
}

/** An instance without what it holds, which may be large. */
export type BriefWorkflow = Pick<StoredWorkflow, 'stepName' | 'updatedAt' | 'cancelRequested'> & {
  readonly state: Pick<
    SagaState,
    'id' | 'saga' | 'status' | 'step' | 'resumeAt' | 'awaiting' | 'expiresAt' | 'stepExpiresAt' | 'error' | 'startedAt'
  >;
};

/** How many instances of a saga are in progress with one status. */
export interface WorkflowCount {
  readonly saga: string;
  readonly status: SagaStatus;
  readonly count: number;
}

/**
 * Keeps instances of sagas beyond the lifetime of a process. All methods reject with a Failure when the store cannot be
 * reached; then the result of the change is unknown, and a retry is safe. Times are milliseconds since 1970.
 */
export interface WorkflowStore {
  /** Makes the tables, or rejects with a Failure that says what is missing. May be called again. */
  prepare(): Promise<void>;
  /** The time of the store's own clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Keeps a new instance, version 1. With a lease it is the owner's, without one it is due at once. */
  create(state: SagaState, stepName: string | undefined, lease: Lease | undefined): Promise<void>;
  /**
   * Claims instances that no owner holds and that have something to do: they run, one of their times has come, their
   * signal has arrived, or a cancellation was requested. Of several processes one gets each.
   */
  claim(claim: Claim): Promise<readonly StoredWorkflow[]>;
  /**
   * Saves a state that was claimed with this version, which then is one higher. A state that waits or has ended is
   * released with the same change; signals of one that has ended are deleted.
   */
  save(workflow: Pick<StoredWorkflow, 'state' | 'stepName' | 'version'>, saving: Saving): Promise<Saved>;
  /** Extends the leases of those instances that the owner still holds. */
  renew(ids: readonly string[], lease: Lease): Promise<void>;
  /**
   * Releases one instance in its last saved state, for any process to take; no effect when the owner no longer holds it
   * with this version, so that a request which arrives late does not affect a later owner.
   */
  release(id: string, held: { readonly owner: string; readonly version: number }, now: number): Promise<void>;
  /** When the next waiting instance has something to do; undefined when each waits for a signal. */
  nextWake(sagas: readonly string[]): Promise<number | undefined>;
  /**
   * Keeps a signal until its instance waits for it: `already` when one of the event is kept, `ended` when the instance
   * has ended.
   */
  signal(
    id: string,
    event: string,
    body: Readonly<Record<string, unknown>>,
    now: number,
  ): Promise<'kept' | 'already' | 'ended' | 'unknown'>;
  /** The body of a kept signal. */
  pendingSignal(id: string, event: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /**
   * Requests the cancellation of an instance; false when it neither runs nor waits, or when it was requested before.
   */
  requestCancel(id: string, now: number): Promise<boolean>;
  get(id: string): Promise<StoredWorkflow | undefined>;
  list(filter: WorkflowFilter): Promise<WorkflowPage>;
  /** The same list without what the instances hold. */
  brief(filter: WorkflowFilter): Promise<WorkflowPage<BriefWorkflow>>;
  /** Instances that have not ended. */
  counts(): Promise<readonly WorkflowCount[]>;
}

/** When a waiting instance has something to do by itself; undefined when only a signal resumes it. */
export function wakeTime({ resumeAt, stepExpiresAt, expiresAt }: SagaState): number | undefined {
  const times = [resumeAt, stepExpiresAt, expiresAt].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
