import type { ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { connectorServices, httpServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import { HttpEdge } from '../edge.ts';
import { HttpListener } from '../sockets/listener.ts';
import { askHttp2, openHttp2 } from '../testing/http2-caller.ts';

const limits = {
  readTimeout: 5_000,
  readRate: 8_192,
  writeTimeout: 5_000,
  idleTimeout: 60_000,
  maxConnections: undefined,
};
const access = { cors: undefined, verifier: undefined, maxInFlight: 1000, timeout: undefined };

/** A server of one generation, whose streams of events are kept by `streams`. */
function generation(number: number, streams: ServerResponse[]): HttpEdge {
  const address = { host: '127.0.0.1', port: 0 };
  const routes = [
    {
      method: 'GET',
      path: '/number',
      handle: (exchange: HttpExchange) => exchange.send(200, 'text/plain', String(number)),
    },
    {
      method: 'GET',
      path: '/events',
      handle: (exchange: HttpExchange) => {
        const response = exchange.keepOpen(200, 'text/event-stream');
        if (response !== undefined) streams.push(response);
      },
    },
  ];
  const mount = { connector: 'api', address, limits, access, builtins: false, http2: true, routes };
  return new HttpEdge([mount], { ...connectorServices({ log: recordingLog() }), http: httpServices({}) });
}

test('A-07: after fifty reloads, two generations are held at most, whatever streams each of them has begun', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const streams: ServerResponse[] = [];
  const held: WeakRef<HttpEdge>[] = [];
  const next = (number: number) => {
    const edge = generation(number, streams);
    held.push(new WeakRef(edge));
    return edge;
  };
  const listener = new HttpListener(['api'], next(0));
  const { port } = await listener.listen();
  await using session = openHttp2(`http://127.0.0.1:${port}`);
  const events = new Map<number, string>();
  for (let number = 1; number <= 50; number++) {
    const stream = session.request({ ':path': '/events' });
    stream.setEncoding('utf8').on('data', (text: string) => events.set(number, text));
    await new Promise((resolve) => stream.once('response', resolve));
    listener.swap(next(number));
    expect((await askHttp2(session, { ':path': '/number' })).text).toBe(String(number));
  }
  await expect
    .poll(() => {
      collect();
      return held.filter((each) => each.deref() !== undefined).length;
    })
    .toBeLessThanOrEqual(2);
  for (const [at, response] of streams.entries()) response.write(`data: ${at}\n\n`);
  await expect.poll(() => events.size).toBe(50);
  expect([events.get(1), events.get(50), listener.connections]).toEqual(['data: 0\n\n', 'data: 49\n\n', 1]);
  await listener.close(AbortSignal.abort());
});
