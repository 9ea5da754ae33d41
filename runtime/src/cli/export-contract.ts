import { compilePlan } from '../engine/plan/compile.ts';
import type { Connector } from '../foundation/contracts/connector.ts';
import type { Plan, PlanServices } from '../foundation/contracts/plan.ts';
import type { BoundFlows, PublishedDefinitions } from '../foundation/contracts/source.ts';
import { systemClock } from '../foundation/observe/clock.ts';
import type { loadConfiguration } from '../service/config/load.ts';
import { servicesOf } from '../tools/harness/services.ts';
import { FlowWatch } from '../tools/harness/watch.ts';
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
  loaded: Pick<Loaded, 'project'>,
  directory: string,
  streams: Streams,
  type: string,
): Promise<readonly ConnectorContract[]> {
  const found = await boundOfType(loaded, directory, streams, type, async ({ contract }) => contract?.());
  return found.map(({ connector, said: text }) => ({ connector, text }));
}

/** The definitions of all connectors of a type. */
export async function definitionsOfType(
  loaded: Pick<Loaded, 'project'>,
  directory: string,
  streams: Streams,
  type: string,
): Promise<readonly (PublishedDefinitions & { readonly connector: string })[]> {
  const found = await boundOfType(loaded, directory, streams, type, async ({ definitions }) => definitions?.());
  return found.map(({ connector, said }) => ({ connector, ...said }));
}

/** What connectors of a type say of their flows. */
async function boundOfType<Said>(
  { project }: Pick<Loaded, 'project'>,
  directory: string,
  streams: Streams,
  type: string,
  read: (bound: BoundFlows) => Promise<Said | undefined>,
): Promise<readonly SaidByConnector<Said>[]> {
  const plan = compilePlan(project);
  const services = withoutService(directory, streams);
  // Made and never opened: flows are compiled against them.
  const made = plan.connectors.map(async (planned) => [planned.name, await planned.make(services)] as const);
  const connectors = new Map<string, Connector>(await Promise.all(made));
  return saidBy(
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
    read,
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

interface SaidByConnector<Said> {
  readonly connector: string;
  readonly said: Said;
}

/**
 * What the connectors of one type say of their flows, in the order in which they are written: exactly what they would tell their
 * callers. Nothing is opened. Rejects with what is wrong with a file that one of them names.
 */
async function saidBy<Said>(
  plan: Plan,
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
  type: string,
  read: (bound: BoundFlows) => Promise<Said | undefined>,
): Promise<readonly SaidByConnector<Said>[]> {
  const { bindings, types, sent } = plan.bind(connectors, services);
  const own = plan.connectors.filter(({ declaration }) => declaration.spec?.type === type);
  const found = own.map(async ({ name }) => {
    const source = connectors.get(name)?.source;
    const bound = source?.bind(bindings.get(name) ?? [], { types, sent: sent.get(name) ?? [] });
    const said = bound === undefined ? undefined : await read(bound);
    return said === undefined ? [] : [{ connector: name, said }];
  });
  return (await Promise.all(found)).flat();
}
