import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page of another origin with the same host, which passes everything to a service and back, as one that phishes does. */
export async function otherOrigin(service: string): Promise<{ readonly address: string; close(): Promise<void> }> {
  const { hostname, port, host } = new URL(service);
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    // What says where the page is from would give it away.
    const { origin: _origin, referer: _referer, ...others } = headers;
    const passed = request({ hostname, port, method, path: url, headers: { ...others, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
