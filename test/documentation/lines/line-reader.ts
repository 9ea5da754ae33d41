import type { Socket } from 'node:net';
import { Failure } from '../../../runtime/src/foundation/errors/failure.ts';

const lineFeed = 10;

/**
 * The lines that come over a connection, without their ends. Nothing is read while the next line is not asked for, so
 * that TCP holds a fast sender back. Ends the connection when the loop over it ends. Throws a Failure for a line of more
 * than `most` bytes, and the error of the connection.
 */
export async function* linesOf(socket: Socket, most: number): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of socket) {
    rest = Buffer.concat([rest, piece as Buffer]);
    for (let end = rest.indexOf(lineFeed); end >= 0 && end <= most; end = rest.indexOf(lineFeed)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > most) throw new Failure('body_too_large', `a line has at most ${most} bytes (max_line)`);
  }
}
