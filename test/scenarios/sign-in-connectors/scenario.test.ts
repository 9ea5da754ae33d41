import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../support/free-port.ts';
import { until, untilPassed } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

/** A credential that the provider knows. */
const good = 'good';

interface Credential {
  readonly token: string | undefined;
}

let checker: Upstream;
let ports: Record<'GRAPH_PORT' | 'RPC_PORT' | 'SOAP_PORT', string>;

/** A service whose sessions end when they were idle for so long. */
async function start(idle: string): Promise<Scenario> {
  ports = {
    GRAPH_PORT: String(await freePort()),
    RPC_PORT: String(await freePort()),
    SOAP_PORT: String(await freePort()),
  };
  return startScenario(import.meta.dirname, { env: { ...ports, IDLE: idle, CHECKER: checker.address } });
}

beforeAll(async () => {
  checker = await startUpstream(({ headers }) =>
    headers.authorization === `Bearer ${good}` ? { body: { id: 'keyed' } } : { status: 401, body: {} },
  );
});

afterAll(() => checker.close());

const bearer = ({ token }: Credential): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

async function statusAt(url: string, init: RequestInit): Promise<number> {
  const abort = new AbortController();
  const answer = await fetch(url, { ...init, signal: abort.signal });
  const { status } = answer;
  if (status === 200 && answer.headers.get('content-type')?.includes('event-stream')) abort.abort();
  else await answer.arrayBuffer();
  return status;
}

/** A WebSocket, what came over it, and how it ended. */
class Socket {
  readonly frames: Record<string, unknown>[] = [];
  readonly socket: WebSocket;
  status: number | undefined;
  closed: string | undefined;

  constructor(address: string, protocols: readonly string[], headers: Record<string, string>) {
    this.socket = new WebSocket(address, [...protocols], { headers });
    this.socket.on('message', (data) => this.frames.push(JSON.parse(String(data))));
    this.socket.on('close', (code, reason) => (this.closed = `${code} ${reason}`));
    this.socket.on('open', () => (this.status = 101));
    this.socket.on('unexpected-response', (request, { statusCode }) => {
      this.status = statusCode;
      request.destroy();
    });
    this.socket.on('error', () => undefined);
  }

  send(message: object): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  async answered(): Promise<number> {
    return until(() => this.status);
  }
}

const graphql = (path = '/graphql') => `http://127.0.0.1:${ports.GRAPH_PORT}${path}`;
const subscriber = (credential: Credential) =>
  new Socket(graphql('/subscriptions').replace('http', 'ws'), ['graphql-transport-ws'], bearer(credential));

/** What each connector answers to a credential: the status of HTTP, or a word that means the same. */
const asked: Record<string, (service: Scenario, credential: Credential) => Promise<number | string>> = {
  REST: ({ address }, by) => statusAt(`${address}/who`, { headers: bearer(by) }),
  'server-sent events': ({ address }, by) => statusAt(`${address}/events`, { headers: bearer(by) }),
  GraphQL: (_service, by) =>
    statusAt(graphql(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(by) },
      body: JSON.stringify({ query: '{ who { id } }' }),
    }),
  'GraphQL, a stream of events': (_service, by) =>
    statusAt(graphql(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...bearer(by) },
      body: JSON.stringify({ query: 'subscription { ticked { id } }' }),
    }),
  'GraphQL over WebSocket': async (_service, by) => {
    const client = subscriber(by);
    const status = await client.answered();
    client.socket.terminate();
    return status;
  },
  'GraphQL over WebSocket, in connection_init': async (_service, by) => {
    const client = subscriber({ token: undefined });
    await client.answered();
    client.send({
      type: 'connection_init',
      ...(by.token !== undefined && { payload: { Authorization: `Bearer ${by.token}` } }),
    });
    const isAcknowledged = () => client.frames.some(({ type }) => type === 'connection_ack');
    await until(() => client.closed ?? isAcknowledged());
    const isOpen = client.closed === undefined;
    client.socket.terminate();
    return isOpen ? 101 : (client.closed as string);
  },
  WebSocket: async ({ address }, by) => {
    const client = new Socket(`${address.replace('http', 'ws')}/ws`, [], bearer(by));
    const status = await client.answered();
    client.socket.terminate();
    return status;
  },
  'WebSocket, as a sub-protocol': async ({ address }, { token }) => {
    const names = token === undefined ? [] : ['svc', `bearer.${token}`];
    const client = new Socket(`${address.replace('http', 'ws')}/ws`, names, {});
    const status = await client.answered();
    client.socket.terminate();
    return status;
  },
  gRPC: (_service, by) => {
    const client = new grpc.Client(`127.0.0.1:${ports.RPC_PORT}`, grpc.credentials.createInsecure());
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(bearer(by))) metadata.set(name, value);
    const same = (bytes: Buffer) => bytes;
    return new Promise<number | string>((resolve) => {
      client.makeUnaryRequest('/who.Callers/Name', same, same, Buffer.alloc(0), metadata, (error) => {
        client.close();
        resolve(error === null ? 200 : (grpc.status[error.code] as string));
      });
    });
  },
  SOAP: (_service, by) =>
    statusAt(`http://127.0.0.1:${ports.SOAP_PORT}/`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '"Who"', ...bearer(by) },
      body: '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Who xmlns="http://example.org/callers"/></e:Body></e:Envelope>',
    }),
};

/** What a refused credential is answered where that is not 401. */
const refusals: Readonly<Record<string, string>> = {
  gRPC: 'UNAUTHENTICATED',
  'GraphQL over WebSocket, in connection_init': '4403 Forbidden',
};

async function register(service: Scenario): Promise<string> {
  const email = `${crypto.randomUUID()}@example.test`;
  const { status, body } = await service.ask('POST', '/auth/register', { email, password: 'Correct-Horse-7' });
  expect(status).toBe(201);
  return (body as { access_token: string }).access_token;
}

describe('a credential', () => {
  let service: Scenario;
  beforeAll(async () => {
    service = await start('1h');
  });
  afterAll(() => service.end());

  test.each(Object.keys(asked))(
    'that no one accepts is refused over %s; none, and one that is known, are not',
    async (name) => {
      const ask = asked[name] as (typeof asked)[string];
      const token = await register(service);
      const ended = await register(service);
      await service.ask('POST', '/auth/logout', undefined, { authorization: `Bearer ${ended}` });
      const isSocket = /WebSocket/.test(name);
      const accepted = isSocket ? 101 : 200;
      const answers: unknown[] = [];
      for (const each of [undefined, good, token, 'bad', ended]) answers.push(await ask(service, { token: each }));
      const refused = refusals[name] ?? 401;
      expect(answers).toEqual([accepted, accepted, accepted, refused, refused]);
    },
  );
});

describe('a session', () => {
  let service: Scenario;
  afterAll(() => service?.end());

  test('that ends ends every stream of it at once, and none of another', async () => {
    service = await start('1h');
    const [token, other] = [await register(service), await register(service)];
    const streams = async (by: Credential) => {
      const socket = new Socket(`${service.address.replace('http', 'ws')}/ws`, [], bearer(by));
      const client = subscriber(by);
      const answer = await fetch(`${service.address}/events`, { headers: bearer(by) });
      const events = { isOver: false };
      const over = () => (events.isOver = true);
      void answer.text().then(over, over);
      await Promise.all([socket.answered(), client.answered()]);
      return () => [socket.closed, client.closed, events.isOver];
    };
    const [own, foreign] = [await streams({ token }), await streams({ token: other })];
    const from = performance.now();
    await service.ask('POST', '/auth/logout', undefined, bearer({ token }));
    await untilPassed(() => expect(own()).toEqual(['1008 the session has ended', '4403 the session has ended', true]));
    // Sessions of server-sent events are looked at every 30 s.
    expect(performance.now() - from).toBeLessThan(15_000);
    expect(foreign()).toEqual([undefined, undefined, false]);
    await service.end();
  });

  test('is not prolonged by pings of a client of subscriptions, nor by those of WebSocket', async () => {
    service = await start('2s');
    const by = { token: await register(service) };
    const client = subscriber(by);
    const socket = new Socket(`${service.address.replace('http', 'ws')}/ws`, [], bearer(by));
    await Promise.all([client.answered(), socket.answered()]);
    client.send({ type: 'connection_init' });
    const pinging = setInterval(() => {
      client.send({ type: 'ping' });
      client.send({ type: 'pong' });
      if (socket.socket.readyState === socket.socket.OPEN) socket.socket.ping();
    }, 50);
    await untilPassed(() =>
      expect([client.closed, socket.closed]).toEqual(['4403 the session has ended', '1008 the session has ended']),
    );
    clearInterval(pinging);
  });
});
