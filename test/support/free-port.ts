import { type AddressInfo, createServer } from 'node:net';

/** The ports that this process was given: the system may give one again before its first user listens. */
const given = new Set<number>();

/** A TCP port of the loopback interface that no process listens on now, and that this process was not given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await unusedPort();
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
}

function unusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
