import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../foundation/observe/clock.ts';
import type { Variables } from '../service/config/dotenv.ts';
import { DebugEntryPoint, standardMaxPause } from '../service/debug/connection/entry-point.ts';
import { makeToken } from '../service/debug/connection/token.ts';
import type { TestDebugger } from '../tools/harness/test-debugger.ts';
import { TestLog } from '../tools/harness/test-log.ts';

/** Milliseconds in which a debugger has to come and to be ready. */
const longestWait = 120_000;
/** Milliseconds in which a client reads what was said last. */
const farewell = 500;

/** The debug endpoint of one test, which begins when a client is ready. */
export interface TestDebugging extends TestDebugger {
  /** `ws://127.0.0.1:<port>/debug`. */
  readonly address: string;
  close(): Promise<void>;
}

/** Listens on this machine alone, at a port of its own. Rejects when it cannot. */
export async function debugTest(variables: Variables): Promise<TestDebugging> {
  const { promise: ready, resolve: begin } = Promise.withResolvers<void>();
  const { SVC_DEBUG_TOKEN: token = makeToken() } = variables;
  const entryPoint = new DebugEntryPoint({
    access: { enabled: true, trustsLoopback: true, token, origin: undefined },
    clock: systemClock,
    log: new TestLog(),
    variables,
    masksNames: false,
    maxPause: standardMaxPause,
    suspend: true,
  });
  const server = createServer((_, response) => response.writeHead(404).end());
  server.on('upgrade', (request, socket, head) => {
    if (request.url?.split('?')[0] === '/debug') entryPoint.upgrade(request, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `ws://127.0.0.1:${port}/debug`,
    probe: entryPoint.probe,
    begin: async (project, stages) => {
      entryPoint.serve(() => ({
        project,
        stages,
        events: new Map(),
        startEvents: async () => {
          begin();
          return new Map();
        },
      }));
      await entryPoint.gate.follow();
      const over = AbortSignal.timeout(longestWait);
      const late = new Promise<never>((_, reject) => {
        over.addEventListener('abort', () => reject(new Error('no debugger was ready within 2 minutes')), {
          once: true,
        });
      });
      await Promise.race([ready, late]);
    },
    close: async () => {
      await entryPoint.close();
      server.close();
      setTimeout(() => server.closeAllConnections(), farewell).unref();
    },
  };
}
