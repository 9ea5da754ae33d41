import type { Diagnostic } from '@svc/protocol/text';
import type { CallDescription, Connector, ConnectorServices, Execute, HttpServices } from '../connectors/contract.ts';
import { Failure } from '../errors/failure.ts';
import type { FlowObserver, FlowProbe, Plan, PlannedConnector, PlanServices } from '../plan/plan.ts';
import { BackgroundWork } from './background.ts';
import { unknownKeys } from './captured-keys.ts';
import { Generation, type HeldConnector } from './generation.ts';
import type { Leases } from './leases.ts';
import { UnreachableProblem } from './problems.ts';
import { type UnreachableConnector, unreachable } from './reach.ts';
import type { SharedResources } from './resources.ts';
import type { ServiceSettings } from './settings.ts';
import { drainTime } from './shutdown.ts';
import { withinTime } from './within-time.ts';

/** What making and opening connectors needs of the service. */
export interface OpenContext {
  readonly services: Omit<ConnectorServices, 'http' | 'lookup'>;
  readonly http: HttpServices;
  readonly observer: FlowObserver;
  readonly probe: FlowProbe;
  readonly leases: Leases;
  readonly resources: SharedResources;
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
 */
export async function openGeneration(
  blueprint: Blueprint,
  previous: Generation | undefined,
  context: OpenContext,
): Promise<Generation> {
  const held = new Map<string, HeldConnector>();
  const connectors = new Map<string, Connector>();
  const fresh: HeldConnector[] = [];
  const failed: UnreachableConnector[] = [];
  const services = servicesFor(connectors, context);
  const fail = (planned: PlannedConnector, error: unknown) =>
    void failed.push(unreachable(planned.name, typeOf(planned), error, unsetVariable(planned, blueprint.diagnostics)));

  await Promise.all(
    blueprint.plan.connectors.map(async (planned) => {
      const again = reusable(previous?.connectors.get(planned.name), planned);
      try {
        const connector = again ?? (await planned.make(services(planned.name)));
        held.set(planned.name, { planned, connector });
        if (again === undefined) fresh.push({ planned, connector });
      } catch (error) {
        fail(planned, error);
      }
    }),
  );
  for (const { name } of blueprint.plan.connectors) {
    const one = held.get(name);
    if (one !== undefined) connectors.set(name, one.connector);
  }
  for (const { connector } of held.values()) context.leases.hold(connector);
  const resources = context.resources.lease();
  const background = new BackgroundWork(context.services.log);
  const giveUp = async () => {
    await resources.release();
    await Promise.all([...held.values()].map(({ connector }) => context.leases.giveBack(connector)));
  };
  try {
    if (failed.length > 0) throw new UnreachableProblem(failed);
    const { observer, probe, families, degrade } = context;
    const bound = blueprint.plan.bind(connectors, {
      ...context.services,
      observer,
      probe,
      families,
      degrade,
      background: background.run,
      share: (key, make) => resources.share(key, make),
      connectorServices: services,
      stopTime: drainTime(blueprint.settings.shutdown),
    });
    for (const { connector } of fresh) connector.source?.bind(bound.bindings.get(connector.name) ?? []);
    const open = ({ planned, connector }: HeldConnector) =>
      openOne(connector, context.openTimeout).catch((error: unknown) => fail(planned, error));
    const opening = fresh.filter(({ connector }) => connector.source === undefined).map(open);
    await Promise.all([...opening, resources.open((resource) => openOne(resource, context.openTimeout))]);
    await Promise.all(fresh.filter(({ connector }) => connector.source !== undefined).map(open));
    if (failed.length > 0) throw new UnreachableProblem(failed);
    for (const [name, problem] of await unknownKeys(blueprint.plan.project, connectors))
      fail((held.get(name) as HeldConnector).planned, problem);
    if (failed.length > 0) throw new UnreachableProblem(failed);
    const ordered = new Map(blueprint.plan.connectors.map(({ name }) => [name, held.get(name) as HeldConnector]));
    const { leases } = context;
    const generation = new Generation({ ...blueprint, connectors: ordered }, bound, { leases, resources, background });
    await Promise.all([...generation.applications.values()].map((application) => application.prepare()));
    return generation;
  } catch (error) {
    await giveUp();
    throw error;
  }
}

/** Opens one connector within its time, in milliseconds. */
export function openOne(connector: Pick<Connector, 'open'>, timeout: number): Promise<void> {
  return withinTime(timeout, (signal) => connector.open(signal));
}

/** Sources carry the flows of their generation, so they are made anew; their sockets stay (see Listener). */
function reusable(old: HeldConnector | undefined, planned: PlannedConnector): Connector | undefined {
  if (old === undefined || old.connector.source !== undefined) return undefined;
  return old.planned.fingerprint === planned.fingerprint ? old.connector : undefined;
}

/** The services of each connector. A look-up is prepared when it is first used: its connector may be made later. */
function servicesFor(connectors: ReadonlyMap<string, Connector>, context: OpenContext) {
  return (name: string): ConnectorServices => ({
    ...context.services,
    log: context.services.log.with({ connector: name }),
    http: context.http,
    lookup: (target, call) => lazyExecute(connectors, target, call),
  });
}

function lazyExecute(connectors: ReadonlyMap<string, Connector>, target: string, call: CallDescription): Execute {
  let execute: Execute | undefined;
  return (request) => {
    execute ??= connectors.get(target)?.target?.prepare(call);
    if (execute === undefined)
      throw new Failure('internal', `connector "${target}" cannot be asked`, { at: { connector: target } });
    return execute(request);
  };
}

/** What metrics and messages call the kind of a connector. */
export function typeOf({ declaration }: PlannedConnector): string {
  return declaration.spec?.canonical ?? 'profile';
}

/** A variable without a value that the connector's block reads is the likeliest reason why it cannot be reached. */
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
