import type { SourceCounts } from '../../../../foundation/contracts/observer.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { Backoff } from '../../../../platform/net/backoff.ts';
import type { SocketOptions } from './socket.ts';

export interface ConnectionSettings extends Pick<SocketOptions, 'headers' | 'connectTimeout' | 'mostBytes'> {
  readonly url: string;
  /** What the first message says. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds between two questions whether the server is there. */
  readonly keepAlive: number;
  readonly errors: 'fail' | 'data';
  readonly backoff: Backoff;
  readonly clock: Clock;
  readonly log: Log;
  readonly counts: SourceCounts | undefined;
  /** The server has refused the credentials. */
  readonly refused: () => void;
}
