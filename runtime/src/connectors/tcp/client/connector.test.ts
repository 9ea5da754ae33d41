import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { freePort } from '../../../../../test/support/free-port.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { CallDescription, Execute } from '../../../foundation/contracts/target.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { prefixed } from '../frames.ts';
import { TcpBed } from '../testing/server-bed.ts';
import { jsonFrame } from '../testing/talker.ts';
import { create } from './connector.ts';
import { tcpClient } from './spec.ts';

const never = new AbortController().signal;
const echo = ({ input }: Message): Outcome => ({ kind: 'reply', value: { ...input } });

describe('a client of messages', () => {
  let bed: TcpBed;
  let ends: (() => unknown)[];
  beforeEach(() => {
    bed = new TcpBed();
    ends = [];
  });
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    await bed.close();
  });

  function client(
    port: number,
    settings: Record<string, unknown> = {},
    services: Partial<ConnectorServices> = {},
  ): Connector {
    const config = configured(tcpClient.config, { host: '127.0.0.1', port, retry_delay: 10, ...settings });
    const made = create('devices', config, connectorServices(services));
    ends.push(() => made.close(AbortSignal.abort()));
    return made;
  }

  async function opened(
    port: number,
    settings?: Record<string, unknown>,
    services?: Partial<ConnectorServices>,
  ): Promise<Connector> {
    const made = client(port, settings, services);
    await made.open(never);
    return made;
  }

  const prepared = (connector: Connector, call: Partial<CallDescription>) =>
    connector.target?.prepare({
      verb: 'call',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'step',
      ...call,
    }) as Execute;

  /** A server that keeps its clients and does with their bytes what is said. */
  async function peer(serve: (socket: Socket) => void) {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
      serve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return {
      port: (server.address() as AddressInfo).port,
      sockets,
      /** Ends its side of every connection, and waits for the other one. */
      end: async () => {
        server.close();
        for (const socket of sockets) socket.end();
        await until(() => sockets.size === 0);
      },
    };
  }

  test('the type is the operation, or the target where the operation is a word for rows; rows are the answer', async () => {
    const taken: unknown[] = [];
    const flow = ({ input }: Message): Outcome => {
      taken.push({ ...input });
      return { kind: 'reply', value: input['n'] === 1 ? null : { n: input['n'] } };
    };
    const server = await bed.open({ weigh: flow });
    const connector = await opened(server.port as number);
    const params = { n: 2 };
    expect(await prepared(connector, { operation: 'weigh' })({ params })).toEqual({ value: { n: 2 } });
    const insert = prepared(connector, { verb: 'create', operation: 'INSERT', target: 'weigh' });
    expect(await insert({ payload: { n: 1 } })).toEqual({ rows: [{ success: true }], affected: 1 });
    const select = prepared(connector, { verb: 'read', operation: 'SELECT', target: 'weigh' });
    expect(await select({ params: { a: 1 }, filters: { n: 3 } })).toEqual({ rows: [{ n: 3 }], affected: 1 });
    expect(taken).toEqual([{ n: 2 }, { n: 1 }, { a: 1, n: 3 }]);
  });

  test('what the server says went wrong is a failure that is not tried again', async () => {
    let tries = 0;
    const server = await bed.open({
      weigh: (): Outcome => {
        tries++;
        throw new Error('no room');
      },
    });
    const ask = prepared(await opened(server.port as number), { operation: 'weigh' });
    await expect(ask({ params: {} })).rejects.toMatchObject({ message: 'remote error: no room' });
    expect(tries).toBe(1);
  });

  test('mode: fire_and_forget sends and waits for nothing', async () => {
    const taken: unknown[] = [];
    const held = Promise.withResolvers<Outcome>();
    const flow = ({ input }: Message): Promise<Outcome> => {
      taken.push(input['n']);
      return held.promise;
    };
    const connector = await opened((await bed.open({ weigh: flow })).port as number);
    const words = { mode: 'fire_and_forget' };
    const send = prepared(connector, { verb: 'create', target: 'weigh', words });
    expect(await send({ payload: { n: 5 } })).toEqual({ affected: 1 });
    await until(() => taken.length === 1);
    held.resolve({ kind: 'reply', value: null });
  });

  test('pool_size and max_waiting: so many connections, so many messages over each; the others wait', async () => {
    let begun = 0;
    const ends: (() => void)[] = [];
    const flow = () => {
      begun++;
      return new Promise<Outcome>((resolve) => ends.push(() => resolve({ kind: 'reply', value: null })));
    };
    const server = await bed.open({ weigh: flow, quick: echo });
    const connector = await opened(server.port as number, { pool_size: 2, max_waiting: 2 });
    const ask = prepared(connector, { operation: 'weigh' });
    const answers = Array.from({ length: 6 }, () => ask({ params: {} }));
    await until(() => begun === 4);
    // Another client is answered meanwhile, so that the others are not merely late.
    const other = prepared(await opened(server.port as number), { operation: 'quick' });
    expect(await other({ params: { n: 1 } })).toEqual({ value: { n: 1 } });
    expect(begun).toBe(4);
    await until(() => {
      for (const end of ends.splice(0)) end();
      return begun === 6 && ends.length === 0;
    });
    await Promise.all(answers);
  });

  test('idle_timeout: a connection without messages is closed, and the next message has another', async () => {
    let connections = 0;
    const held = await peer((socket) => {
      connections++;
      socket.on('data', (piece: Buffer) => {
        const { id, data } = JSON.parse(String(piece.subarray(4))) as { id: string; data: unknown };
        socket.write(jsonFrame({ type: 'response', id, data }));
      });
    });
    const connector = await opened(held.port, { idle_timeout: 30 });
    const ask = prepared(connector, { operation: 'weigh' });
    expect(await ask({ params: { n: 1 } })).toEqual({ value: { n: 1 } });
    await until(() => held.sockets.size === 0 && connections === 1);
    expect(await ask({ params: { n: 2 } })).toEqual({ value: { n: 2 } });
    expect(connections).toBe(2);
  });

  test('A-04: read_timeout and the timeout of a call end the wait for an answer; the connection stays', async () => {
    const silent = await peer((socket) => socket.resume());
    const connector = await opened(silent.port, { read_timeout: 40, pool_size: 1 });
    const late = { code: 'connector_timeout', message: 'no answer within 0.04 s' };
    await expect(prepared(connector, { operation: 'a' })({ params: {} })).rejects.toMatchObject(late);
    const sooner = { message: 'no answer within 0.02 s' };
    await expect(prepared(connector, { operation: 'a', timeout: 20 })({ params: {} })).rejects.toMatchObject(sooner);
    expect(silent.sockets.size).toBe(1);
  });

  /** A server that says no ids, as `answered` has it: what was asked for, in its order, and how to answer. */
  async function withoutIds() {
    const asked: { readonly n: unknown; answer(): void }[] = [];
    const server = await peer((socket) => {
      const reader = prefixed.reader(1 << 20);
      socket.on('data', (piece: Buffer) => {
        for (const message of reader.take(piece)) {
          const { n } = (JSON.parse(String(message)) as { readonly data: { readonly n: unknown } }).data;
          asked.push({ n, answer: () => socket.write(jsonFrame({ type: 'response', data: { n } })) });
        }
      });
    });
    return { asked, port: server.port };
  }

  test('an answer that comes too late is not that to the next message, where the server says no ids', async () => {
    const { asked, port } = await withoutIds();
    const connector = await opened(port, { pool_size: 1 });
    const late = prepared(connector, { operation: 'weigh', timeout: 50 })({ params: { n: 1 } });
    await expect(late).rejects.toMatchObject({ code: 'connector_timeout' });
    const next = prepared(connector, { operation: 'weigh' })({ params: { n: 2 } });
    await until(() => asked.length === 2);
    for (const { answer } of asked) answer();
    expect(await next).toEqual({ value: { n: 2 } });
  });

  test('the answer to a message that waits for nothing is not that to the next one', async () => {
    const { asked, port } = await withoutIds();
    const connector = await opened(port, { pool_size: 1 });
    await prepared(connector, { verb: 'create', target: 'weigh', words: { mode: 'fire_and_forget' } })({
      payload: { n: 1 },
    });
    const next = prepared(connector, { operation: 'weigh' })({ params: { n: 2 } });
    await until(() => asked.length === 2);
    for (const { answer } of asked) answer();
    expect(await next).toEqual({ value: { n: 2 } });
  });

  test('where a server says ids, what waits for nothing is answered by its own, whenever that is', async () => {
    const held = Promise.withResolvers<Outcome>();
    const flow = ({ input }: Message): Outcome | Promise<Outcome> =>
      input['n'] === 2 ? held.promise : { kind: 'reply', value: { n: input['n'] } };
    const connector = await opened((await bed.open({ weigh: flow })).port as number, { pool_size: 1 });
    const ask = prepared(connector, { operation: 'weigh' });
    const first = ask({ params: { n: 2 } });
    await prepared(connector, { verb: 'create', target: 'weigh', words: { mode: 'fire_and_forget' } })({
      payload: { n: 1 },
    });
    expect(await ask({ params: { n: 3 } })).toEqual({ value: { n: 3 } });
    held.resolve({ kind: 'reply', value: { n: 2 } });
    expect(await first).toEqual({ value: { n: 2 } });
  });

  test('A-05: write_timeout: a server that takes nothing is given up', async () => {
    const stuck = await peer((socket) => socket.pause());
    const connector = await opened(stuck.port, { write_timeout: 60, pool_size: 1, retry_count: 0 });
    const ask = prepared(connector, { operation: 'a' });
    await expect(ask({ params: { large: 'x'.repeat(12_000_000) } })).rejects.toThrow(
      'the server took nothing within 0.06 s',
    );
  });

  test('connect_timeout: a handshake that is not answered is given up', async () => {
    const silent = await peer((socket) => socket.resume());
    const connector = client(silent.port, { connect_timeout: 50, retry_count: 0, tls: { insecure_skip_verify: true } });
    await connector.open(never);
    await expect(connector.check?.(never)).rejects.toMatchObject({
      code: 'connector_timeout',
      message: `127.0.0.1:${silent.port}: no connection within 0.05 s`,
    });
  });

  test('retry_count and retry_delay: what was not sent is tried again, what may have come is not', async () => {
    const clock = new ManualClock();
    const first = await peer((socket) => socket.resume());
    const { port } = first;
    const connector = await opened(port, { retry_count: 2, retry_delay: 20, pool_size: 1 }, { clock });
    const ask = prepared(connector, { operation: 'weigh' });
    // It closes its own side when it has seen the end of the other one.
    await first.end();
    const answer = ask({ params: { n: 1 } });
    await until(() => clock.sleeping === 1);
    await clock.pass(20);
    await until(() => clock.sleeping === 1);
    await bed.open({ weigh: echo }, { port });
    await clock.pass(19);
    expect(clock.sleeping).toBe(1);
    await clock.pass(1);
    expect(await answer).toEqual({ value: { n: 1 } });
    let messages = 0;
    const cutting = await peer((socket) => {
      socket.on('data', () => {
        messages++;
        socket.destroy();
      });
    });
    const once = prepared(await opened(cutting.port, { retry_count: 5 }), { operation: 'weigh' });
    await expect(once({ params: {} })).rejects.toMatchObject({ code: 'connector_refused' });
    expect(messages).toBe(1);
  });

  test('its server is connected to when it is asked, and may come later', async () => {
    const port = await freePort();
    const connector = await opened(port, { retry_count: 0 });
    await expect(connector.check?.(never)).rejects.toMatchObject({ code: 'connector_refused' });
    await expect(prepared(connector, { operation: 'weigh' })({ params: { n: 1 } })).rejects.toMatchObject({
      code: 'connector_refused',
    });
    await bed.open({ weigh: echo }, { port });
    await connector.check?.(never);
    expect(await prepared(connector, { operation: 'weigh' })({ params: { n: 1 } })).toEqual({ value: { n: 1 } });
  });

  test('max_message: a message or an answer that is larger is refused', async () => {
    const server = await bed.open({ weigh: echo });
    const ask = prepared(await opened(server.port as number, { max_message: 1_000 }), { operation: 'weigh' });
    await expect(ask({ params: { text: 'x'.repeat(1_000) } })).rejects.toMatchObject({ code: 'body_too_large' });
    expect(await ask({ params: { n: 1 } })).toEqual({ value: { n: 1 } });
    const large = await bed.open({ weigh: (): Outcome => ({ kind: 'reply', value: { text: 'x'.repeat(2_000) } }) });
    const small = prepared(await opened(large.port as number, { max_message: 1_000 }), { operation: 'weigh' });
    await expect(small({ params: {} })).rejects.toThrow('the server sent what is not an answer');
  });

  test('S-79: a server that answers nonsense, or without end, is given up; the next message has another connection', async () => {
    let isBad = true;
    const server = await bed.open({ weigh: echo });
    const other = await peer((socket) => {
      if (!isBad) return;
      socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const ask = prepared(await opened(other.port, { retry_count: 0 }), { operation: 'weigh' });
    await expect(ask({ params: {} })).rejects.toMatchObject({ code: 'connector_failed' });
    isBad = false;
    const good = prepared(await opened(server.port as number), { operation: 'weigh' });
    expect(await good({ params: { n: 1 } })).toEqual({ value: { n: 1 } });
  });
});
