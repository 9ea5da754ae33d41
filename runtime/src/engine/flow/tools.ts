import type { Project } from '@svc/protocol/model';
import type { CelSource } from '@svc/protocol/schema';
import type { KeptAnswers } from '../../foundation/contracts/kept-answers.ts';
import type { PlanServices, RunFlow } from '../../foundation/contracts/plan.ts';
import type { Storage } from '../../foundation/contracts/storage.ts';
import type { CallDescription, Target } from '../../foundation/contracts/target.ts';
import type { AnyWords } from '../../foundation/contracts/words.ts';
import type { CacheEvents } from './cache-events.ts';
import type { DeclaredParameters } from './calls/operation-parameters.ts';
import type { Expression } from './compile/expression.ts';
import type { Frame } from './message/frame.ts';
import type { Checker } from './stages/validate/checker.ts';

/** What stages receive when a flow is compiled. */
export interface FlowTools {
  readonly services: PlanServices;
  readonly project: Project;
  /** The events of flows for the caches of this generation. */
  readonly events: CacheEvents;
  /** Compiles once per text; `extra` are variables besides those that the source's position declares. */
  expression(source: CelSource, title: string, extra?: readonly string[]): Expression;
  /** A connector of the configuration, created but possibly not open yet. */
  connector(name: string): ConnectorUse;
  /** A flow of the configuration, which may be compiled later than the one that calls it. */
  flow(name: string): RunFlow;
  /**
   * Throws when the flow no longer holds what it took, such as its lock: called before every change. Undefined in flows
   * that take nothing.
   */
  readonly checkHeld: ((frame: Frame) => void) | undefined;
  /** Tells of answers that the flow keeps, for people who look at them. */
  keepsAnswers(answers: KeptAnswers): void;
  /** The checker of a type; undefined when no type was named. */
  type(name: string | undefined): Checker | undefined;
}

/** The cache of a connector. Links were checked before, so one without a cache is a defect of the program. */
export function storageOf(name: string, tools: Pick<FlowTools, 'connector'>): Storage {
  const { storage } = tools.connector(name);
  if (storage === undefined) throw new Error(`connector "${name}" holds no cache`);
  return storage;
}

/** A connector as flows use it. */
export interface ConnectorUse {
  readonly name: string;
  /** The name that metrics use (its driver, or its type). */
  readonly type: string;
  readonly abilities: ReadonlySet<'read' | 'write' | 'call'>;
  /** See `TargetSpec.forwards`; empty where one of its profiles takes nothing so. */
  readonly forwards: ReadonlySet<string>;
  /** See `TargetSpec.takesAnswers`. */
  readonly takesAnswers: boolean;
  /** It does nothing but take messages, of which `params` say how they are sent. */
  readonly takesMessages: boolean;
  /** See `TargetSpec.answersFile`. */
  readonly answersFile: (operation: string | undefined) => boolean;
  readonly target: Target | undefined;
  readonly storage: Storage | undefined;
  /** A call may change anything, and is complete without an operation (`TargetSpec.runs`). */
  readonly runs: boolean;
  /** What a literal operation does, where its connector knows that (`TargetSpec.effect`). */
  effect(operation: string | undefined): 'reads' | 'writes' | undefined;
  /** The named operation that a word refers to; undefined when the word is literal. */
  operation(word: string | undefined): NamedOperation | undefined;
}

/** What a named operation resolves to, as a flow would have written it itself. */
export interface NamedOperation {
  readonly name: string;
  /** Its block, as the connector receives it. */
  readonly own: AnyWords;
  readonly operation: string | undefined;
  readonly target: string | undefined;
  readonly query: string | undefined;
  readonly timeout: number | undefined;
  /** Types that validate what goes in and comes back. */
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly parameters: DeclaredParameters | undefined;
  /** The places of those parameters that declare one. */
  readonly places: CallDescription['places'];
}

/** A call of a target as stages describe it; omitted properties are unset. */
export type CallWords = Pick<CallDescription, 'verb' | 'flow' | 'label'> & Partial<CallDescription>;
