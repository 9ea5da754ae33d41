import { connect } from 'node:net';

/** Milliseconds to wait for the first bytes of an answer. */
const timeout = 1_500;

/** Sends `bytes` to the host and port of an address, and says whether what comes back begins as expected. */
export function probe(address: string, bytes: string | Uint8Array, expected: RegExp): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const answer = (yes: boolean): void => {
      socket.destroy();
      resolve(yes);
    };
    socket.setTimeout(timeout, () => answer(false));
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      if (expected.test(received)) answer(true);
    });
    socket.on('error', () => answer(false));
    socket.on('close', () => answer(false));
  });
}
