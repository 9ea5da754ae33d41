import type { Duplex } from 'node:stream';

/** A connection whose request asks for another protocol, as long as it is not handed over. */
export interface Upgrading {
  readonly socket: Duplex;
  /** What was read behind the request. */
  readonly head: Buffer;
}
