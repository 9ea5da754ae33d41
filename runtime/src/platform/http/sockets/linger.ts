import type { Duplex } from 'node:stream';

/** How long a connection may still take its last answer, in milliseconds. */
const lingering = 1_000;

/**
 * Sends the last bytes of a connection and ends it. A caller that does not take them, or does not close its own side,
 * loses the connection after a moment. What it still sends is discarded: a connection that is closed over bytes that
 * have not been read is reset, which can cost the caller the answer.
 */
export function endWith(socket: Duplex, bytes: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(bytes);
  socket.resume();
  const over = setTimeout(() => socket.destroy(), lingering);
  socket.once('close', () => clearTimeout(over));
}
