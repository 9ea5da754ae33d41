import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { untilPassed } from '../../../../../../test/support/until.ts';
import { LiveService } from './testing/live-service.ts';

const subscriptions = 'svc_subscriptions{connector="api"}';
const connections = 'svc_subscriber_connections{connector="api"}';
const events = (result: string) => `svc_subscription_events_total{connector="api",result="${result}"}`;

test('a client subscribes, gets the events that are published after it, and ends it', async () => {
  await using live = await LiveService.start();
  const client = live.client();
  const taken: unknown[] = [];
  const reading = (async () => {
    for await (const result of client.iterate({ query: 'subscription { changed { id text } }' }))
      if (taken.push(result) === 2) break;
  })();
  await untilPassed(() => expect(live.metric(subscriptions)).toBe(1));
  await live.publish({ id: 1, text: 'one' });
  await live.publish({ id: 2 });
  await reading;
  expect(taken).toEqual([{ data: { changed: { id: 1, text: 'one' } } }, { data: { changed: { id: 2, text: null } } }]);
  await untilPassed(() => expect(live.metric(subscriptions)).toBe(0));
  expect(live.metric(events('delivered'))).toBe(2);
});

test('queries and mutations are answered over the connection, failures in the form of GraphQL', async () => {
  await using live = await LiveService.start();
  const client = await (await live.connect()).init();
  const ask = (id: string, query: string, variables?: object) =>
    client.send({ type: 'subscribe', id, payload: { query, variables } });
  ask('q', '{ hello }');
  ask('m', 'mutation ($n: JSON) { publish(input: $n) }', { n: { id: 9_007_199_254_740_993n.toString() } });
  ask('bad', '{ nothing }');
  ask('cut', '{ hello');
  ask('vars', 'query ($n: Int!) { hello @skip(if: true) __typename }', { n: 'x' });
  await untilPassed(() => expect(client.frames.filter(({ type }) => type !== 'next')).toHaveLength(6));
  const of = (id: string) => client.frames.filter((frame) => frame['id'] === id);
  expect([of('q'), of('m')]).toEqual([
    [
      { id: 'q', type: 'next', payload: { data: { hello: 'hello ' } } },
      { id: 'q', type: 'complete' },
    ],
    [
      { id: 'm', type: 'next', payload: { data: { publish: { published: true } } } },
      { id: 'm', type: 'complete' },
    ],
  ]);
  expect(of('bad')).toEqual([
    {
      id: 'bad',
      type: 'error',
      payload: [expect.objectContaining({ message: expect.stringContaining('Cannot query field "nothing"') })],
    },
  ]);
  expect(of('cut')).toEqual([
    { id: 'cut', type: 'error', payload: [expect.objectContaining({ message: expect.stringContaining('Syntax') })] },
  ]);
  expect(client.closed).toBe(undefined);
});

test('connections are taken at `path`, and nowhere else', async () => {
  await using live = await LiveService.start({ connector: 'subscriptions {\n path = "/live"\n }' });
  await expect(live.connect()).rejects.toThrow('404');
  expect((await (await live.connect({ path: '/live' })).init()).of('connection_ack')).toEqual([
    { type: 'connection_ack' },
  ]);
});

describe('the protocol', () => {
  test.each([
    ['text that is not JSON', '{"type":', '4400 Invalid message received'],
    ['a list', '[]', '4400 Invalid message received'],
    ['a number', '5', '4400 Invalid message received'],
    ['null', 'null', '4400 Invalid message received'],
    ['no type', '{}', '4400 Invalid message received'],
    ['another type', '{"type":"subscribed"}', '4400 Invalid message received'],
    ['a prototype as its type', '{"type":"__proto__"}', '4400 Invalid message received'],
    [
      'a subscription without an id',
      '{"type":"subscribe","payload":{"query":"{ hello }"}}',
      '4400 Invalid message received',
    ],
    ['parameters that are not an object', '{"type":"connection_init","payload":[]}', '4400 Invalid message received'],
    [
      'too deep',
      `{"type":"connection_init","payload":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`,
      '4400 Invalid message received',
    ],
    [
      'a subscription before it was let in',
      '{"type":"subscribe","id":"1","payload":{"query":"{ hello }"}}',
      '4401 Unauthorized',
    ],
    ['more than 512 KB', `{"type":"ping","payload":{"a":"${'x'.repeat(524_288)}"}}`, '1009 '],
  ])('A-04: a first message of %s closes the connection', async (_, message, closed) => {
    await using live = await LiveService.start();
    const client = await live.connect();
    client.send(message);
    await untilPassed(() => expect(client.closed).toBe(closed));
  });

  test('a second greeting and an id that is in use close the connection; another sub-protocol is refused', async () => {
    await using live = await LiveService.start();
    const greeted = await (await live.connect()).init();
    greeted.send({ type: 'connection_init' });
    const twice = await (await live.connect()).init();
    await twice.subscribe('1');
    twice.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { changed { id } }' } });
    const old = await live.connect({ protocol: '' });
    await untilPassed(() =>
      expect([greeted.closed, twice.closed, old.closed]).toEqual([
        '4429 Too many initialisation requests',
        '4409 Subscriber for 1 already exists',
        '4406 Subprotocol not acceptable',
      ]),
    );
    await untilPassed(() => expect([live.metric(subscriptions), live.metric(connections)]).toEqual([0, 0]));
  });

  test('pings are answered with what they carry, integers without a loss of digits', async () => {
    await using live = await LiveService.start();
    const client = await live.connect();
    const raw: string[] = [];
    client.socket.on('message', (data) => raw.push(String(data)));
    client.send({ type: 'ping' }, '{"type":"ping","payload":{"n":9007199254740993}}', { type: 'pong' });
    await untilPassed(() =>
      expect(raw).toEqual(['{"type":"pong"}', '{"type":"pong","payload":{"n":"9007199254740993"}}']),
    );
  });

  test('a client that ends a subscription gets nothing more of it, and may use its id again', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    await client.subscribe('1');
    client.send({ type: 'complete', id: '1' }, { type: 'complete', id: 'never' });
    await untilPassed(() => expect(live.metric(subscriptions)).toBe(0));
    await live.publish({ id: 1 });
    await client.subscribe('1');
    await live.publish({ id: 2 });
    await untilPassed(() => expect(client.of('next').filter(({ id }) => id === '1')).toHaveLength(1));
    expect(client.of('next').filter(({ id }) => id === '1')).toEqual([
      { id: '1', type: 'next', payload: { data: { changed: { id: 2 } } } },
    ]);
  });
});

describe('A-05: a client that', () => {
  const quick = 'subscriptions {\n keep_alive_interval = "50ms"\n connection_timeout = "100ms"\n }';

  test('does not say who it is, or nothing at all, is disconnected', async () => {
    await using live = await LiveService.start({ connector: quick });
    const client = await live.connect();
    await untilPassed(() => expect(client.closed).toBe('4408 Connection initialisation timeout'));
  });

  test('no longer answers pings is cut off and counted; one that answers stays, and so do its pings', async () => {
    await using live = await LiveService.start({ connector: quick });
    const silent = await (await live.connect({}, { autoPong: false })).init();
    const there = await (await live.connect()).init();
    await untilPassed(() => expect(silent.closed).toBe('1006 '));
    expect(live.metric('svc_connections_cut_total{connector="api",reason="pong_timeout"}')).toBe(1);
    await untilPassed(() => expect(there.of('ping').length).toBeGreaterThan(3));
    expect(there.closed).toBe(undefined);
  });

  test('answers within twice the interval of pings stays, whatever `connection_timeout` says', async () => {
    const connector = 'subscriptions {\n keep_alive_interval = "50ms"\n connection_timeout = "1ms"\n }';
    await using live = await LiveService.start({ connector });
    const client = await (await live.connect()).init();
    await untilPassed(() => expect(client.of('ping').length).toBeGreaterThan(3));
    expect([client.closed, live.metric(connections)]).toEqual([undefined, 1]);
  });

  test('takes nothing has few events that wait, in order; the others are dropped and counted', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    await client.subscribe('1', 'subscription { changed { id text } }');
    client.socket.pause();
    const text = 'x'.repeat(60_000);
    let sent = 0;
    while (live.metric(events('dropped')) < 20) await live.publish({ id: sent++, text });
    client.socket.resume();
    await live.publish({ id: sent++, text: 'last' });
    const got = () => client.of('next').filter(({ id }) => id === '1');
    await untilPassed(() => expect(live.metric(events('delivered')) + live.metric(events('dropped'))).toBe(sent));
    await untilPassed(() => expect(got()).toHaveLength(live.metric(events('delivered'))));
    const ids = got().map(({ payload }) => (payload as { data: { changed: { id: number } } }).data.changed.id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(client.closed).toBe(undefined);
  });

  test('asks and never reads is disconnected when too much waits for it', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    client.socket.pause();
    const payload = { a: 'x'.repeat(30_000) };
    await untilPassed(() => {
      if (client.socket.readyState === 1)
        for (let count = 0; count < 100; count++) client.send({ type: 'ping', payload });
      expect(live.metric('svc_connections_cut_total{connector="api",reason="unsent_limit"}')).toBe(1);
    });
    await untilPassed(() => expect(live.metric(connections)).toBe(0));
  });

  test('is cut in the middle of an event leaves nothing behind', async () => {
    await using live = await LiveService.start();
    const [gone, stays] = [await (await live.connect()).init(), await (await live.connect()).init()];
    await gone.subscribe('1');
    await stays.subscribe('1');
    const publishing = live.publish({ id: 1 });
    gone.socket.terminate();
    await publishing;
    await untilPassed(() => expect([live.metric(subscriptions), live.metric(connections)]).toEqual([1, 1]));
    await live.publish({ id: 2 });
    await untilPassed(() => expect(stays.of('next').filter(({ id }) => id === '1')).toHaveLength(2));
  });

  test('ends its connection without a word during the handshake leaves nothing behind', async () => {
    await using live = await LiveService.start();
    const { port } = new URL(live.running.address);
    const head = 'GET /subscriptions HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    const keys = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.end(`${head}${keys}Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`, () => socket.destroy()),
    );
    await new Promise((resolve) => socket.once('close', resolve));
    await (await live.connect()).init();
    await untilPassed(() => expect(live.metric(connections)).toBe(1));
  });
});

describe('S-67: limits', () => {
  test('a connection has so many operations at a time, and there are so many connections', async () => {
    await using live = await LiveService.start({
      connector: 'subscriptions {\n max_clients = 2\n max_subscriptions = 3\n }',
    });
    const client = await (await live.connect()).init();
    for (const id of ['1', '2']) await client.subscribe(id);
    const query = 'subscription { changed { id } }';
    client.send(...['3', '4'].map((id) => ({ type: 'subscribe', id, payload: { query } })));
    await untilPassed(() =>
      expect(client.of('error')).toEqual([
        {
          id: '4',
          type: 'error',
          payload: [{ message: 'a connection may have 3 operations at a time', extensions: { code: 'value_refused' } }],
        },
      ]),
    );
    const second = await live.connect();
    await expect(live.connect()).rejects.toThrow('503');
    second.socket.close();
    await untilPassed(() => live.connect());
  });

  test('those of documents hold for connections too', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    const ask = (id: string, query: string) => client.send({ type: 'subscribe', id, payload: { query } });
    ask('aliases', `{ ${Array.from({ length: 100 }, (_, at) => `a${at}: hello`).join(' ')} }`);
    ask('tokens', `{ ${'hello '.repeat(5000)} }`);
    ask('fields', 'subscription { a: changed { id } b: changed { id } }');
    ask('circle', 'subscription { changed { ...a } } fragment a on Order { ...a }');
    await untilPassed(() =>
      expect(client.of('error').map(({ id }) => id)).toEqual(['aliases', 'tokens', 'fields', 'circle']),
    );
    expect(client.of('next')).toEqual([]);
  });

  test('pages of other origins do not connect, and no client does where subscriptions are not served', async () => {
    await using live = await LiveService.start();
    await expect(live.connect({}, { origin: 'https://evil.example' })).rejects.toThrow('403');
    await using off = await LiveService.start(`connector "api" {
  type = "graphql"
  port = env("PORT")
  subscriptions {
    enabled = false
  }
}
type "Order" {
  id = id
}
`);
    await expect(off.connect()).rejects.toThrow('404');
  });
});
