import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { HttpMount, HttpServices } from '../../../foundation/contracts/http.ts';
import type { HttpEdge } from '../../../platform/http/edge.ts';
import { addressKey } from './listener.ts';

type EdgeServices = Pick<ConnectorServices, 'log' | 'clock' | 'production'> & { readonly http: HttpServices };

/** One server for each address with mounts. Throws a Failure when two mounts serve the same. */
export async function composeEdges(mounts: readonly HttpMount[], services: EdgeServices): Promise<readonly HttpEdge[]> {
  if (mounts.length === 0) return [];
  const { HttpEdge } = await import('../../../platform/http/edge.ts');
  const byAddress = Map.groupBy(mounts, ({ connector, address }) => addressKey(connector, address));
  return [...byAddress.values()].map((shared) => new HttpEdge(shared as [HttpMount, ...HttpMount[]], services));
}
