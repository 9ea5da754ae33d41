import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { EventBed } from '../testing/bed.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const never = new AbortController().signal;

async function bedding(): Promise<EventBed> {
  const bed = await EventBed.make();
  cleanups.push(() => bed.close());
  return bed;
}

/** A connector whose flows keep what they are given, by their operation. */
async function taking(bed: EventBed, settings: Record<string, unknown> = {}, ...operations: string[]) {
  const connector = bed.connector(settings);
  const taken: (readonly [string, Record<string, unknown>])[] = [];
  const bindings = (operations.length === 0 ? [bed.binding.operation] : operations).map(
    (operation): Binding => ({
      ...bed.binding,
      operation,
      deliver: ({ input }) => {
        taken.push([operation, { ...input }]);
        return { kind: 'reply', value: null };
      },
    }),
  );
  const flows = connector.source.bind(bindings);
  await flows.prepare();
  await connector.open(never);
  flows.use();
  await connector.source.start();
  return { connector, taken };
}

describe('events of a subscription', () => {
  test('are the fields of an object, and `data` of anything else, also for a field that is named alone', async () => {
    const bed = await bedding();
    const { taken } = await taking(bed, {}, 'subscription { event { text } }', 'Subscription.tick');
    await until(() => bed.server.active.length === 2);
    bed.server.publish('event', { text: 'a' });
    bed.server.publish('tick', 9);
    await until(() => taken.length === 2);
    expect(taken.toSorted()).toEqual([
      ['Subscription.tick', { data: 9 }],
      ['subscription { event { text } }', { text: 'a' }],
    ]);
  });

  test('with errors are dropped, logged and counted, or come as data where the connector says so', async () => {
    const bed = await bedding();
    const failing = () => {
      throw new Error('this half failed');
    };
    const both = 'subscription { event { text bad } }';
    const { taken } = await taking(bed, {}, both);
    await until(() => bed.server.active.length === 1);
    bed.server.publish('event', { text: 'a', bad: failing });
    bed.server.publish('event', { text: 'b' });
    await until(() => taken.length === 1);
    expect(taken).toEqual([[both, { text: 'b', bad: null }]]);
    expect(bed.lines.find(({ message }) => message === 'an event with errors was dropped')?.fields).toEqual({
      subscription: both,
      errors: 'this half failed',
    });
    const other = await bedding();
    const lenient = await taking(other, { errors: 'data' }, both);
    await until(() => other.server.active.length === 1);
    other.server.publish('event', { text: 'a', bad: failing });
    await until(() => lenient.taken.length === 1);
    expect(lenient.taken).toEqual([[both, { text: 'a', bad: null }]]);
  });

  test('a subscription that the server ends is begun again', async () => {
    const bed = await bedding();
    const { taken } = await taking(bed);
    for (const text of ['a', 'b']) {
      await bed.publish([text]);
      await until(() => taken.some(([, input]) => input['text'] === text));
      bed.server.publish('event', 'end');
      await until(() => bed.server.active.length === 0);
    }
    await until(() => bed.server.active.length === 1);
  });

  test('one that the server refuses is logged with its reason, and degrades health', async () => {
    const bed = await bedding();
    const { connector } = await taking(bed, {}, 'Subscription.event');
    await until(() => bed.lines.some(({ message }) => message === 'a subscription has ended; it is begun again'));
    await until(async () => (await connector.check?.(never)) !== undefined);
    expect(await connector.check?.(never)).toBe(
      'subscription Subscription.event: the server refused it: Field "event" of type "Event" must have a selection of subfields. Did you mean "event { ... }"?',
    );
  });
});

describe('the connection of subscriptions', () => {
  const settings = { auth: { type: 'bearer', token: 't' }, headers: { 'X-Tenant': 'a' } };
  const greeting = async (credentials: string) => {
    const bed = await bedding();
    await taking(bed, {
      ...settings,
      subscriptions: { credentials, connection_params: { room: '1' }, max_reconnect_interval: 20 },
    });
    const [{ headers, params } = { headers: {}, params: undefined }] = bed.server.greetings;
    return [headers.authorization, headers['x-tenant'], params];
  };

  test('says credentials and headers with its request, in its first message, or in both', async () => {
    const params = { Authorization: 'Bearer t', 'X-Tenant': 'a', room: '1' };
    expect([await greeting('both'), await greeting('upgrade'), await greeting('message')]).toEqual([
      ['Bearer t', 'a', params],
      ['Bearer t', 'a', { room: '1' }],
      [undefined, undefined, params],
    ]);
  });

  test('is made where flows take events, and nowhere else', async () => {
    const bed = await bedding();
    const connector = bed.connector();
    await connector.open(never);
    await connector.check?.(never);
    expect(bed.server.greetings).toEqual([]);
  });

  test('that the server refuses is an error at start that names no secret', async () => {
    const bed = await bedding();
    bed.server.refuses = true;
    const failure = await taking(bed, settings).catch((error: Error) => error);
    expect((failure as Error).message).toBe(
      `ws://127.0.0.1:${bed.proxy.port}: the server closed the connection (4403 Forbidden)`,
    );
  });

  test('goes to the path that is written', async () => {
    const bed = await bedding();
    const failure = await taking(bed, { subscriptions: { path: '/elsewhere', connect_timeout: 1_000 } }).catch(
      (error: Error) => error,
    );
    expect((failure as Error).message).toContain('socket hang up');
  });

  test('is made again when a message is larger than max_message', async () => {
    const bed = await bedding();
    const { taken } = await taking(bed, { subscriptions: { max_message: 1024, max_reconnect_interval: 20 } });
    await bed.publish(['x'.repeat(2000)]);
    await until(() => bed.server.greetings.length === 2);
    await bed.publish(['after']);
    await until(() => taken.length === 1);
    expect(taken.map(([, { text }]) => text)).toEqual(['after']);
  });

  test('is made again when the server does not answer within keep_alive_interval', async () => {
    const bed = await bedding();
    await taking(bed, { subscriptions: { keep_alive_interval: 50, connect_timeout: 200, max_reconnect_interval: 20 } });
    bed.proxy.fault = 'blackhole';
    await until(() =>
      bed.lines.some(({ fields }) => String(fields['reason']).includes('did not answer a ping within 50 ms')),
    );
    bed.proxy.fault = 'pass';
    await until(() => bed.server.greetings.length >= 2);
  });

  test('is handled by as many workers as are written, and holds at most prefetch events', async () => {
    const bed = await bedding();
    const running: (() => void)[] = [];
    const connector = bed.connector({ subscriptions: { workers: 2, prefetch: 3, max_reconnect_interval: 20 } });
    const deliver = () =>
      new Promise<{ kind: 'reply'; value: null }>((resolve) =>
        running.push(() => resolve({ kind: 'reply', value: null })),
      );
    const flows = connector.source.bind([{ ...bed.binding, deliver }]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    await bed.publish(Array.from({ length: 20 }, (_, at) => `m${at}`));
    await until(() => connector.source.events.unsettled === 5);
    expect(running.length).toBe(2);
    while (connector.source.events.unsettled > 0) {
      running.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});

describe('A-04: a peer that is not a server of subscriptions', () => {
  const accepted =
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n';

  test.each<[string, (socket: Socket) => void, string]>([
    ['says nothing', () => undefined, 'Opening handshake has timed out'],
    [
      'refuses the upgrade',
      (socket) => socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n'),
      'Unexpected server response: 401',
    ],
    ['speaks another protocol', (socket) => socket.end('220 mail\r\n'), 'Parse Error'],
    [
      'redirects',
      (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: ws://169.254.169.254/\r\n\r\n'),
      'Unexpected server response: 302',
    ],
    [
      'declares a wrong key',
      (socket) => void socket.write(`${accepted}Sec-WebSocket-Accept: no\r\n\r\n`),
      'Invalid Sec-WebSocket-Accept',
    ],
  ])('that %s is a typed failure', async (_, handle, says) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => handle(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const bed = await bedding();
    const { port } = server.address() as { readonly port: number };
    const failure = await taking(bed, {
      endpoint: `http://127.0.0.1:${port}/graphql`,
      subscriptions: { connect_timeout: 100 },
    }).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'connector_refused', message: expect.stringContaining(says) });
  });
});
