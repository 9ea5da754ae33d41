import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { kindOf } from '../../../connectors/core/declaration.ts';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { HttpMount, HttpServices } from '../../../foundation/contracts/http.ts';
import type { FlowObserver } from '../../../foundation/contracts/observer.ts';
import type { BoundPlan, Plan, PlannedConnector, PlanServices } from '../../../foundation/contracts/plan.ts';
import type { FlowProbe } from '../../../foundation/contracts/probe.ts';
import type { BoundFlows } from '../../../foundation/contracts/source.ts';
import { firstOfAddresses, mountBeside } from '../../../platform/http/routes/beside.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import { combineProbes } from '../../../platform/telemetry/probes.ts';
import { stageTimes } from '../../../platform/telemetry/stage-times.ts';
import { misunderstood } from '../health/misunderstood.ts';
import { type UnreachableConnector, unreachable } from '../health/reach.ts';
import { composeEdges } from '../http/edges.ts';
import { UnreachableProblem } from '../problems.ts';
import type { ServiceSettings } from '../settings.ts';
import { closeTime, drainTime } from '../shutdown.ts';
import { BackgroundWork } from './background.ts';
import { unknownKeys } from './captured-keys.ts';
import { unusableConflicts } from './conflict-keys.ts';
import { Generation, type HeldConnector } from './generation.ts';
import { Handover } from './handover.ts';
import { heldAs } from './late-opening.ts';
import type { Leases } from './leases.ts';
import { Neighbours } from './neighbours.ts';
import type { Placement } from './placement.ts';
import { refusedTransactions } from './refused-transactions.ts';
import type { ResourceLease, SharedResources } from './resources.ts';

/** What making and opening connectors needs of the service. */
export interface OpenContext {
  readonly services: Omit<ConnectorServices, 'lookup' | 'storage'>;
  readonly http: HttpServices;
  readonly observer: FlowObserver;
  readonly probe: FlowProbe;
  readonly leases: Leases;
  readonly resources: SharedResources;
  /** Which connectors run in this process; absent: all of them. */
  readonly placement?: Placement | undefined;
  readonly families: PlanServices['families'];
  readonly degrade: PlanServices['degrade'];
  /** Longest wait for one connector, in milliseconds. */
  readonly openTimeout: number;
}

/** What is to be opened. */
export interface Blueprint {
  readonly number: number;
  readonly plan: Plan;
  readonly settings: ServiceSettings;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Makes a generation: connectors that the previous one has open and that are written the same are leased again, the
 * others are made and opened in parallel, targets before sources, each with a deadline. Rejects with an
 * UnreachableProblem that names every connector that could not be opened; nothing stays open then.
 *
 * What outlives the previous generation must not refer to it; otherwise no generation is ever freed. Functions that are
 * made in one function share what any of them refers to, so `previous` is handed to `gather` alone, which keeps no
 * function.
 */
export async function openGeneration(
  blueprint: Blueprint,
  previous: Generation | undefined,
  context: OpenContext,
): Promise<Generation> {
  const gathered = await gather(blueprint, previous, context);
  return openGathered(blueprint, gathered, context);
}

/** The connectors of a generation, in written order. */
interface Gathered {
  readonly held: ReadonlyMap<string, HeldConnector>;
  /** Those of `held` that are not open yet. */
  readonly fresh: readonly HeldConnector[];
  /** Open connectors of the configuration before, by the name of the one of `fresh` that cannot exist beside them. */
  readonly predecessors: ReadonlyMap<string, Connector>;
  /** Those that could not be made. */
  readonly failed: UnreachableConnector[];
}

/** Takes over what is open already, and makes the rest. */
async function gather(blueprint: Blueprint, previous: Generation | undefined, context: OpenContext): Promise<Gathered> {
  const failed: UnreachableConnector[] = [];
  const fresh: HeldConnector[] = [];
  const predecessors = new Map<string, Connector>();
  const gathered = await Promise.all(
    blueprint.plan.connectors.map(async (planned): Promise<HeldConnector | undefined> => {
      const old = previous?.connectors.get(planned.name);
      if (old !== undefined && old.planned.fingerprint === planned.fingerprint) return { ...old, planned };
      const neighbours = new Neighbours();
      try {
        const services = servicesFor(planned.name, neighbours, context);
        const connector = heldAs(planned, await planned.make(services), services);
        const made = { planned, connector, neighbours };
        fresh.push(made);
        const predecessor = inTheWay(old, planned);
        if (predecessor !== undefined) predecessors.set(planned.name, predecessor);
        return made;
      } catch (error) {
        failed.push(unreachableOf(planned, error, blueprint));
        return undefined;
      }
    }),
  );
  const held = new Map(gathered.flatMap((one) => (one === undefined ? [] : [[one.planned.name, one]])));
  return { held, fresh, predecessors, failed };
}

async function openGathered(
  blueprint: Blueprint,
  { held, fresh, predecessors, failed }: Gathered,
  context: OpenContext,
): Promise<Generation> {
  for (const { connector } of held.values()) context.leases.hold(connector);
  const isHere = hereIn(context);
  const resources = context.resources.lease();
  const background = new BackgroundWork(context.services.log);
  try {
    if (failed.length > 0) throw new UnreachableProblem(failed);
    const connectors = new Map([...held].map(([name, { connector }]) => [name, connector]));
    for (const { neighbours } of fresh) neighbours.connectors = connectors;
    const bound = blueprint.plan.bind(connectors, planServices(blueprint, connectors, resources, background, context));
    const flows = new Map<string, BoundFlows>();
    const http = { ...context.http, recognise: bound.recognise };
    for (const { connector } of held.values()) {
      const { name } = connector;
      const describe = (baseUrl: string) => descriptionOf(blueprint.plan, name, baseUrl);
      const declared = { types: bound.types, sent: bound.sent.get(name) ?? [], describe };
      const own = connector.source?.bind(bound.bindings.get(name) ?? [], declared, http);
      if (own !== undefined) flows.set(connector.name, own);
    }
    await Promise.all([...flows.values()].map((own) => own.prepare()));
    await openFresh(
      fresh.filter(({ planned }) => !predecessors.has(planned.name) || !isHere(planned)),
      resources,
      blueprint,
      context,
    );
    await refuseUnable(blueprint, connectors, held);
    const holdings = {
      leases: context.leases,
      resources,
      background,
      bound: flows,
      fresh: new Set(fresh.map(({ connector }) => connector.name)),
      handovers: handoversOf(
        fresh.filter(({ planned }) => isHere(planned)),
        predecessors,
        blueprint,
        context,
      ),
      edges: await composeEdges(await mountsOf(flows, held, bound), {
        ...context.services,
        http,
      }),
      placement: context.placement,
    };
    const generation = new Generation({ ...blueprint, connectors: held }, bound, holdings);
    for (const { neighbours } of held.values()) neighbours.connectors = connectors;
    return generation;
  } catch (error) {
    const limit = closeTime(blueprint.settings.shutdown);
    await resources.release(limit);
    await Promise.all([...held.values()].map(({ connector }) => context.leases.giveBack(connector, limit)));
    throw error;
  }
}

/** What a connector serves, as OpenAPI in JSON. Written when it is asked for. */
async function descriptionOf({ project }: Plan, connector: string, baseUrl: string): Promise<string> {
  const { openApi } = await import('../../../engine/export/openapi.ts');
  return JSON.stringify(openApi(project, { baseUrl, connector, dialect: '3.1.1' }), undefined, 2);
}

/** What is served over HTTP: first the sources, then the service itself. */
async function mountsOf(
  flows: ReadonlyMap<string, BoundFlows>,
  held: ReadonlyMap<string, HeldConnector>,
  { mounts }: BoundPlan,
): Promise<readonly HttpMount[]> {
  const served = [...flows.values()].flatMap(({ http }) => http ?? []);
  const isRouting = ({ connector }: HttpMount) =>
    held.get(connector)?.planned.declaration.spec?.source?.routes === true;
  const routing = firstOfAddresses(served.filter(isRouting));
  const added = [...flows].flatMap(([name, { beside = [] }]) =>
    routing.map((mount) => mountBeside(name, beside, mount, served)).filter(({ routes }) => routes.length > 0),
  );
  const besides = [...served, ...added];
  const own = await Promise.all(mounts.map((make) => make(besides)));
  return [...besides, ...own.flat()];
}

/**
 * Targets and shared resources first, then sources. Rejects when one of them cannot be opened, after all were tried.
 */
async function openFresh(
  fresh: readonly HeldConnector[],
  resources: ResourceLease,
  blueprint: Blueprint,
  context: OpenContext,
): Promise<void> {
  const { openTimeout } = context;
  const isHere = hereIn(context);
  const failed: UnreachableConnector[] = [];
  const open = ({ planned, connector }: HeldConnector) =>
    openOne(isHere(planned) ? connector : targetOf(connector), openTimeout).catch(
      async (error: unknown) =>
        void failed.push(await misunderstood(unreachableOf(planned, error, blueprint), planned.declaration)),
    );
  const opening = fresh.filter(({ connector }) => connector.source === undefined).map(open);
  await Promise.all([...opening, resources.open((resource) => openOne(resource, openTimeout))]);
  await Promise.all(fresh.filter(({ connector }) => connector.source !== undefined).map(open));
  if (failed.length > 0) throw new UnreachableProblem(failed);
}

/** Whether this process has a connector that exists once in the service. */
function hereIn({ placement }: OpenContext): (planned: PlannedConnector) => boolean {
  return (planned) => placement?.isHere(planned) ?? true;
}

/** What of a connector is opened where its source is in another process. */
function targetOf(connector: Connector): Pick<Connector, 'open'> {
  return { open: async (signal) => connector.openTarget?.(signal) };
}

/** What databases say that they cannot do for the flows, for every connector, opened now or before. */
async function refuseUnable(
  blueprint: Blueprint,
  connectors: ReadonlyMap<string, Connector>,
  held: ReadonlyMap<string, HeldConnector>,
): Promise<void> {
  const { project } = blueprint.plan;
  const found = [refusedTransactions, unknownKeys, unusableConflicts].map((find) => find(project, connectors));
  const problems = (await Promise.all(found)).flatMap((each) => [...each]);
  const failed = problems.map(([name, problem]) =>
    unreachableOf((held.get(name) as HeldConnector).planned, problem, blueprint),
  );
  if (failed.length > 0) throw new UnreachableProblem(failed);
}

function planServices(
  { plan, settings }: Blueprint,
  connectors: ReadonlyMap<string, Connector>,
  resources: ResourceLease,
  background: BackgroundWork,
  context: OpenContext,
): PlanServices {
  const { observer, families, degrade, services } = context;
  const isTimed = !services.production && [...plan.project.connectors.values()].some(showsTimes);
  const probe = isTimed ? (combineProbes([context.probe, stageTimes(services.clock)]) as FlowProbe) : context.probe;
  const own = new Neighbours(connectors);
  return {
    ...context.services,
    observer,
    probe,
    families,
    degrade,
    background: background.run,
    share: (key, make, user) => resources.share(key, make, user),
    connectorServices: (name) => servicesFor(name, own, context),
    stopTime: drainTime(settings.shutdown),
  };
}

/** Whether answers of a connector say how long the stages of their flows took. */
function showsTimes({ values }: ConnectorDeclaration): boolean {
  return (values as Readonly<Record<string, unknown>>)['server_timing'] === true;
}

function unreachableOf(planned: PlannedConnector, error: unknown, { diagnostics }: Blueprint): UnreachableConnector {
  return unreachable(planned.name, kindOf(planned.declaration.spec), error, unsetVariable(planned, diagnostics));
}

/** Opens one connector within its time, in milliseconds. */
export function openOne(connector: Pick<Connector, 'open'>, timeout: number): Promise<void> {
  return withinTime(timeout, (signal) => connector.open(signal));
}

/** The connector of an earlier configuration that must be closed before this one opens. */
function inTheWay(old: HeldConnector | undefined, { declaration }: PlannedConnector): Connector | undefined {
  return declaration.spec?.source?.coexists === false ? old?.connector : undefined;
}

function handoversOf(
  fresh: readonly HeldConnector[],
  predecessors: ReadonlyMap<string, Connector>,
  { settings }: Blueprint,
  { openTimeout, services, families }: OpenContext,
): readonly Handover[] {
  const times = { drain: drainTime(settings.shutdown), open: openTimeout };
  return fresh.flatMap(({ connector, planned: { name } }) => {
    const predecessor = predecessors.get(name);
    if (predecessor === undefined) return [];
    return [new Handover(predecessor, connector, times, services, families.connectorGap.of(name, 'reload'))];
  });
}

/** The services of a connector. What it needs of others is found when it is first used: they may be made later. */
function servicesFor(name: string, neighbours: Neighbours, context: OpenContext): ConnectorServices {
  return {
    ...context.services,
    families: context.families,
    log: context.services.log.with({ connector: name }),
    capture: context.services.capture?.of(name),
    lookup: (target, call) => neighbours.lookup(target, call),
    storage: (target) => neighbours.storage(target),
  };
}

/** The name of a connector's kind in metrics. */
export function typeOf({ declaration }: PlannedConnector): string {
  return declaration.spec?.canonical ?? 'profile';
}

/** A variable without a value that the connector's block reads is the most likely reason why it cannot be reached. */
export function unsetVariable(
  { declaration }: PlannedConnector,
  diagnostics: readonly Diagnostic[],
): string | undefined {
  const { file, range } = declaration.origin;
  return diagnostics.find(
    (one) =>
      one.code === 'unset-variable' &&
      one.file === file &&
      one.range.start >= range.start &&
      one.range.end <= range.end,
  )?.message;
}
