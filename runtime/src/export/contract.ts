import type { Connector } from '../contracts/connector.ts';
import type { Plan, PlanServices } from '../contracts/plan.ts';

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
export async function contractsOf(
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
