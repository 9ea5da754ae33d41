import type { WorkflowEventKind, WorkflowStatus } from '@svc/protocol/wire';
import type { Auth } from '../../foundation/contracts/message.ts';
import type { Frame } from '../flow/message/frame.ts';
import type { HiddenValues } from './hidden-values.ts';

/** A compiled saga: its steps in written order, each expression compiled. */
export interface SagaProgram {
  readonly name: string;
  /** Deadline of the whole saga from its beginning, in milliseconds. */
  readonly timeout: number | undefined;
  readonly steps: readonly SagaStep[];
  readonly onComplete: SagaAction | undefined;
  readonly onFailure: SagaAction | undefined;
  /** Whether it pauses somewhere, so that its state must outlive the process. */
  readonly pauses: boolean;
}

export interface SagaStep {
  readonly name: string;
  readonly action: SagaAction | undefined;
  readonly compensate: SagaAction | undefined;
  /** Milliseconds after the action before the saga continues. */
  readonly delay: number | undefined;
  /** Event that the saga waits for after the action. */
  readonly await: string | undefined;
  /** Milliseconds for the action, or for the event. */
  readonly timeout: number | undefined;
  readonly onError: 'fail' | 'skip';
  readonly retry: SagaRetry | undefined;
}

/** How often an action is tried. */
export interface SagaRetry {
  /** Attempts in all. */
  readonly attempts: number;
  /** Milliseconds before the attempt that follows attempt number `tried`. */
  readonly wait: (tried: number) => number;
  /** It is tried again also when it is unknown whether a write has happened. Default: false. */
  readonly unsafe?: boolean | undefined;
}

/**
 * One call. The frame is what its expressions read: `input`, `step.<name>`, `constants`, `auth`, in `on_failure` also
 * `error`. Throws or rejects with a Failure.
 */
export type SagaAction = (frame: Frame, tried?: number) => unknown;

/** The status of an instance. The last two show the result of the compensation. */
export type SagaStatus = WorkflowStatus;

/** Something that happened to an instance, as its history has it. */
export interface SagaEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: WorkflowEventKind;
  /** Absent for `ended`, and for a failure after the last step. */
  readonly step?: string | undefined;
  /** How often its action was tried; absent for a step without one. */
  readonly tries?: number | undefined;
}

/** The complete state of one instance; plain JSON, integers as bigint. Times are milliseconds since 1970. */
export interface SagaState {
  readonly id: string;
  readonly saga: string;
  status: SagaStatus;
  /** Position of the step that runs, or is waited in; the number of steps when all are done. */
  step: number;
  readonly input: Readonly<Record<string, unknown>>;
  /** Who started it, as `auth` in its expressions; absent: the caller was anonymous. */
  readonly auth?: Auth | undefined;
  /** Results of finished steps by name. */
  results: Record<string, unknown>;
  /** Steps whose action succeeded, or that ended without one, and that are not compensated yet, in order. */
  undo: string[];
  /** What the saga was ending as when it began to compensate: `failed` or `cancelled`. */
  ending: 'failed' | 'cancelled' | undefined;
  /** Body of the last signal; readable as `input.signal`. */
  signal: Readonly<Record<string, unknown>> | undefined;
  /** When its wait ends; kept until the step is done, so that it does not wait twice. */
  resumeAt: number | undefined;
  /** The event that it waits for, or that has come for the present step. */
  awaiting: string | undefined;
  /** When the wait for the event times out. */
  stepExpiresAt: number | undefined;
  /** When the saga times out. */
  expiresAt: number | undefined;
  error: string | undefined;
  compensationErrors: string[];
  /** The number of attempts of the present compensation. */
  attempts: number;
  readonly startedAt: number;
  /** When its values are not shown; absent: they are always shown. It is kept, whatever later configurations read. */
  hidden?: HiddenValues | undefined;
  /** The oldest first; absent of instances that no store keeps, and of older ones. */
  history?: SagaEvent[] | undefined;
}

/** Keeps the state of an instance before and after each effect, so that another process can continue it. */
export interface SagaJournal {
  /**
   * Resolves when the state is safe. Rejects when it is not: this process then stops running the instance, and another
   * one continues.
   */
  save(state: SagaState): Promise<void>;
}

/** For sagas without pauses: their state ends with the process. */
export const forgetful: SagaJournal = { save: async () => undefined };

/**
 * Passes an instance that no process runs yet to the engine. Resolves when it is saved: from then on the engine owns
 * it. Rejects with `store_unavailable` when it cannot be saved; it was not begun then.
 */
export type StartWorkflow = (state: SagaState) => Promise<void>;

/** Between the flows that begin sagas and the engine that keeps those that pause; one for each generation. */
export interface Workflows {
  /** The programs of all sagas by name, filled while flows are compiled and complete when the first message comes. */
  readonly programs: Map<string, SagaProgram>;
  /** Undefined where no engine is configured; sagas that pause are refused there before the service starts. */
  readonly start: StartWorkflow | undefined;
}
