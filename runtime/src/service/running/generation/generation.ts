import type { Project } from '@svc/protocol/model';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { EventSource } from '../../../foundation/contracts/events.ts';
import type { PlanModules, RunningModule } from '../../../foundation/contracts/modules.ts';
import type { BoundPlan, Plan, PlannedConnector, WatchedResource } from '../../../foundation/contracts/plan.ts';
import type { WatchedStage } from '../../../foundation/contracts/probe.ts';
import type { BoundFlows } from '../../../foundation/contracts/source.ts';
import type { HttpEdge } from '../../../platform/http/edge.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { FlowOrigin } from '../../../platform/telemetry/flow-observer.ts';
import type { EventGate } from '../../debug/gate.ts';
import type { ServiceSettings } from '../settings.ts';
import { closeTime, drainTime } from '../shutdown.ts';
import type { BackgroundWork } from './background.ts';
import { closeSource, type Handover } from './handover.ts';
import { isOptional } from './late-opening.ts';
import type { Leases } from './leases.ts';
import type { Neighbours } from './neighbours.ts';
import type { Placement } from './placement.ts';
import type { ResourceLease } from './resources.ts';

/** A connector of a generation and what it was planned as. */
export interface HeldConnector {
  readonly planned: PlannedConnector;
  readonly connector: Connector;
  /** The other connectors that it may ask. */
  readonly neighbours: Neighbours;
}

/** What a generation releases when it ends. */
export interface GenerationHoldings {
  readonly leases: Leases;
  readonly resources: ResourceLease;
  readonly background: BackgroundWork;
  /** The flows behind each source. */
  readonly bound: ReadonlyMap<string, BoundFlows>;
  /** Connectors that no generation had before. */
  readonly fresh: ReadonlySet<string>;
  readonly handovers: readonly Handover[];
  readonly edges: readonly HttpEdge[];
  /** Which connectors run in this process; absent: all of them. */
  readonly placement: Placement | undefined;
}

/** A plan with its open connectors. It is immutable; the next configuration makes another. */
export class Generation {
  readonly number: number;
  readonly plan: Plan;
  readonly settings: ServiceSettings;
  readonly connectors: ReadonlyMap<string, HeldConnector>;
  /** The HTTP servers, one for each address. */
  readonly edges: readonly HttpEdge[];
  readonly origins: ReadonlyMap<string, FlowOrigin>;
  /** What a debugger can stop at in each flow. */
  readonly stages: ReadonlyMap<string, readonly WatchedStage[]>;
  readonly flows: BoundPlan['flows'];
  /** What flows keep in caches. */
  readonly answers: BoundPlan['answers'];
  readonly #modules: PlanModules | undefined;
  readonly workflows: BoundPlan['workflows'];
  readonly timer: BoundPlan['timer'];
  /** Event sources of all connectors. */
  readonly #events: ReadonlyMap<string, EventSource>;
  readonly #placement: Placement | undefined;
  readonly #runners: BoundPlan['runners'];
  readonly #background: BackgroundWork;
  readonly #resources: ResourceLease;
  readonly #leases: Leases;
  readonly #bound: ReadonlyMap<string, BoundFlows>;
  readonly #fresh: ReadonlySet<string>;
  /** Connectors that `handOver` opens. */
  readonly #handedOver: ReadonlySet<string>;
  /** Those that are to come: one that is done would keep its predecessor, and through it every generation before. */
  #handovers: readonly Handover[];

  constructor(
    parts: Pick<Generation, 'number' | 'plan' | 'settings' | 'connectors'>,
    { bindings, stages, flows, schedules, runners, modules, workflows, timer, answers }: BoundPlan,
    { leases, resources, background, bound, fresh, handovers, edges, placement }: GenerationHoldings,
  ) {
    this.number = parts.number;
    this.plan = parts.plan;
    this.settings = parts.settings;
    this.connectors = parts.connectors;
    this.stages = stages;
    this.flows = flows;
    this.answers = answers;
    this.#modules = modules;
    this.workflows = workflows;
    this.timer = timer;
    this.#runners = runners;
    this.#background = background;
    this.#resources = resources;
    this.#leases = leases;
    const events = new Map<string, EventSource>();
    for (const [name, { connector }] of parts.connectors)
      if (connector.source?.events) events.set(name, connector.source.events);
    this.#bound = bound;
    this.#fresh = fresh;
    this.#handedOver = new Set(handovers.map(({ name }) => name));
    this.#handovers = handovers;
    this.edges = edges;
    this.#events = events;
    this.#placement = placement;
    const origins = new Map<string, FlowOrigin>();
    for (const [source, bound] of bindings)
      for (const { flow, operation } of bound) if (flow !== '') origins.set(flow, { source, operation });
    for (const [flow, operation] of schedules)
      if (!origins.has(flow)) origins.set(flow, { source: 'schedule', operation });
    this.origins = origins;
  }

  /** Whether a connector runs in this process: one that exists once in the service may run in another. */
  isHere(name: string): boolean {
    const held = this.connectors.get(name);
    return held !== undefined && (this.#placement === undefined || this.#placement.isHere(held.planned));
  }

  /** Event sources that run in this process, by connector. */
  get events(): ReadonlyMap<string, EventSource> {
    return this.#placement === undefined
      ? this.#events
      : new Map([...this.#events].filter(([name]) => this.isHere(name)));
  }

  /** Everything whose health is that of the service. */
  get watched(): readonly WatchedResource[] {
    const here = [...this.connectors].filter(([name]) => this.isHere(name));
    const connectors = here.map(([name, { connector: resource, planned }]) => ({
      resource,
      name,
      optional: isOptional(planned),
    }));
    return [...connectors, ...this.#resources.watched];
  }

  /** Plugins, and the modules that run for flows and for connectors. */
  get modules(): PlanModules {
    const running = (): readonly RunningModule[] => [
      ...(this.#modules?.running() ?? []),
      ...[...this.connectors.values()].flatMap(({ connector }) => connector.modules ?? []),
    ];
    return { plugins: async () => (await this.#modules?.plugins()) ?? [], running };
  }

  /** Jobs and other work in progress that no message waits for. */
  get tasks(): number {
    return this.#background.size;
  }

  get project(): Project {
    return this.plan.project;
  }

  /**
   * Starts what no generation had before, and the work that no message starts. Event sources pass the gate of a
   * debugger; those that it suspends are started by `startEvents`.
   */
  async startSources(gate: EventGate | undefined): Promise<void> {
    gate?.prepare(this.events);
    await Promise.all(
      [...this.#fresh].map(async (name) => {
        const source = this.connectors.get(name)?.connector.source;
        if (source === undefined || this.#handedOver.has(name) || !this.isHere(name)) return;
        this.#bound.get(name)?.use();
        if (source.events === undefined || gate?.suspended !== true) await source.start();
      }),
    );
    for (const runner of this.#runners) await runner.start();
  }

  /**
   * Closes what cannot exist beside its successor, and opens the successor; the last step that can fail. Rejects when
   * one cannot be opened, with every predecessor open again.
   */
  async handOver(gate: EventGate | undefined): Promise<void> {
    const done: Handover[] = [];
    try {
      for (const handover of this.#handovers) {
        done.push(handover);
        await handover.run(() => {
          this.#bound.get(handover.name)?.use();
          return gate?.suspended !== true;
        });
      }
    } catch (error) {
      for (const handover of done.reverse()) await handover.revert();
      throw error;
    } finally {
      this.#handovers = [];
    }
  }

  /** Hands the messages of sources that an earlier generation has to the flows of this one: the exchange of a reload. */
  takeOver(): void {
    for (const [name, flows] of this.#bound) if (!this.#fresh.has(name) && this.isHere(name)) flows.use();
  }

  /** Opens and starts a connector that runs in this process from now on. Rejects when it cannot; it is closed then. */
  async begin(name: string, gate: EventGate | undefined, limit: number): Promise<void> {
    const { connector } = this.connectors.get(name) as HeldConnector;
    try {
      await withinTime(limit, (signal) => connector.open(signal));
      this.#bound.get(name)?.use();
      const { source } = connector;
      if (source?.events !== undefined) gate?.prepare(new Map([[name, source.events]]));
      if (gate?.suspended !== true) await source?.start();
    } catch (error) {
      await withinTime(limit, (cut) => closeSource(connector, cut)).catch(() => undefined);
      throw error;
    }
  }

  /** Stops and closes a connector that no longer runs in this process. Rejects when that does not end in time. */
  async end(name: string): Promise<void> {
    const { connector } = this.connectors.get(name) as HeldConnector;
    const { shutdown } = this.settings;
    await withinTime(drainTime(shutdown), (signal) => connector.source?.stop(signal)).catch(() => undefined);
    await withinTime(closeTime(shutdown), (cut) => closeSource(connector, cut));
  }

  /** Starts the event sources that were held; gives the reasons of those that could not be started, by connector. */
  async startEvents(): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    const start = async (name: string) => {
      await this.connectors
        .get(name)
        ?.connector.source?.start()
        .catch((error: unknown) => failed.set(name, error));
    };
    await Promise.all([...this.events.keys()].map(start));
    return failed;
  }

  /**
   * Takes and begins no more; resolves when everything taken is settled, including work in the background. Sources that
   * `successor` has continue for it, and only the flows of this generation end. What is in progress when `cut` fires is
   * aborted. One source that fails does not prevent the others from stopping.
   */
  async stopSources(cut?: AbortSignal, successor?: Generation): Promise<void> {
    const stopping = [...this.connectors].map(async ([name, { connector }]) => {
      if (connector.source === undefined) return;
      if (successor?.connectors.get(name)?.connector === connector) await this.#bound.get(name)?.ended();
      else await connector.source.stop(cut);
    });
    const stopped = await Promise.allSettled([
      ...this.#runners.map((runner) => runner.stop()),
      ...stopping,
      ...this.edges.map((edge) => edge.idle()),
    ]);
    await this.#background.settled();
    const failed = stopped.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /**
   * Releases every connector; those that no other generation holds are closed, sources before targets, each within its
   * part of the time that stopping may take. Returns whether all of them closed.
   */
  async release(): Promise<boolean> {
    const limit = closeTime(this.settings.shutdown);
    const giveBack = (connectors: readonly Connector[]) =>
      Promise.all(connectors.map((connector) => this.#leases.giveBack(connector, limit)));
    const held = [...this.connectors.values()].map(({ connector }) => connector);
    const isSource = (connector: Connector) => connector.source !== undefined;
    const sources = await giveBack(held.filter(isSource));
    const targets = await giveBack(held.filter((connector) => !isSource(connector)));
    const shared = await this.#resources.release(limit);
    return [...sources, ...targets, shared].every((isClosed) => isClosed);
  }
}
