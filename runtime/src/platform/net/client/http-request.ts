import type { Content } from '../../../foundation/contracts/content.ts';
import type { Keep } from '../exchange.ts';

/** One request as it goes out. */
export interface HttpRequest {
  readonly method: string;
  /** Scheme, host and port: `https://api.example.org`. */
  readonly origin: string;
  /** Begins with `/` and holds the query; already encoded. */
  readonly path: string;
  /** Names and values in turn; already checked. */
  readonly headers: readonly string[];
  /** A content goes out as fast as the peer takes it, again with each redirect when it is kept. */
  readonly body?: string | Uint8Array | Content | undefined;
  /** What the body of a good answer is kept in, when it is not taken into memory. */
  readonly keep?: Keep | undefined;
  /** What would be kept is forwarded as it comes, in `passing` of the answer; without `keep`, every good answer that has a body. */
  readonly pass?: boolean | undefined;
  /** Milliseconds that the peer may be silent within a body that passes; the deadline is then that of the first byte. */
  readonly silence?: number | undefined;
  /** The body is given as it was sent, whatever its encoding. */
  readonly encoded?: true | undefined;
  /** Milliseconds from now until the last byte of the answer; of a body that passes, the reader's time does not count. */
  readonly deadline: number;
  /** Bytes that the body of this answer may have, when they are fewer than those of the client. */
  readonly maxResponse?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Absent: an answer that redirects is followed, within the origin. false: it is an answer as any other. */
  readonly redirects?: false | undefined;
}
