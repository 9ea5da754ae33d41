import type {
  ScheduleEntry,
  WorkflowDetail,
  WorkflowEntry,
  WorkflowFlow,
  WorkflowStatus,
  WorkflowsEntry,
} from '@svc/protocol/wire';

/** Which workflows are listed. */
export interface WorkflowsAsked {
  readonly flow: string | undefined;
  readonly status: WorkflowStatus | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly before: string | undefined;
}

/** A workflow with everything that it holds, as it is: the caller hides what is not shown. */
export interface KeptWorkflow {
  readonly workflow: WorkflowDetail;
  /** Who started it, which is not shown; what is hidden of it is hidden in values too. */
  readonly auth: unknown;
  /** When no text of its values is shown: never (`always`), or never outside of development. */
  readonly hidden: 'always' | 'outside_development' | undefined;
}

/** The answer to a signal or a cancellation. */
export interface WorkflowAnswer {
  readonly status: WorkflowStatus;
  readonly message: string;
}

/**
 * The workflows that a plan keeps, as people look at them. Everything rejects with a Failure: when the store cannot be
 * reached, for ids that do not exist, and for what the status of a workflow does not permit.
 */
export interface PlanWorkflows {
  /** The connector that keeps them. */
  readonly storage: string;
  /** Sagas that can be kept. */
  flows(): readonly WorkflowFlow[];
  list(asked: WorkflowsAsked): Promise<{ readonly workflows: readonly WorkflowEntry[]; readonly next: string | null }>;
  /** How many are in progress. */
  counts(): Promise<WorkflowsEntry['counts']>;
  read(id: string): Promise<KeptWorkflow>;
  signal(id: string, event: string, body: unknown): Promise<WorkflowAnswer>;
  cancel(id: string): Promise<WorkflowAnswer>;
}

/** The flows of a plan that run by the clock, in this process. */
export interface PlanSchedules {
  list(): readonly ScheduleEntry[];
  /** Runs a flow once now, or says why it does not. */
  run(flow: string): 'begun' | 'queued' | { readonly refused: string };
}
