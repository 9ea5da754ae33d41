import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { connectorServices, httpServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { until } from '../../../../test/support/until.ts';
import type {
  AdmittedUpgrade,
  HttpExchange,
  HttpMount,
  HttpServices,
  Verifier,
} from '../../foundation/contracts/http.ts';
import { anonymous } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { corsOf } from './admission/cors.ts';
import { HttpEdge } from './edge.ts';
import { HttpListener } from './sockets/listener.ts';

const open = { cors: undefined, verifier: undefined, maxInFlight: 1000, timeout: undefined };
const limits = {
  readTimeout: 5_000,
  readRate: 8 * 1024,
  writeTimeout: 5_000,
  idleTimeout: 5_000,
  maxConnections: undefined,
};

function mount(connector: string, over: Partial<HttpMount> = {}): HttpMount {
  const address = { host: '127.0.0.1', port: 0 };
  return { connector, address, limits, access: open, builtins: false, routes: [], ...over };
}

const answering = (text: string) => (exchange: HttpExchange) => exchange.send(200, 'text/plain', text);
const route = (method: string, path: string, text: string) => ({ method, path, handle: answering(text) });

/** Lets in those whose `x-key` is the key, and marks its answers. */
const keyed = (key: string): Verifier => ({
  responseHeaders: ['x-realm', key],
  prepare: async () => undefined,
  verify: (asked) => {
    asked.addHeader('x-checked', asked.path);
    return asked.request.headers['x-key'] === key
      ? { ...anonymous, authenticated: true, user_id: key }
      : { refused: new Failure('authentication_required', 'unauthorized'), headers: [] };
  },
});

async function serving(mounts: readonly [HttpMount, ...HttpMount[]], http: Partial<HttpServices> = {}) {
  const log = recordingLog();
  const finished: string[] = [];
  const observer = {
    of: (method: string, path: string) => ({
      started: () => undefined,
      finished: (status: number) => finished.push(`${method} ${path} ${status}`),
    }),
  };
  const edge = new HttpEdge(mounts, { ...connectorServices({ log }), http: httpServices({ observer, ...http }) });
  const cut: string[] = [];
  const listener = new HttpListener(edge.connectors, edge, { cut: (reason) => cut.push(reason) });
  const { port } = await listener.listen();
  return {
    edge,
    listener,
    port,
    cut,
    finished,
    lines: log.lines,
    ask: async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
    async [Symbol.asyncDispose]() {
      await listener.close(AbortSignal.abort());
    },
  };
}

describe('several connectors at one address', () => {
  test('each is served, behind its own access; what none serves is behind the strictest', async () => {
    await using server = await serving([
      mount('open', { routes: [route('GET', '/a', 'a'), route('POST', '/both', 'post')] }),
      mount('guarded', {
        access: { ...open, verifier: keyed('k') },
        routes: [route('GET', '/b/:id', 'b'), route('GET', '/both', 'get')],
      }),
    ]);
    const status = async (path: string, init: RequestInit = {}) => (await server.ask(path, init)).status;
    const headers = { 'x-key': 'k' };
    expect(await Promise.all([status('/a'), status('/b/1'), status('/b/1', { headers })])).toEqual([200, 401, 200]);
    expect(await Promise.all([status('/both', { method: 'POST' }), status('/both')])).toEqual([200, 401]);
    expect(await Promise.all([status('/none'), status('/none', { headers })])).toEqual([401, 404]);
    const { headers: allowed } = await server.ask('/both', { method: 'DELETE' });
    expect(allowed.get('allow')).toBe('GET, OPTIONS, POST');
  });

  test('identity is asked with the whole request, and its headers are those of the answer', async () => {
    await using server = await serving([
      mount('guarded', { access: { ...open, verifier: keyed('k') }, routes: [route('GET', '/b', 'b')] }),
    ]);
    for (const key of ['k', 'no']) {
      const { headers } = await server.ask('/b?x=1', { headers: { 'x-key': key } });
      expect([headers.get('x-checked'), headers.get('x-realm')]).toEqual(['/b', 'k']);
    }
  });

  test('S-88: a preflight is answered by the rules of the connector that it asks for', async () => {
    const settings = { methods: ['GET'], headers: [], allow_credentials: false };
    const from = (origin: string) => ({ ...open, cors: corsOf({ ...settings, origins: [origin] }, true) });
    await using server = await serving([
      mount('one', { access: from('https://one'), routes: [route('GET', '/both', 'one')] }),
      mount('two', { access: from('https://two'), routes: [route('POST', '/both', 'two')] }),
    ]);
    const allowed = async (method: string, origin: string) => {
      const headers = { origin, 'access-control-request-method': method };
      const answer = await server.ask('/both', { method: 'OPTIONS', headers });
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await allowed('GET', 'https://one')).toBe('https://one');
    expect(await allowed('POST', 'https://two')).toBe('https://two');
    expect(await allowed('POST', 'https://one')).toBe(null);
  });

  test('each has its own limit of requests under way', async () => {
    const held: HttpExchange[] = [];
    const hold = { method: 'GET', path: '/slow', handle: (exchange: HttpExchange) => void held.push(exchange) };
    await using server = await serving([
      mount('small', { access: { ...open, maxInFlight: 1 }, routes: [hold] }),
      mount('other', { routes: [route('GET', '/a', 'a')] }),
    ]);
    const first = server.ask('/slow');
    await until(() => held.length === 1);
    expect([(await server.ask('/slow')).status, (await server.ask('/a')).status]).toEqual([503, 200]);
    held[0]?.send(200, undefined, '');
    expect((await first).status).toBe(200);
  });

  test('two that serve the same are reported by their names', () => {
    const services = { ...connectorServices(), http: httpServices() };
    const same = (a: Partial<HttpMount>, b: Partial<HttpMount>) => () =>
      new HttpEdge([mount('one', a), mount('two', b)], services);
    const get = (path: string) => ({ routes: [route('GET', path, '')] });
    expect(same(get('/a/:id'), get('/a/:name'))).toThrow(
      'GET /a/:name is served by connector "one" and by connector "two"',
    );
  });

  test('health and metrics are served once, behind the strictest of those that serve them', async () => {
    const builtins = [
      { path: '/health', open: false, handle: () => ({ status: 200, contentType: 'text/plain', body: 'well' }) },
      { path: '/health/live', open: true, handle: () => ({ status: 200, contentType: 'text/plain', body: 'alive' }) },
    ];
    await using server = await serving(
      [
        mount('open', { builtins: true }),
        mount('guarded', { builtins: true, access: { ...open, verifier: keyed('k') } }),
      ],
      { builtins },
    );
    const headers = { 'x-key': 'k' };
    const asked = [server.ask('/health'), server.ask('/health', { headers }), server.ask('/health/live')];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 200, 200]);
  });
});

describe('connections that change to another protocol', () => {
  /** Greets, then sends back what comes. */
  function echoing(taken: AdmittedUpgrade[], sockets: Duplex[] = []) {
    return {
      path: '/ws/:room',
      protocol: 'websocket',
      handle: (_request: unknown, socket: Duplex, head: Buffer, admitted: AdmittedUpgrade) => {
        taken.push(admitted);
        sockets.push(socket);
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.write(head);
        socket.pipe(socket);
      },
    };
  }
  const request = (path: string, more = '', protocol = 'websocket') =>
    `GET ${path} HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`;

  async function talk(port: number, bytes: string, enough: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.write(bytes);
    await until(() => text.includes(enough) || socket.destroyed || socket.readableEnded);
    socket.destroy();
    return text;
  }

  test('go to their taker with who calls, what was read, and what identity said', async () => {
    const taken: AdmittedUpgrade[] = [];
    const access = { ...open, verifier: keyed('k') };
    await using server = await serving([
      mount('api', { routes: [route('GET', '/a', 'a')] }),
      mount('chat', { access, upgrades: [echoing(taken)] }),
    ]);
    const text = await talk(server.port, `${request('/ws/lobby?x=1', 'x-key: k\r\n')}more`, 'more');
    expect(text).toMatch(/^HTTP\/1\.1 101 .*more$/s);
    expect(taken).toEqual([
      {
        auth: { ...anonymous, authenticated: true, user_id: 'k' },
        params: { room: 'lobby' },
        query: { x: '1' },
        headers: ['x-content-type-options', 'nosniff', 'x-realm', 'k', 'x-checked', '/ws/lobby'],
        remoteAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      },
    ]);
    expect(server.finished).toEqual(['GET /ws/:room 101']);
    await server.edge.idle();
  });

  test.each([
    ['without a credential', request('/ws/lobby'), 401, 'authentication_required'],
    ['another path', request('/a'), 200, 'a'],
    ['another protocol at the path', request('/ws/lobby', 'x-key: k\r\n', 'h2c'), 426, 'upgrade_required'],
    ['no protocol at all', 'GET /ws/lobby HTTP/1.1\r\nHost: here\r\nx-key: k\r\n\r\n', 426, 'upgrade_required'],
    ['a page of another origin', request('/ws/x', 'x-key: k\r\nOrigin: https://evil\r\n'), 403, 'permission_denied'],
    ['a page of no origin', request('/ws/x', 'x-key: k\r\nOrigin: null\r\n'), 403, 'permission_denied'],
    ['two hosts', request('/ws/x', 'x-key: k\r\nHost: there\r\n'), 400, 'malformed'],
  ])('S-08: %s is answered, and its connection is not kept', async (_what, bytes, status, code) => {
    const taken: AdmittedUpgrade[] = [];
    await using server = await serving([
      mount('chat', { access: { ...open, verifier: keyed('k') }, upgrades: [echoing(taken)] }),
      mount('api', { routes: [route('GET', '/a', 'a')] }),
    ]);
    const text = await talk(server.port, bytes, code);
    expect([text.slice(9, 12), text.includes(code), taken]).toEqual([String(status), true, []]);
  });

  test('a page of the same origin, and one that `cors` names, may open one', async () => {
    const taken: AdmittedUpgrade[] = [];
    const settings = { origins: ['https://app'], methods: [], headers: [], allow_credentials: false };
    await using server = await serving([
      mount('chat', { access: { ...open, cors: corsOf(settings, true) }, upgrades: [echoing(taken)] }),
    ]);
    for (const origin of ['http://here', 'https://app'])
      expect(await talk(server.port, request('/ws/x', `Origin: ${origin}\r\n`), '101')).toMatch(/^HTTP\/1\.1 101/);
    expect(taken).toHaveLength(2);
  });

  test('R-82: outlive the exchange of the edge, and are cut at the end', async () => {
    const sockets: Duplex[] = [];
    await using server = await serving([mount('chat', { upgrades: [echoing([], sockets)] })]);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(request('/ws/x'));
    await once(socket, 'data');
    server.listener.swap(
      new HttpEdge([mount('api', { routes: [route('GET', '/a', 'a')] })], {
        ...connectorServices(),
        http: httpServices(),
      }),
    );
    expect((await server.ask('/a')).status).toBe(200);
    socket.write('still here');
    expect(String((await once(socket, 'data'))[0])).toBe('still here');
    const closed = once(socket, 'close');
    await server.listener.close(AbortSignal.abort());
    await closed;
    expect(sockets[0]?.destroyed).toBe(true);
  });
});
