import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { effectOf, kindOf, specsOf, storagesOf } from '../../connectors/core/declaration.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { FlowObserver } from '../../foundation/contracts/observer.ts';
import type { Plan, PlannedConnector, Resource, RunFlow } from '../../foundation/contracts/plan.ts';
import type { FlowProbe, WatchedStage } from '../../foundation/contracts/probe.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { Metrics } from '../../foundation/observe/metrics.ts';
import { commandCloseTime } from '../../platform/net/within-time.ts';
import { BackgroundWork } from '../../service/running/generation/background.ts';
import { closed } from '../../service/running/generation/leases.ts';
import { openOne, unsetVariable } from '../../service/running/generation/open.ts';
import { SharedResources } from '../../service/running/generation/resources.ts';
import { misunderstood } from '../../service/running/health/misunderstood.ts';
import { type UnreachableConnector, unreachable } from '../../service/running/health/reach.ts';
import { UnreachableProblem } from '../../service/running/problems.ts';
import type { KnownCalls } from './dry-run/reading.ts';
import type { ReportSimulated } from './dry-run/simulated-call.ts';
import { simulatedConnector, simulatedResource } from './dry-run/simulation.ts';

export interface OpenOptions {
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
  readonly flow: string;
  readonly services: Omit<ConnectorServices, 'lookup' | 'storage'>;
  readonly probe: FlowProbe;
  /** Called with what is not done; absent: everything is done. */
  readonly simulated?: ReportSimulated | undefined;
  /** Longest wait for one connector, in milliseconds. */
  readonly openTimeout: number;
}

/** One flow with everything that it and the flows it calls use, open. Nothing listens, nothing is consumed. */
export interface OpenFlow {
  readonly run: RunFlow;
  readonly stages: ReadonlyMap<string, readonly WatchedStage[]>;
  /** Resolves when the work is done that no caller waited for. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Rejects with an UnreachableProblem that names every connector that could not be opened; nothing stays open then. */
export async function openFlow(options: OpenOptions): Promise<OpenFlow> {
  const { plan, flow, services, probe, simulated: report, openTimeout } = options;
  const connectors = new UsedConnectors();
  const failed = new Map<PlannedConnector, unknown>();
  for (const planned of plan.connectors) {
    try {
      const own = servicesOf(planned.name, { ...services, isDryRun: report !== undefined }, connectors);
      const made = await planned.make(own);
      const called = calledOnly(made);
      const isAsWritten = report === undefined || (services.capture !== undefined && made.captures === true);
      connectors.set(
        planned.name,
        isAsWritten ? called : simulatedConnector(called, knownCalls(planned.declaration), report),
      );
    } catch (error) {
      failed.set(planned, error);
    }
  }
  const background = new BackgroundWork(services.log);
  const resources = new SharedResources(services.log).lease();
  const bound = plan.bind(
    connectors,
    {
      ...services,
      observer: uncounted,
      probe,
      families: new Metrics().families,
      background: background.run,
      degrade: () => undefined,
      stopTime: 0,
      share: <T extends Resource>(key: string, make: () => T, user?: string) =>
        resources.share(key, () => (report ? simulatedResource(make(), report) : make()), user),
    },
    [flow],
  );
  for (const { name, declaration } of plan.connectors)
    if (connectors.used.has(name)) for (const cache of storagesOf(declaration)) connectors.used.add(cache);
  const used = plan.connectors.filter(({ name }) => connectors.used.has(name));
  for (const planned of [...failed.keys()]) if (!used.includes(planned)) failed.delete(planned);
  await Promise.all([
    ...used.map(async (planned) => {
      const connector = connectors.get(planned.name);
      if (connector === undefined) return;
      await openOne(connector, openTimeout).catch((error: unknown) => failed.set(planned, error));
    }),
  ]);
  const close = async () => {
    await resources.release(commandCloseTime);
    const open = used.flatMap(({ name }) => connectors.get(name) ?? []);
    await Promise.all(open.map((connector) => closed(connector, commandCloseTime, services.log)));
  };
  try {
    if (failed.size > 0) throw new UnreachableProblem(await unreachableOf(failed, options.diagnostics));
    await resources.open((resource) => openOne(resource, openTimeout));
  } catch (error) {
    await close();
    throw error;
  }
  const run = bound.flows.get(flow);
  if (run === undefined) throw new Error(`there is no flow "${flow}"`);
  return { run, stages: bound.stages, settled: () => background.settled(), close };
}

/** Nothing is taken from sources: what they need is neither connected nor made. */
function calledOnly(connector: Connector): Connector {
  const { openTarget } = connector;
  if (openTarget === undefined) return connector;
  return new Proxy(connector, {
    get: (made, name) => {
      if (name === 'open') return (signal: AbortSignal) => openTarget.call(made, signal);
      const value: unknown = Reflect.get(made, name, made);
      return typeof value === 'function' ? value.bind(made) : value;
    },
  });
}

/** Connectors by name, with those that were requested. */
class UsedConnectors extends Map<string, Connector> {
  readonly used = new Set<string>();

  override get(name: string): Connector | undefined {
    this.used.add(name);
    return super.get(name);
  }
}

function servicesOf(
  name: string,
  services: OpenOptions['services'],
  connectors: ReadonlyMap<string, Connector>,
): ConnectorServices {
  return {
    ...services,
    log: services.log.with({ connector: name }),
    capture: services.capture?.of(name),
    lookup: () => () => {
      throw new Failure('internal', 'a traced flow receives its caller with the message');
    },
    storage: (cache) => {
      const storage = connectors.get(cache)?.storage;
      if (storage !== undefined) return storage;
      throw new Failure('internal', `connector "${cache}" keeps nothing`, { at: { connector: cache } });
    },
  };
}

const uncounted: FlowObserver = {
  started: () => undefined,
  finished: () => undefined,
  cache: () => undefined,
  invalidateFailed: () => undefined,
  connectorCall: () => undefined,
  unmatched: () => undefined,
};

function knownCalls(declaration: ConnectorDeclaration): KnownCalls {
  const specs = specsOf(declaration);
  return {
    getsByDefault: specs.length > 0 && specs.every(({ target }) => target?.readsByDefault === true),
    runs: specs.some(({ target }) => target?.runs === true),
    effect: (operation) => effectOf(specs, operation),
  };
}

function unreachableOf(
  failed: ReadonlyMap<PlannedConnector, unknown>,
  diagnostics: readonly Diagnostic[],
): Promise<readonly UnreachableConnector[]> {
  return Promise.all(
    [...failed].map(([planned, error]) =>
      misunderstood(
        unreachable(planned.name, kindOf(planned.declaration.spec), error, unsetVariable(planned, diagnostics)),
        planned.declaration,
      ),
    ),
  );
}
