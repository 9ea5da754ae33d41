/** One of the two servers that `rest.ts` compares; tells its port and, when asked, the CPU time it has used. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { create } from '../../runtime/src/connectors/rest/connector.ts';
import { rest as spec } from '../../runtime/src/connectors/rest/spec.ts';
import type { ConnectorServices } from '../../runtime/src/foundation/contracts/connector.ts';
import { systemClock } from '../../runtime/src/foundation/observe/clock.ts';
import { HttpEdge } from '../../runtime/src/platform/http/edge.ts';
import { HttpListener } from '../../runtime/src/platform/http/sockets/listener.ts';
import { configured } from '../support/configured.ts';

const port = process.argv[2] === 'plain' ? await plain() : await rest();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.send?.(port);

async function plain(): Promise<number> {
  const text = { type: 'string' } as const;
  const user = {
    type: 'object',
    properties: { id: text, name: text, email: text, age: { type: 'integer' }, tags: { type: 'array', items: text } },
  } as const;
  const app = fastify();
  const hello = { type: 'object', properties: { message: text } } as const;
  app.get('/hello', { schema: { response: { 200: hello } } }, () => ({ message: 'hello' }));
  app.get<{ Params: { id: string } }>(
    '/users/:id',
    { schema: { response: { 200: user }, params: { type: 'object', properties: { id: text } } } },
    ({ params }) => ({ id: params.id, name: 'Ada Lovelace', email: 'ada@example.com' }),
  );
  app.post('/users', { schema: { body: user, response: { 200: user } } }, ({ body }) => body);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

async function rest(): Promise<number> {
  const log = { enabled: () => false, debug() {}, info() {}, warn() {}, error() {}, with: () => log };
  const services: ConnectorServices = {
    log,
    clock: systemClock,
    environment: 'production',
    production: true,
    directory: '/',
    service: 'bench',
    userAgent: 'bench',
    lookup: () => () => ({}),
    storage: () => {
      throw new Error('nothing is kept');
    },
  };
  const config = configured(spec.config, { host: '127.0.0.1', port: 0 });
  const { source } = create('api', config, services);
  const flow = (operation: string, value: (input: Record<string, unknown>) => unknown) => ({
    flow: operation,
    operation,
    words: {},
    deliver: ({ input }: { input: Record<string, unknown> }) => ({ kind: 'reply', value: value(input) }) as const,
  });
  const bound = source?.bind([
    flow('GET /hello', () => ({ message: 'hello' })),
    flow('GET /users/:id', (input) => ({ id: input['id'], name: 'Ada Lovelace', email: 'ada@example.com' })),
    flow('POST /users', ({ name, email, age, tags }) => ({ name, email, age, tags })),
  ]);
  if (bound?.http === undefined) throw new Error('the connector serves nothing');
  await bound.prepare();
  const http = {
    builtins: [],
    rateLimiter: undefined,
    observer: { of: () => ({ started() {}, finished() {} }) },
    overloaded: () => false,
    trustedProxies: { networks: [], header: 'x-forwarded-for' as const },
  };
  return (await new HttpListener(['api'], new HttpEdge([bound.http], { ...services, http })).listen()).port;
}
