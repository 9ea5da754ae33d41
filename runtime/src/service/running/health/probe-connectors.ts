import type { Diagnostic } from '@svc/protocol/text';
import { kindOf } from '../../../connectors/core/declaration.ts';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { PlannedConnector } from '../../../foundation/contracts/plan.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import { openOne, unsetVariable } from '../generation/open.ts';
import { misunderstood } from './misunderstood.ts';
import { type UnreachableConnector, unreachable } from './reach.ts';

/** The result of probing one connector. */
export type Probed =
  | {
      readonly found: 'reachable';
      readonly connector: string;
      readonly type: string;
      readonly milliseconds: number;
      /** Why it works with less than it should; undefined when it is healthy. */
      readonly degraded: string | undefined;
    }
  /** It waits for clients to connect, so there is nothing to reach. */
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
  const type = kindOf(planned.declaration.spec);
  try {
    const made = await planned.make(services);
    if (waitsForOthers(planned, made)) return { found: 'listener', connector, type };
    const began = clock.elapsed();
    try {
      await openOne(made, timeout);
      const reason = await withinTime(timeout, (signal) => made.check?.(signal), clock.elapsed() - began);
      const degraded = typeof reason === 'string' ? reason : undefined;
      return { found: 'reachable', connector, type, milliseconds: Math.round(clock.elapsed() - began), degraded };
    } finally {
      // A connector that does not answer may not close either.
      await withinTime(timeout, (cut) => made.close(cut)).catch(() => undefined);
    }
  } catch (error) {
    const found = unreachable(connector, type, error, unsetVariable(planned, diagnostics));
    return { found: 'unreachable', ...(await misunderstood(found, planned.declaration)) };
  }
}

/** Whether there is no peer to look for: others connect to it, and what it sends goes to them. */
function waitsForOthers({ declaration }: PlannedConnector, { source, target, storage }: Connector): boolean {
  if (declaration.spec?.source?.listens !== undefined) return true;
  return source !== undefined && source.events === undefined && target === undefined && storage === undefined;
}
