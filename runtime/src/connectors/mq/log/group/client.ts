import type { Cluster } from '../library.ts';
import type { Protocol } from '../protocol.ts';

/** What takes part in a group: the brokers as a group sees them. */
export interface GroupClient {
  readonly cluster: Cluster;
  /** The same over connections of their own, for requests whose answers a broker may hold. */
  readonly joining: Cluster;
  readonly protocol: Protocol;
  /** Bytes of one response. */
  readonly mostBytes: number;
}
