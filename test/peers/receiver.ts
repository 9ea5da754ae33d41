import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of HTTP that keeps what services send it. */
export interface Receiver {
  readonly url: string;
  /** Bodies of JSON, in the order in which they came. */
  readonly taken: readonly unknown[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const taken: unknown[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    // What checks whether it is there sends nothing.
    if (request.method === 'POST') taken.push(JSON.parse(Buffer.concat(parts).toString()));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
