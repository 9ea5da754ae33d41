import type { loadConfiguration } from '../config/load.ts';
import type { Connector } from '../contracts/connector.ts';
import { type ConnectorContract, contractsOf } from '../export/contract.ts';
import { servicesOf } from '../harness/services.ts';
import { FlowWatch } from '../harness/watch.ts';
import { systemClock } from '../observe/clock.ts';
import { compilePlan } from '../plan/compile.ts';
import { type Streams, UsageError } from './command.ts';
import { withoutService } from './connector-services.ts';

type Loaded = Awaited<ReturnType<typeof loadConfiguration>>;

/** The contract of one connector of a type; of the only one where `name` is not given. */
export async function contractOf(
  { project }: Pick<Loaded, 'project'>,
  directory: string,
  streams: Streams,
  { type, name }: { readonly type: string; readonly name: string | undefined },
): Promise<string> {
  const plan = compilePlan(project);
  const services = withoutService(directory, streams);
  // Made and never opened: flows are compiled against them.
  const made = plan.connectors.map(async (planned) => [planned.name, await planned.make(services)] as const);
  const connectors = new Map<string, Connector>(await Promise.all(made));
  const found = await contractsOf(
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
  return chosen(found, type, name).text;
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
