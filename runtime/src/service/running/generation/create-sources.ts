import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { PlannedConnector } from '../../../foundation/contracts/plan.ts';
import { withinTime } from '../../../platform/net/within-time.ts';

/** What one connector created on its server, or why it could not. */
export type Created =
  | { readonly connector: string; readonly created: string }
  | { readonly connector: string; readonly problem: string };

/** Creates what connectors take messages from where it is missing, each within `timeout` milliseconds. */
export async function createSources(
  connectors: readonly PlannedConnector[],
  services: (name: string) => ConnectorServices,
  timeout: number,
): Promise<Created[]> {
  const all = await Promise.all(
    connectors.map(async (planned): Promise<Created | undefined> => {
      const connector = planned.name;
      try {
        const made = await planned.make(services(connector));
        const created = await withinTime(timeout, (signal) => made.createSource?.(signal));
        return created === undefined ? undefined : { connector, created };
      } catch (error) {
        return { connector, problem: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  return all.filter((each) => each !== undefined);
}
