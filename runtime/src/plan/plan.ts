import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { Binding, Connector, ConnectorServices, HttpApplication } from '../connectors/contract.ts';
import type { Message } from '../flow/message.ts';
import type { Drop, Outcome } from '../flow/outcome.ts';
import type { Metrics } from '../observe/metrics.ts';

/** A checked project made ready: everything that needs no open connector is decided. Immutable. */
export interface Plan {
  readonly project: Project;
  readonly connectors: readonly PlannedConnector[];
  /** Names of the flows, in written order. */
  readonly flows: readonly string[];
  /**
   * Compiles every flow against the connectors made for it, open or not yet, and says what each source triggers.
   * Expressions that do not compile become programs that fail when asked; they were warned about before. With `only`,
   * these flows and those that they call: nothing else is asked of `connectors` and `services` then, the caches of other
   * flows aside that go by what is written.
   */
  bind(connectors: ReadonlyMap<string, Connector>, services: PlanServices, only?: readonly string[]): BoundPlan;
}

export interface PlannedConnector {
  readonly name: string;
  readonly declaration: ConnectorDeclaration;
  /** Equal fingerprints mean that an open connector may serve the next generation. */
  readonly fingerprint: string;
  /** Loads the connector's code and makes it; opens nothing. */
  make(services: ConnectorServices): Promise<Connector>;
}

/** What flows use of the service while they run. */
export type PlanServices = Pick<ConnectorServices, 'log' | 'clock' | 'environment' | 'production' | 'directory'> & {
  readonly observer: FlowObserver;
  readonly probe: FlowProbe;
  /** Where stages count what no observer is told. */
  readonly families: Metrics['families'];
  /** Does work that no message waits for; the generation ends after it. A failure of it is logged. */
  readonly background: (name: string, work: () => Promise<unknown>) => void;
  /** Says that a part of the service works with less than it should, in its health; undefined when it is whole again. */
  readonly degrade: (part: string, message: string | undefined) => void;
  /**
   * What outlives this generation, such as the client of a store or the state of a breaker: the same for every
   * generation that names the same key. It is open before the first message comes.
   */
  readonly share: <T extends Resource>(key: string, make: () => T) => T;
  /** What a connector of this name would be given, for servers that belong to no connector. Absent: there are none. */
  readonly connectorServices?: ((name: string) => ConnectorServices) | undefined;
  /** Milliseconds after which what has not stopped is cut off. */
  readonly stopTime: number;
  /** What flows share is kept in this process alone, and no server is opened for it: in tests. Default: false. */
  readonly isolated?: boolean | undefined;
  /** Runs in place of a flow, such as a recording; undefined: the flow runs. Absent: nothing stands in for any. */
  readonly standIn?: ((flow: string) => RunFlow | undefined) | undefined;
};

/** Something that flows share, whatever generation they belong to. */
export type Resource = Pick<Connector, 'name' | 'open' | 'close' | 'check'>;

/** What runs by itself beside the sources: schedules, workflows. */
export interface Runner {
  readonly name: string;
  /** Called when everything is open and messages are taken. Rejects with a Failure; the service does not start then. */
  start(): Promise<void>;
  /** Begins nothing more; resolves when what it began is done or kept for another process. */
  stop(): Promise<void>;
}

/** Runs a flow as if its trigger had handed over the message. Throws or rejects with a Failure. */
export type RunFlow = (message: Message) => Outcome | Promise<Outcome>;

export interface BoundPlan {
  /** By connector name; sources without a flow are absent. */
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
  /** What a probe is told about each flow, in the order in which it runs. */
  readonly stages: ReadonlyMap<string, readonly WatchedStage[]>;
  /** Every flow by name, whatever triggers it. */
  readonly flows: ReadonlyMap<string, RunFlow>;
  /** The schedules of flows, as written. */
  readonly schedules: ReadonlyMap<string, string>;
  /** In the order in which they start. */
  readonly runners: readonly Runner[];
  /** HTTP servers of no connector, by a name that no connector has. */
  readonly applications: ReadonlyMap<string, HttpApplication>;
}

/** Counts and logs executions. Its methods are called once per execution and must be cheap. */
export interface FlowObserver {
  started(flow: string): void;
  finished(flow: string, status: 'success' | 'error' | 'dropped', seconds: number, detail: unknown): void;
  cache(cache: string, event: 'hit' | 'miss' | 'decode_error' | 'key_error'): void;
  invalidateFailed(cache: string, attribute: string): void;
  connectorCall(
    connector: string,
    type: string,
    operation: 'read' | 'write' | 'call',
    ok: boolean,
    seconds: number,
  ): void;
}

/** A stage of a flow as a probe is told about it; the same object each time. */
export interface WatchedStage {
  readonly stage: string;
  /** Label of the block, target of a destination; empty when the stage needs none. */
  readonly name: string;
  readonly rules: readonly WatchedRule[];
  /** The name under which breakpoints are set, where each run has one of its own (`chunk 3` of `chunk`). */
  readonly declared?: string | undefined;
  /** Stages with equal numbers run in one loop, which may go back to an earlier one; absent: the stage is in none. */
  readonly loop?: number | undefined;
}

/** One expression of a stage; the same object each time. */
export interface WatchedRule {
  /** Position in written order, from 0. */
  readonly index: number;
  /** What the value is for: a field, `params.id`, `when`. */
  readonly target: string;
  /** As written. */
  readonly expression: string;
  /** It is no expression of the flow language but a statement of a database. */
  readonly isStatement?: true | undefined;
  /** What its expression reads besides the variables of every flow: those of the loops around it. */
  readonly variables?: readonly string[] | undefined;
}

/** How a debugger or tracer watches flows. `attached` is read once per execution and never per stage. */
export interface FlowProbe {
  readonly attached: boolean;
  /** Called by observed flows only; the returned value is kept in `Frame.thread`. */
  begin(flow: string, frame: object): unknown;
  /** Resolves when the flow may go on: before each stage, step, enrichment and rule. `frame` is what expressions read there. */
  enter(thread: unknown, place: WatchedStage, rule: WatchedRule | undefined, frame: object): void | Promise<void>;
  /** After it, with what it gave or why it failed. Waited for, as a failure may be looked at before it goes on. */
  leave(
    thread: unknown,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    frame: object,
    error: unknown,
    result: unknown,
  ): void | Promise<void>;
  /** `output` is what the flow answered; undefined when it failed or dropped the message. `drop` is why it dropped it. */
  end(thread: unknown, error: unknown, output: unknown, drop?: Drop): void;
}
