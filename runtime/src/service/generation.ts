import type { Project } from '@svc/protocol/model';
import type { Binding, Connector, HttpApplication, Source } from '../connectors/contract.ts';
import type { FlowOrigin } from '../observe/flow-observer.ts';
import type { Plan, PlannedConnector, WatchedStage } from '../plan/plan.ts';
import type { Leases } from './leases.ts';
import type { ServiceSettings } from './settings.ts';

/** A connector of a generation and what it was planned as. */
export interface HeldConnector {
  readonly planned: PlannedConnector;
  readonly connector: Connector;
}

/** A plan with its open connectors. Nothing of it changes after it was made; the next configuration makes another. */
export class Generation {
  readonly number: number;
  readonly plan: Plan;
  readonly settings: ServiceSettings;
  readonly connectors: ReadonlyMap<string, HeldConnector>;
  /** Prepared applications of HTTP servers by connector. */
  readonly applications: ReadonlyMap<string, HttpApplication>;
  readonly origins: ReadonlyMap<string, FlowOrigin>;
  /** What a debugger can stop at in each flow. */
  readonly stages: ReadonlyMap<string, readonly WatchedStage[]>;
  readonly #leases: Leases;

  constructor(
    parts: Pick<Generation, 'number' | 'plan' | 'settings' | 'connectors' | 'stages'>,
    bindings: ReadonlyMap<string, readonly Binding[]>,
    leases: Leases,
  ) {
    this.number = parts.number;
    this.plan = parts.plan;
    this.settings = parts.settings;
    this.connectors = parts.connectors;
    this.stages = parts.stages;
    this.#leases = leases;
    const applications = new Map<string, HttpApplication>();
    for (const [name, { connector }] of parts.connectors)
      if (connector.source?.http) applications.set(name, connector.source.http);
    this.applications = applications;
    const origins = new Map<string, FlowOrigin>();
    for (const [source, bound] of bindings)
      for (const { flow, operation } of bound) origins.set(flow, { source, operation });
    this.origins = origins;
  }

  /** Everything that takes messages, HTTP servers included. */
  get sources(): readonly Source[] {
    return [...this.connectors.values()].flatMap(({ connector }) => connector.source ?? []);
  }

  get project(): Project {
    return this.plan.project;
  }

  async startSources(): Promise<void> {
    await Promise.all(this.sources.map((source) => source.start()));
  }

  /** Takes no more; resolves when everything taken is settled. One source that fails does not keep the others from stopping. */
  async stopSources(): Promise<void> {
    const stopped = await Promise.allSettled(this.sources.map((source) => source.stop()));
    const failed = stopped.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Gives every connector back; those that no other generation holds are closed, sources before targets. */
  async release(): Promise<void> {
    const held = [...this.connectors.values()].map(({ connector }) => connector);
    const isSource = (connector: Connector) => connector.source !== undefined;
    await Promise.all(held.filter(isSource).map((connector) => this.#leases.giveBack(connector)));
    await Promise.all(
      held.filter((connector) => !isSource(connector)).map((connector) => this.#leases.giveBack(connector)),
    );
  }
}
