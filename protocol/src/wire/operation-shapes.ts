/** Every status of a workflow, those in progress first. The last two show what undoing came to. */
export const workflowStatuses = [
  'running',
  'waiting',
  'compensating',
  'completed',
  'failed',
  'cancelled',
  'compensation_failed',
] as const;

export type WorkflowStatus = (typeof workflowStatuses)[number];

/** A workflow in a list. Times are ISO 8601; null where it has no such time. */
export interface WorkflowEntry {
  readonly id: string;
  /** Name of its saga, which is the name of its flow. */
  readonly flow: string;
  readonly status: WorkflowStatus;
  /** The step that it is at; null when all are done. */
  readonly step: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** The event that it waits for. */
  readonly awaits: string | null;
  /** When a delay ends. */
  readonly resumesAt: string | null;
  /** When the wait for the event, or the whole saga, times out. */
  readonly expiresAt: string | null;
  /** Its cancellation was requested and has not begun. */
  readonly cancelRequested: boolean;
}

/** A saga that the configuration has, as far as it can be kept. */
export interface WorkflowFlow {
  readonly name: string;
  /** The events that its steps wait for, in their order. */
  readonly events: readonly string[];
}

export interface WorkflowsEntry {
  /** The connector that keeps them; null where the service keeps none. */
  readonly storage: string | null;
  readonly flows: readonly WorkflowFlow[];
  /** How many are in progress. */
  readonly counts: readonly { readonly flow: string; readonly status: WorkflowStatus; readonly count: number }[];
  /** The newest first. */
  readonly workflows: readonly WorkflowEntry[];
  /** What `before` is for those after them; null: there are no more. */
  readonly next: string | null;
}

/**
 * What happened. `waiting`: for the time or the event of a step; `signalled`, `resumed`: that wait is over; `done`,
 * `skipped`, `failed`: how the action of a step ended; `cancelled`: undoing begins since that was requested;
 * `compensated`, `not_compensated`: a step was undone, or could not be; `ended`: nothing follows.
 */
export type WorkflowEventKind =
  | 'waiting'
  | 'signalled'
  | 'resumed'
  | 'done'
  | 'skipped'
  | 'failed'
  | 'cancelled'
  | 'compensated'
  | 'not_compensated'
  | 'ended';

export interface WorkflowEvent {
  /** ISO 8601. */
  readonly at: string;
  readonly kind: WorkflowEventKind;
  /** Null for `ended`, and when all steps were done. */
  readonly step: string | null;
  /** How often the action was tried; null where there was none. */
  readonly tries: number | null;
}

export interface WorkflowStep {
  readonly name: string;
  readonly status:
    | 'pending'
    | 'running'
    | 'waiting'
    | 'done'
    | 'skipped'
    | 'failed'
    | 'cancelled'
    | 'compensating'
    | 'compensated'
    | 'not_compensated';
  /** The event that it waits for before its action. */
  readonly awaits: string | null;
  /** Milliseconds that it waits before its action. */
  readonly delayMs: number | null;
  /** Whether it has something that undoes it. */
  readonly compensates: boolean;
  /** When the status began; null where that is not known. */
  readonly at: string | null;
  /** How often its action was tried; null where that is not known. */
  readonly tries: number | null;
  readonly error: string | null;
}

/** One workflow, whole. */
export interface WorkflowDetail extends WorkflowEntry {
  /** Those of its saga, in order; empty when the configuration no longer has it. */
  readonly steps: readonly WorkflowStep[];
  /** The oldest first; empty for one that is older than its history. */
  readonly history: readonly WorkflowEvent[];
  /** Why it failed. */
  readonly error: string | null;
  readonly compensationErrors: readonly string[];
  /** What can be signalled now: the event that it waits for, and those that it will wait for. */
  readonly events: readonly string[];
  readonly input: unknown;
  /** Results of its steps by their names. */
  readonly results: unknown;
  /** Body of the last signal; null: there was none. */
  readonly signal: unknown;
}

/** How the last run of a schedule ended; `skipped`: the one before had not ended; `elsewhere`: another process has it. */
export type ScheduleOutcome = 'succeeded' | 'failed' | 'skipped' | 'elsewhere';

/** A flow that runs by the clock. Times are ISO 8601. */
export interface ScheduleEntry {
  readonly flow: string;
  /** As written. */
  readonly expression: string;
  /** The zone whose clock it follows; null for intervals. */
  readonly timezone: string | null;
  readonly overlap: 'skip' | 'queue' | 'allow';
  /** The connector in which ticks are claimed, so that one process runs each; null: every process runs all. */
  readonly storage: string | null;
  /** The next runs, with the offset of the zone. */
  readonly next: readonly string[];
  /** Runs under way, and ticks that wait for them. */
  readonly running: number;
  readonly waiting: number;
  /** Null before the first one of this process. */
  readonly last: {
    readonly at: string;
    readonly outcome: ScheduleOutcome;
    /** Null for a run that did not begin here. */
    readonly durationMs: number | null;
  } | null;
}

export interface SchedulesEntry {
  readonly schedules: readonly ScheduleEntry[];
}
