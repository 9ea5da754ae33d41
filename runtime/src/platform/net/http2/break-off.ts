import type { Http2Stream } from 'node:http2';

/**
 * Resets a stream of which what is written has not come to its end. Node ends it before it closes a stream with a code, so that
 * the other side would take what has come for all of it.
 */
export function breakOff(stream: Http2Stream): void {
  stream.destroy(new Error('it was broken off'));
}
