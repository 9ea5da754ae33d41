/** One expression of a stage, evaluated. Durations are microseconds without pauses; values are as they may be shown. */
export interface RecordedRule {
  readonly target: string;
  readonly expression: string;
  /** Where it is written; empty when unknown. */
  readonly at: string;
  readonly durationUs: number;
  /** Absent when it failed. */
  readonly value?: unknown;
  readonly error?: string;
}

/** What a dry run did not do. */
export interface RecordedSimulation {
  readonly connector: string;
  readonly operation: string;
  readonly answer: unknown;
}

/** How a stage ended; `open`: it never did. */
export type StageState = 'done' | 'dropped' | 'failed' | 'skipped' | 'open';

export interface RecordedStage {
  readonly stage: string;
  /** Label of the block, target of a destination; empty when the stage needs none. */
  readonly name: string;
  /** Where it is written, `flows/orders.hcl:12`; empty when nothing is written for it. */
  readonly at: string;
  readonly state: StageState;
  readonly durationUs: number;
  readonly rules: readonly RecordedRule[];
  /** What it made; absent for stages that make nothing. */
  readonly value?: unknown;
  readonly error?: string;
  readonly simulated: readonly RecordedSimulation[];
  /** Flows that it called. */
  readonly flows: readonly RecordedFlow[];
}

/** One execution of a flow. */
export interface RecordedFlow {
  readonly flow: string;
  readonly durationUs: number;
  /** In the order in which they ran; skipped ones are where they would have run. */
  readonly stages: readonly RecordedStage[];
  /** What a dry run did not do outside of stages, such as storing in a cache. */
  readonly simulated: readonly RecordedSimulation[];
  /** Flows that ran for it outside of its stages. */
  readonly flows: readonly RecordedFlow[];
}

/** How the flow ended. */
export type RecordedOutcome =
  | {
      readonly kind: 'reply';
      readonly value: unknown;
      readonly status?: number;
      readonly headers?: unknown;
      /** Why a dry run could not shape the answer as the flow would. */
      readonly note?: string;
    }
  | {
      readonly kind: 'drop';
      readonly reason: string;
      readonly decidedBy: string;
      readonly expression: string;
      readonly values: Readonly<Record<string, unknown>>;
      readonly disposition: string;
      readonly messageId: string;
    }
  | {
      readonly kind: 'failure';
      readonly code: string;
      /** With the messages of its causes. */
      readonly message: string;
      readonly stage: string;
      readonly connector: string;
      /** Where the stage is written; empty when unknown. */
      readonly at: string;
      readonly fields: readonly { readonly field: string; readonly code: string; readonly message: string }[];
      /** Answer of a remote system. */
      readonly upstream?: { readonly status: number; readonly body: string };
      /** What may have made a dry run fail. */
      readonly note?: string;
      /** What the caller is answered, when the flow has an `error_response`. */
      readonly reply?: { readonly value: unknown; readonly status?: number };
    };

/** Everything that `svc trace` shows of one run. */
export interface Recording {
  readonly flow: string;
  readonly dryRun: boolean;
  readonly run: RecordedFlow;
  readonly outcome: RecordedOutcome;
}
