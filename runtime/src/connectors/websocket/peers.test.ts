import { connect, type Socket } from 'node:net';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { reply, WebSocketBed } from './testing/bed.ts';

const handshake = [
  'GET /ws HTTP/1.1',
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

describe('peers that do not behave', () => {
  let bed: WebSocketBed;
  const raws: Socket[] = [];
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(async () => {
    for (const raw of raws.splice(0)) raw.destroy();
    await bed.close();
  });

  /** A connection that speaks WebSocket by hand; resolves after its handshake. */
  async function raw(): Promise<Socket & { readonly received: Buffer[] }> {
    const socket = Object.assign(connect(bed.port, '127.0.0.1'), { received: [] as Buffer[], isOver: false });
    raws.push(socket);
    socket.on('data', (chunk) => socket.received.push(chunk));
    socket.on('error', () => undefined);
    socket.write(handshake);
    await until(() => String(Buffer.concat(socket.received)).includes('101 Switching Protocols'));
    return socket;
  }

  test('A-04: a client that does not answer a ping is dead; one that answers stays, however idle', async () => {
    const connector = await bed.open({}, { ping_interval: 20, pong_timeout: 300 });
    const alive = await bed.connect();
    const dead = await bed.connect('', { autoPong: false });
    let pings = 0;
    alive.socket.on('ping', () => pings++);
    await until(() => dead.closed !== undefined && pings > 3);
    expect(bed.cuts).toEqual(['pong_timeout']);
    await bed.push(connector, {}, { payload: { n: 1 } });
    await until(() => alive.frames.length === 1);
    expect(alive.closed).toBeUndefined();
  });

  test('a message whose frames do not come to an end is not kept, though pings are answered; a slow one may come', async () => {
    const taken: unknown[] = [];
    const flow = ({ input }: { readonly input: Record<string, unknown> }) => {
      taken.push((input['data'] as string).length);
      return reply;
    };
    await bed.open({ said: flow }, { ping_interval: 100, max_message: 1_048_576 });
    const [endless, slow] = [await bed.connect(), await bed.connect()];
    endless.socket.send('{"type":', { fin: false });
    slow.socket.send('{"type":"said","data":"', { fin: false });
    const piece = 'x'.repeat(4096);
    let pieces = 0;
    const timer = setInterval(() => slow.socket.send(piece, { fin: false }, () => pieces++), 100);
    await until(() => endless.closed !== undefined);
    expect(endless.closed).toEqual({ code: 1008, reason: 'a message did not arrive in time' });
    clearInterval(timer);
    slow.socket.send('"}');
    await until(() => taken.length === 1);
    expect([taken[0], bed.cuts]).toEqual([pieces * piece.length, ['read_timeout']]);
  });

  test('an idle client is not cut before its first ping, though the pong has less time than the interval', async () => {
    const connector = await bed.open({}, { ping_interval: 300, pong_timeout: 20 });
    const idle = await bed.connect('', { autoPong: false });
    let isPinged = false;
    idle.socket.on('ping', (data) => {
      isPinged = true;
      idle.socket.pong(data);
    });
    await until(() => isPinged);
    await bed.push(connector, {}, { payload: {} });
    await until(() => idle.frames.length === 1);
    expect(bed.cuts).toEqual([]);
  });

  test('A-05: a client that never reads is disconnected when too much waits for it, and counted; others are served', async () => {
    const connector = await bed.open({}, { max_unsent: 100_000 });
    const reading = await bed.connect();
    const stalled = await bed.connect();
    stalled.socket.pause();
    const text = 'x'.repeat(64 * 1024);
    let sent = 0;
    await until(async () => {
      for (let each = 0; each < 20; each++) await bed.push(connector, {}, { payload: { text, n: ++sent } });
      await until(() => reading.frames.length === sent);
      return bed.cuts.length > 0;
    });
    expect(bed.cuts).toEqual(['unsent_limit']);
    stalled.socket.resume();
    await until(() => stalled.closed !== undefined);
    expect(reading.closed).toBeUndefined();
  });

  test.each([
    ['a message over the limit', (length: number) => `{"type":"message","data":"${'x'.repeat(length)}"}`, 1009],
    ['bytes that are not UTF-8', () => Buffer.from([0xff]), 1000],
  ])('A-04: %s', async (_, frame, code) => {
    await bed.open({ message: () => reply }, { max_message: 1000 });
    const client = await bed.connect();
    client.socket.send(frame(1000));
    if (code === 1000) {
      await until(() => client.frames.length === 1);
      expect(client.frames).toEqual([{ type: 'error', message: 'invalid message format', code: 'body_undecodable' }]);
    } else {
      await until(() => client.closed !== undefined);
      expect(client.closed?.code).toBe(code);
    }
  });

  test('A-04: a frame that announces more than may come ends the connection before it is sent', async () => {
    await bed.open({ message: () => reply });
    const forged = await raw();
    // A masked text frame of 2^40 bytes, of which none follows.
    forged.write(Buffer.from([0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4]));
    await until(() => forged.destroyed || forged.readableEnded);
    expect(Buffer.concat(forged.received).includes(Buffer.from([0x88, 0x02, 0x03, 0xf1]))).toBe(true);
  });

  test.each([
    ['an unmasked frame', Buffer.from([0x81, 0x01, 0x61])],
    ['a compressed frame', Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x61])],
    ['an unknown opcode', Buffer.from([0x8b, 0x80, 0, 0, 0, 0])],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('A-04: %s ends its connection alone', async (_, bytes) => {
    const events: unknown[] = [];
    await bed.open({
      '*': ({ input }) => {
        events.push(input['event']);
        return reply;
      },
    });
    const other = await bed.connect();
    const odd = await raw();
    odd.write(bytes);
    await until(() => odd.destroyed || odd.readableEnded);
    await until(() => events.length === 3);
    expect(events).toEqual(['connect', 'connect', 'disconnect']);
    await other.join('x');
  });

  test('A-05: a client that sends faster than its flows is read no further, and loses nothing', async () => {
    const taken: unknown[] = [];
    let proceed: (() => void) | undefined;
    await bed.open(
      {
        message: async ({ input }) => {
          taken.push(input['n']);
          if (taken.length === 1) await new Promise<void>((resolve) => (proceed = resolve));
          return reply;
        },
      },
      { max_waiting: 4, ping_interval: 10, pong_timeout: 200 },
    );
    const client = await bed.connect();
    const text = 'x'.repeat(200 * 1024);
    const count = 120;
    for (let n = 0; n < count; n++) client.send({ type: 'message', data: { n, text } });
    await until(() => proceed !== undefined);
    // It is not read now, so that it cannot answer pings either; that is not its fault.
    let unsent = 0;
    let equal = 0;
    await until(() => {
      equal = client.socket.bufferedAmount === unsent ? equal + 1 : 0;
      unsent = client.socket.bufferedAmount;
      return unsent > 0 && equal > 50;
    });
    proceed?.();
    await until(() => taken.length === count);
    expect(taken).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(bed.cuts).toEqual([]);
  });

  test('A-06: as many tiny messages as fit into one piece are refused with the connection', async () => {
    let end: (() => void) | undefined;
    await bed.open({ message: () => new Promise((resolve) => (end = () => resolve(reply))) });
    const client = await raw();
    const frame = Buffer.concat([Buffer.from([0x81, 0x82, 0, 0, 0, 0]), Buffer.from('{}')]);
    const message = Buffer.from('{"type":"message"}');
    client.write(Buffer.concat([Buffer.from([0x81, 0x80 | message.length, 0, 0, 0, 0]), message]));
    client.write(Buffer.concat(new Array<Buffer>(5000).fill(frame)));
    await until(() => client.destroyed || client.readableEnded);
    expect(Buffer.concat(client.received).includes(Buffer.from([0x88]))).toBe(true);
    end?.();
  });

  test('further clients than allowed get 503, and a place is free when one has left', async () => {
    await bed.open({}, { max_clients: 2 });
    const first = await bed.connect();
    await bed.connect();
    await expect(bed.connect()).rejects.toThrow('503');
    first.socket.close();
    await until(() => bed.connect());
  });

  test.each([
    ['http://localhost:5173', undefined, false, true],
    ['https://app.example.com', undefined, false, false],
    ['http://127.0.0.1:PORT', undefined, true, true],
    ['http://localhost:5173', undefined, true, false],
    ['null', undefined, false, false],
    ['https://app.example.com', ['https://app.example.com'], true, true],
    ['https://app.example.com.evil.example', ['https://app.example.com'], true, false],
    ['null', ['*'], true, false],
    [undefined, undefined, true, true],
  ])('S-68: a page of %s, origins %j, production %s: connects %s', async (origin, origins, production, connects) => {
    await bed.open({}, { ...(origins && { cors: { origins } }) }, { production });
    const connecting = bed.connect('', origin === undefined ? {} : { origin: origin.replace('PORT', `${bed.port}`) });
    if (connects) await connecting;
    else await expect(connecting).rejects.toThrow('403');
  });

  test('A-09: a connection ends with the token that opened it, whatever the clock is set to meanwhile', async () => {
    const secret = 'a secret of more than 32 characters';
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    await bed.open({}, { auth: { type: 'jwt', secret } }, { clock });
    const token = async (seconds: number) => ({
      headers: {
        authorization: `Bearer ${await new SignJWT({ sub: 'ada' })
          .setProtectedHeader({ alg: 'HS256' })
          .setExpirationTime(Math.floor(now / 1000) + seconds)
          .sign(new TextEncoder().encode(secret))}`,
      },
    });
    const lasting = await bed.connect('', await token(3600));
    const longest = await bed.connect('', await token(60 * 86_400));
    const options = await token(3600);
    // An hour but a moment later.
    now += 3_599_000;
    const short = await bed.connect('', options);
    now -= 3_600_000;
    await until(() => short.closed !== undefined);
    expect(short.closed).toEqual({ code: 1008, reason: 'the credentials have expired' });
    now += 7_200_000;
    expect([lasting.closed, longest.closed]).toEqual([undefined, undefined]);
  });

  test('a page sends its token as a sub-protocol, which is not answered, logged or seen by a flow', async () => {
    const secret = 'a secret of more than 32 characters';
    const seen: unknown[] = [];
    await bed.open(
      {
        connect: ({ input, auth }) => {
          seen.push([auth.user_id, input['protocol'], JSON.stringify([input, auth])]);
          return reply;
        },
      },
      { auth: { type: 'jwt', secret } },
    );
    const signed = (exp: number) =>
      new SignJWT({ sub: 'ada' })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(Math.floor(Date.now() / 1000) + exp)
        .sign(new TextEncoder().encode(secret));
    const token = await signed(600);
    const encoded = Buffer.from(token).toString('base64url');
    for (const protocols of [
      ['svc', `bearer.${token}`],
      [`bearer.${encoded}`, 'svc'],
    ]) {
      const { socket } = await bed.connect('', {}, '/ws', protocols);
      expect(socket.protocol).toBe('svc');
    }
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      ['ada', 'svc', expect.not.stringContaining(token)],
      ['ada', 'svc', expect.not.stringContaining(token)],
    ]);
    const ended = await signed(-600);
    for (const wrong of [`bearer.${ended}`, 'bearer.x', 'bearer.', token, `bearer.${token}x`])
      await expect(bed.connect('', {}, '/ws', ['svc', wrong])).rejects.toThrow('401');
    const both = { headers: { authorization: `Bearer ${ended}` } };
    await expect(bed.connect('', both, '/ws', ['svc', `bearer.${token}`])).rejects.toThrow('401');
    expect(JSON.stringify(bed.lines)).not.toMatch(new RegExp(`${token}|${ended}|${encoded}`));
  });

  test('A-11: no credential reaches a flow or a log, in the address or in a header', async () => {
    const seen: unknown[] = [];
    await bed.open(
      {
        '*': ({ input, auth }) => {
          seen.push(input, auth);
          throw new Error('broken');
        },
      },
      { auth: { type: 'api_key', keys: ['canary-4711'], query_param: 'key' } },
    );
    await expect(bed.connect('?key=canary-4712')).rejects.toThrow('401');
    const client = await bed.connect('?key=canary-4711&board=1');
    client.send({ type: 'message', data: {} });
    await until(() => client.frames.length === 1);
    expect(JSON.stringify([seen, bed.lines, client.frames])).not.toContain('canary');
  });
});
