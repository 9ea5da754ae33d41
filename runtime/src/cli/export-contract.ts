import type { loadConfiguration } from '../config/load.ts';
import type { Connector } from '../contracts/connector.ts';
import type { Plan, PlanServices } from '../contracts/plan.ts';
import { servicesOf } from '../harness/services.ts';
import { FlowWatch } from '../harness/watch.ts';
import { systemClock } from '../observe/clock.ts';
import { compilePlan } from '../plan/compile.ts';
import { type Streams, UsageError } from './command.ts';
import { withoutService } from './connector-services.ts';

type Loaded = Awaited<ReturnType<typeof loadConfiguration>>;

/** The contract of one connector of a type; of the only one where `name` is not given. */
export async function contractOf(
  loaded: Pick<Loaded, 'project'>,
  directory: string,
  streams: Streams,
  { type, name }: { readonly type: string; readonly name: string | undefined },
): Promise<string> {
  return chosen(await contractsOfType(loaded, directory, streams, type), type, name).text;
}

/** The contracts of all connectors of a type. */
export async function contractsOfType(
  { project }: Pick<Loaded, 'project'>,
  directory: string,
  streams: Streams,
  type: string,
): Promise<readonly ConnectorContract[]> {
  const plan = compilePlan(project);
  const services = withoutService(directory, streams);
  // Made and never opened: flows are compiled against them.
  const made = plan.connectors.map(async (planned) => [planned.name, await planned.make(services)] as const);
  const connectors = new Map<string, Connector>(await Promise.all(made));
  return contractsOf(
    plan,
    connectors,
    servicesOf({
      clock: systemClock,
      log: services.log,
      directory,
      probe: new FlowWatch(undefined),
      isolated: true,
      failed: () => undefined,
      background: new Set(),
      shared: new Map(),
    }),
    type,
  );
}

function chosen(found: readonly ConnectorContract[], type: string, name: string | undefined): ConnectorContract {
  const names = found.map(({ connector }) => connector);
  const [only] = found;
  if (only === undefined) throw new UsageError(`no connector of type ${type} serves flows here`);
  if (name === undefined && found.length === 1) return only;
  if (name === undefined) throw new UsageError(`name one of the connectors with --connector: ${names.join(', ')}`);
  const named = found.find(({ connector }) => connector === name);
  if (named === undefined) throw new UsageError(`there is no such connector "${name}"; it can be ${names.join(', ')}`);
  return named;
}

/** A contract that a connector gives its callers. */
export interface ConnectorContract {
  readonly connector: string;
  /** In the language of its protocol. */
  readonly text: string;
}

/**
 * The contracts of the connectors of one type, in the order in which they are written: exactly what they would tell their
 * callers. Nothing is opened. Rejects with what is wrong with a file that one of them names.
 */
async function contractsOf(
  plan: Plan,
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
  type: string,
): Promise<readonly ConnectorContract[]> {
  const { bindings, types, sent } = plan.bind(connectors, services);
  const own = plan.connectors.filter(({ declaration }) => declaration.spec?.type === type);
  const found = own.map(async ({ name }) => {
    const source = connectors.get(name)?.source;
    const bound = source?.bind(bindings.get(name) ?? [], { types, sent: sent.get(name) ?? [] });
    const text = await bound?.contract?.();
    return text === undefined ? [] : [{ connector: name, text }];
  });
  return (await Promise.all(found)).flat();
}
