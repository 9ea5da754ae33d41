import type { Diagnostic } from '@svc/protocol/text';
import type { ConnectorServices } from '../contracts/connector.ts';
import type { PlannedConnector } from '../contracts/plan.ts';
import { withinTime } from '../net/within-time.ts';
import type { Clock } from '../observe/clock.ts';
import { openOne, typeOf, unsetVariable } from './open.ts';
import { type UnreachableConnector, unreachable } from './reach.ts';

/** How one connector was found. */
export type Probed =
  | { readonly found: 'reachable'; readonly connector: string; readonly type: string; readonly milliseconds: number }
  /** It waits for others to connect, so there is nothing to reach. */
  | { readonly found: 'listener'; readonly connector: string; readonly type: string }
  | ({ readonly found: 'unreachable' } & UnreachableConnector);

/** Opens, checks and closes every connector at the same time, each within `timeout` milliseconds. */
export function probeConnectors(
  connectors: readonly PlannedConnector[],
  services: (name: string) => ConnectorServices,
  diagnostics: readonly Diagnostic[],
  timeout: number,
  clock: Clock,
): Promise<Probed[]> {
  return Promise.all(connectors.map((planned) => probe(planned, services(planned.name), diagnostics, timeout, clock)));
}

async function probe(
  planned: PlannedConnector,
  services: ConnectorServices,
  diagnostics: readonly Diagnostic[],
  timeout: number,
  clock: Clock,
): Promise<Probed> {
  const { name: connector } = planned;
  const type = typeOf(planned);
  const fail = (error: unknown): Probed => ({
    found: 'unreachable',
    ...unreachable(connector, type, error, unsetVariable(planned, diagnostics)),
  });
  try {
    const made = await planned.make(services);
    if (
      made.source !== undefined &&
      made.source.events === undefined &&
      made.target === undefined &&
      made.storage === undefined
    )
      return { found: 'listener', connector, type };
    const began = clock.elapsed();
    try {
      await openOne(made, timeout);
      await withinTime(timeout, (signal) => made.check?.(signal), clock.elapsed() - began);
      return { found: 'reachable', connector, type, milliseconds: Math.round(clock.elapsed() - began) };
    } finally {
      // Whoever does not answer may not let itself be closed either.
      await withinTime(timeout, () => made.close()).catch(() => undefined);
    }
  } catch (error) {
    return fail(error);
  }
}
