import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import type { Binding, Connector, ConnectorServices } from '../connectors/contract.ts';

/** A checked project made ready: everything that needs no open connector is decided. Immutable. */
export interface Plan {
  readonly project: Project;
  readonly connectors: readonly PlannedConnector[];
  /** Names of the flows, in written order. */
  readonly flows: readonly string[];
  /**
   * Compiles every flow against the connectors made for it, open or not yet, and says what each source triggers.
   * Expressions that do not compile become programs that fail when asked; they were warned about before.
   */
  bind(connectors: ReadonlyMap<string, Connector>, services: PlanServices): BoundPlan;
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
};

export interface BoundPlan {
  /** By connector name; sources without a flow are absent. */
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
}

/** Counts and logs executions. Its methods are called once per execution and must be cheap. */
export interface FlowObserver {
  started(flow: string): void;
  finished(flow: string, status: 'success' | 'error' | 'dropped', seconds: number, detail: unknown): void;
  cache(cache: string, event: 'hit' | 'miss' | 'decode_error'): void;
  invalidateFailed(cache: string, attribute: string): void;
  connectorCall(
    connector: string,
    type: string,
    operation: 'read' | 'write' | 'call',
    ok: boolean,
    seconds: number,
  ): void;
}

/** How a debugger or tracer watches flows. `attached` is read once per execution and never per stage. */
export interface FlowProbe {
  readonly attached: boolean;
  /** Called by observed flows only; the returned value is kept in `Frame.thread`. */
  begin(flow: string, frame: object): unknown;
  /** Resolves when the flow may go on: before each stage, step, enrichment and rule. */
  enter(thread: unknown, stage: string, name: string, rule: number, frame: object): void | Promise<void>;
  leave(thread: unknown, stage: string, name: string, rule: number, frame: object, error: unknown): void;
  end(thread: unknown, error: unknown): void;
}
