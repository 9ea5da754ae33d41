import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { reply, WebSocketBed } from './testing/bed.ts';

const users = { ada: 'kept:secret', ben: 'other:secret' };
const auth = { type: 'basic', users };
const as = (user: keyof typeof users) => ({
  headers: { authorization: `Basic ${btoa(`${user}:${users[user]}`)}` },
});

describe('what one caller may do', () => {
  let bed: WebSocketBed;
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(() => bed.close());

  test('S-68: so many connections at a time, until one of them is gone; others are not counted with it', async () => {
    await bed.open({}, { max_clients_per_user: 2, auth });
    const [first] = [await bed.connect('', as('ada')), await bed.connect('', as('ada'))];
    await expect(bed.connect('', as('ada'))).rejects.toThrow('429');
    await bed.connect('', as('ben'));
    first?.socket.close();
    await until(() => bed.connect('', as('ada')));
  });

  test('without credentials every connection is a caller of its own', async () => {
    await bed.open({}, { max_clients_per_user: 1 });
    await bed.connect();
    await bed.connect();
  });

  test.each([
    ['max_messages_per_second', { max_messages_per_second: 5 }, 'x'],
    ['max_bytes_per_second', { max_bytes_per_second: 500 }, 'x'.repeat(100)],
  ])(
    'S-68: so much in a second over all connections (%s); beyond it the connection ends, and is counted',
    async (_, settings, word) => {
      let time = 0;
      const clock = { ...systemClock, elapsed: () => time };
      let handled = 0;
      const flow = () => {
        handled++;
        return reply;
      };
      await bed.open({ [word]: flow }, { ...settings, auth }, { clock });
      const [one, two, other] = [
        await bed.connect('', as('ada')),
        await bed.connect('', as('ada')),
        await bed.connect('', as('ben')),
      ];
      const frame = { type: word };
      const send = async (client: typeof one, count: number) => {
        const before = handled;
        for (let each = 0; each < count; each++) client.send(frame);
        await until(() => handled === before + count);
      };
      await send(one, 2);
      await send(two, 2);
      await send(other, 4);
      time += 1000;
      await send(one, 4);
      two.send(frame, frame);
      await until(() => two.closed !== undefined);
      expect([two.closed, bed.cuts]).toEqual([{ code: 1008, reason: 'too many messages in a second' }, ['rate_limit']]);
      time += 1000;
      await send(one, 2);
      expect(other.closed).toBeUndefined();
    },
  );
});

describe('sub-protocols', () => {
  let bed: WebSocketBed;
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(() => bed.close());

  test.each([
    [['chat.v1', 'chat.v2'], 'chat.v2'],
    [['chat.v1', 'other'], 'chat.v1'],
    [[], ''],
  ])('of %j offered the preferred one is chosen: %j', async (offered, chosen) => {
    const inputs: unknown[] = [];
    await bed.open(
      {
        connect: ({ input }) => {
          inputs.push(input['protocol']);
          return reply;
        },
      },
      { protocols: ['chat.v2', 'chat.v1'] },
    );
    const client = await bed.connect('?protocol=forged', {}, '/ws', offered);
    await until(() => inputs.length === 1);
    expect([client.socket.protocol, inputs]).toEqual([chosen, [chosen === '' ? 'forged' : chosen]]);
  });

  test('a client that offers others alone gets none, and ends the connection itself', async () => {
    await bed.open({}, { protocols: ['chat.v1'] });
    await expect(bed.connect('', {}, '/ws', ['other'])).rejects.toThrow('no subprotocol');
  });
});

describe('frames of bytes', () => {
  let bed: WebSocketBed;
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(() => bed.close());

  test('start the flow that takes them, as they are, and are answered', async () => {
    const inputs: unknown[] = [];
    await bed.open({
      binary: ({ input }) => {
        inputs.push({ ...input });
        return { kind: 'reply', value: { bytes: (input['data'] as Uint8Array).length } };
      },
    });
    const client = await bed.connect();
    client.socket.send(Buffer.from([0xff, 0, 1]));
    client.send({ type: 'binary', data: 'forged' });
    await until(() => client.frames.length === 2);
    expect(client.frames).toEqual([
      { type: 'message', data: { bytes: 3 } },
      { type: 'error', message: 'unknown message type: binary', code: 'value_refused' },
    ]);
    expect(inputs).toEqual([{ event: 'binary', data: expect.any(Uint8Array) }]);
    expect([...(inputs[0] as { data: Uint8Array }).data]).toEqual([0xff, 0, 1]);
  });

  test('are sent where the configuration names `_binary`: bytes, and base64', async () => {
    const connector = await bed.open({});
    const client = await bed.connect();
    const came: unknown[] = [];
    client.socket.removeAllListeners('message');
    client.socket.on('message', (data, isBinary) => came.push([isBinary, [...(data as Buffer)]]));
    for (const content of [new Uint8Array([1, 2]), Buffer.from([3]).toString('base64')])
      await bed.push(connector, { binary: true }, { payload: { _binary: content } });
    await bed.push(connector, {}, { payload: { _binary: 'AA==' } });
    await until(() => came.length === 3);
    expect(came.slice(0, 2)).toEqual([
      [true, [1, 2]],
      [true, [3]],
    ]);
    expect(came[2]).toEqual([false, [...Buffer.from('{"type":"message","data":{"_binary":"AA=="}}')]]);
    await expect(bed.push(connector, { binary: true }, { payload: { _binary: 1 } })).rejects.toThrow('_binary');
  });
});

describe('`filter` of a destination', () => {
  let bed: WebSocketBed;
  beforeEach(() => {
    bed = new WebSocketBed();
  });
  afterEach(() => bed.close());

  test('is asked for each client in its turn, in the order of what is sent', async () => {
    const connector = await bed.open({}, { auth, max_clients_per_user: 300 });
    const clients = await Promise.all(
      Array.from({ length: 300 }, (_, at) => bed.connect(`?part=${at % 2}`, as(at % 3 === 0 ? 'ada' : 'ben'))),
    );
    const filter = {
      source: 'parts',
      evaluate: ({ input, context }: Readonly<Record<string, unknown>>) =>
        (context as { connection_params: { part: unknown } }).connection_params.part ===
        (input as { part: unknown }).part,
    };
    await Promise.all([
      bed.push(connector, { deferred: { filter } }, { payload: { n: 1, part: '0' } }),
      bed.push(connector, {}, { payload: { n: 2 } }),
      bed.push(
        connector,
        { operation: 'send_to_user', target: 'ada', deferred: { filter } },
        { payload: { n: 3, part: '1' } },
      ),
      bed.push(connector, {}, { payload: { n: 4 } }),
    ]);
    const got = () => clients.map(({ frames }) => frames.map((frame) => (frame as { data: { n: number } }).data.n));
    await until(() => got().every((each) => each.includes(4)));
    expect(got()).toEqual(
      clients.map((_, at) => [...(at % 2 === 0 ? [1] : []), 2, ...(at % 2 === 1 && at % 3 === 0 ? [3] : []), 4]),
    );
  });
});
