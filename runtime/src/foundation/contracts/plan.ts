import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { Metrics } from '../observe/metrics.ts';
import type { Connector, ConnectorServices } from './connector.ts';
import type { HttpMount, Recognise } from './http.ts';
import type { PlanAnswers } from './kept-answers.ts';
import type { Message } from './message.ts';
import type { PlanModules } from './modules.ts';
import type { FlowObserver } from './observer.ts';
import type { PlanSchedules, PlanWorkflows } from './operations.ts';
import type { Outcome } from './outcome.ts';
import type { FlowProbe, WatchedStage } from './probe.ts';
import type { Binding } from './source.ts';
import type { DeclaredType, SentOperation } from './types.ts';

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
  /** Where stages count what no observer counts. */
  readonly families: Metrics['families'];
  /** Runs work that no message waits for; the generation ends after it. A failure of it is logged. */
  readonly background: (name: string, work: () => Promise<unknown>) => void;
  /** Reports in the health of the service that a part of it is degraded; undefined when it works fully again. */
  readonly degrade: (part: string, message: string | undefined) => void;
  /**
   * What outlives this generation, such as the client of a store or the state of a breaker: the same for every
   * generation that names the same key. It is open before the first message comes. `user` names it in health, together
   * with the others that share it; without one it has the name of the resource.
   */
  readonly share: <T extends Resource>(key: string, make: () => T, user?: string) => T;
  /** What a connector of this name would be given, for servers that belong to no connector. Absent: there are no such servers. */
  readonly connectorServices?: ((name: string) => ConnectorServices) | undefined;
  /** Milliseconds after which what has not stopped is cut off. */
  readonly stopTime: number;
  /** What flows share is kept in this process alone, and no server is opened for it: in tests. Default: false. */
  readonly isolated?: boolean | undefined;
  /** Runs in place of a flow, such as a recording; undefined: the flow runs. Absent: no flow is replaced. */
  readonly standIn?: ((flow: string) => RunFlow | undefined) | undefined;
};

/** Something that flows share, whatever generation they belong to. */
export type Resource = Pick<Connector, 'name' | 'open' | 'close' | 'check'>;

/** A resource as health shows it. */
export interface WatchedResource {
  readonly resource: Resource;
  /** Its name for people: a connector, or the blocks that share it. */
  readonly name: string;
  /** While it is unhealthy the service is degraded, and ready all the same. */
  readonly optional: boolean;
}

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
  /** The types of the configuration. */
  readonly types: readonly DeclaredType[];
  /** What flows send, by connector name. */
  readonly sent: ReadonlyMap<string, readonly SentOperation[]>;
  /** The stages of each flow as probes know them, in the order in which they run. */
  readonly stages: ReadonlyMap<string, readonly WatchedStage[]>;
  /** Every flow by name, whatever triggers it. */
  readonly flows: ReadonlyMap<string, RunFlow>;
  /** The schedules of flows, as written. */
  readonly schedules: ReadonlyMap<string, string>;
  /** In the order in which they start. */
  readonly runners: readonly Runner[];
  /**
   * What is served over HTTP by no connector, given what connectors serve; made, and its code loaded, when the service
   * opens.
   */
  readonly mounts: readonly ((besides: readonly HttpMount[]) => Promise<readonly HttpMount[]>)[];
  /** Absent where the plan runs no module. */
  readonly modules?: PlanModules | undefined;
  /** Absent where the plan keeps no workflows. */
  readonly workflows?: PlanWorkflows | undefined;
  /** Absent where no flow runs by the clock. */
  readonly timer?: PlanSchedules | undefined;
  /** What flows keep in caches. */
  readonly answers: PlanAnswers;
  /** Recognises the callers of the sign-in system; absent in a service without one. */
  readonly recognise?: Recognise | undefined;
}
