import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { TcpBed } from '../testing/server-bed.ts';
import { jsonFrame } from '../testing/talker.ts';

const echo = ({ input }: Message): Outcome => ({ kind: 'reply', value: { ...input } });
const timestamp = expect.any(Number) as number;

describe('a server of messages', () => {
  let bed: TcpBed;
  beforeEach(() => {
    bed = new TcpBed();
  });
  afterEach(() => bed.close());

  test('answers each message by its id when its flow has ended, whatever the order; two clients do not meet', async () => {
    const proceed = new Map<unknown, () => void>();
    const flows = {
      slow: ({ input }: Message) =>
        new Promise<Outcome>((resolve) =>
          proceed.set(input['n'], () => resolve({ kind: 'reply', value: { n: input['n'] } })),
        ),
      quick: echo,
    };
    const server = await bed.open(flows);
    const [one, other] = [await bed.connect(server), await bed.connect(server)];
    one.send({ type: 'slow', id: 'a', data: { n: 1 } }, { type: 'slow', id: 'b', data: { n: 2 } });
    one.send({ type: 'quick', id: 'c', data: { n: 3 } });
    other.send({ type: 'quick', id: 'a', data: { n: 4 } });
    expect((await other.answered(1)).get('a')).toEqual({ type: 'response', id: 'a', data: { n: 4 }, timestamp });
    await one.answered(1);
    proceed.get(2)?.();
    await one.answered(2);
    proceed.get(1)?.();
    await one.answered(3);
    expect(one.answers.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  test('says what is unknown, and what went wrong: in production nothing of the inside', async () => {
    const flows = {
      weigh: ({ input }: Message): Outcome => {
        if (input['bad'] === true) throw new Failure('input_invalid', 'grams is required');
        throw new Failure('connector_failed', 'SELECT secret FROM t: host db.internal is gone');
      },
      gated: (): Outcome => ({ kind: 'drop', reason: 'filter', policy: 'ack', expression: 'false', messageId: '' }),
    };
    const asked = [
      { type: 'draw', id: '1' },
      { type: 'weigh', id: '2', data: { bad: true } },
      { type: 'weigh', id: '3', data: 5 },
      { type: 'gated', id: '4' },
    ];
    const errors = async (production: boolean) => {
      const talker = await bed.connect(await bed.open(flows, {}, { production }));
      talker.send(...asked);
      const answers = await talker.answered(4);
      return ['1', '2', '3', '4'].map((id) => answers.get(id)?.['error'] ?? answers.get(id)?.['data']);
    };
    const dropped = { status: 'dropped', reason: 'filter' };
    const inFull = 'SELECT secret FROM t: host db.internal is gone';
    expect(await errors(false)).toEqual(['unknown message type: draw', 'grams is required', inFull, dropped]);
    const disclosed = 'Internal Server Error';
    expect(await errors(true), 'S-11').toEqual(['unknown message type: draw', 'grams is required', disclosed, dropped]);
  });

  test('read_timeout: a flow that takes longer is answered for and ended; the next message is handled', async () => {
    let reason: unknown;
    const flows = {
      hang: ({ signal }: Message) =>
        new Promise<Outcome>((_, reject) =>
          signal()?.addEventListener('abort', () => {
            reason = signal()?.reason;
            reject(reason as Error);
          }),
        ),
      quick: echo,
    };
    const talker = await bed.connect(await bed.open(flows, { read_timeout: 50 }));
    talker.send({ type: 'hang', id: '1' });
    expect((await talker.answered(1)).get('1')?.['error']).toBe('the message was not handled within 0.05 s');
    await until(() => reason !== undefined);
    expect(reason).toMatchObject({ code: 'request_timeout' });
    talker.send({ type: 'quick', id: '2', data: { n: 1 } });
    expect((await talker.answered(2)).get('2')?.['data']).toEqual({ n: 1 });
    expect(talker.isOver).toBe(false);
  });

  test('A-04, A-05: a message that does not come to its end is cut off; a connection without one is not', async () => {
    const server = await bed.open({ quick: echo }, { read_timeout: 50 });
    const [half, idle] = [await bed.connect(server), await bed.connect(server)];
    half.socket.write(jsonFrame({ type: 'quick' }).subarray(0, 7));
    await half.over();
    expect(bed.cuts).toEqual(['read_timeout']);
    idle.send({ type: 'quick', id: '1', data: {} });
    await idle.answered(1);
    expect(idle.isOver).toBe(false);
  });

  test.each([
    ['a length of 0', Buffer.from([0, 0, 0, 0])],
    ['a length beyond the limit', Buffer.from([255, 255, 255, 255])],
    ['no JSON', jsonFrame('nonsense')],
    ['no type', jsonFrame('{}')],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('A-04: %s ends the connection without an answer; others are served', async (_, bytes) => {
    const server = await bed.open({ quick: echo });
    const [bad, good] = [await bed.connect(server), await bed.connect(server)];
    bad.socket.write(bytes);
    await bad.over();
    expect(bad.answers).toEqual([]);
    good.send({ type: 'quick', id: '1', data: {} });
    await good.answered(1);
  });

  test('A-05: a client that takes no answers is read no more, and cut off; others are served', async () => {
    const large = 'x'.repeat(200_000);
    const flows = { large: (): Outcome => ({ kind: 'reply', value: { large } }), quick: echo };
    const server = await bed.open(flows, { write_timeout: 200 });
    const [blocked, good] = [await bed.connect(server), await bed.connect(server)];
    blocked.socket.pause();
    let asked = 0;
    const ask = () => {
      while (
        !blocked.isOver &&
        asked < 5_000 &&
        blocked.socket.write(jsonFrame({ type: 'large', id: String(asked++) }))
      );
    };
    blocked.socket.on('drain', ask);
    ask();
    await until(() => bed.cuts.length === 1);
    expect(bed.cuts).toEqual(['write_timeout']);
    good.send({ type: 'quick', id: '1', data: {} });
    await good.answered(1);
  });

  test('max_waiting: so many messages of a client are under way, and the others wait in its socket', async () => {
    const begun: unknown[] = [];
    const ends: (() => void)[] = [];
    const flows = {
      slow: ({ input }: Message) => {
        begun.push(input['n']);
        return new Promise<Outcome>((resolve) => ends.push(() => resolve({ kind: 'reply', value: null })));
      },
    };
    const server = await bed.open({ ...flows, quick: echo }, { max_waiting: 2 });
    const talker = await bed.connect(server);
    talker.send(...[0, 1, 2].map((n) => ({ type: 'slow', id: String(n), data: { n } })));
    await until(() => begun.length === 2);
    // Another client is answered meanwhile, so that the third message is not merely late.
    const other = await bed.connect(server);
    other.send({ type: 'quick', id: '1' });
    await other.answered(1);
    expect(begun).toEqual([0, 1]);
    ends[0]?.();
    await until(() => begun.length === 3);
    for (const end of ends) end();
    expect([...(await talker.answered(3)).keys()].toSorted()).toEqual(['0', '1', '2']);
  });

  test('max_connections: one more is closed at once, until another is gone', async () => {
    const server = await bed.open({ quick: echo }, { max_connections: 1 });
    const first = await bed.connect(server);
    first.send({ type: 'quick', id: '1' });
    await first.answered(1);
    const second = await bed.connect(server);
    await second.over();
    first.socket.destroy();
    await first.over();
    await until(async () => {
      const third = await bed.connect(server);
      third.send({ type: 'quick', id: '3', data: {} });
      return (await third.answered(1)).size === 1;
    });
  });

  test('a client that ends its side gets the answers to what it asked before', async () => {
    let proceed: (() => void) | undefined;
    const flows = {
      slow: () =>
        new Promise<Outcome>((resolve) => (proceed = () => resolve({ kind: 'reply', value: { late: true } }))),
    };
    const talker = await bed.connect(await bed.open(flows));
    talker.socket.end(jsonFrame({ type: 'slow', id: '1' }));
    await until(() => proceed !== undefined);
    proceed?.();
    await talker.over();
    expect(talker.answers).toEqual([{ type: 'response', id: '1', data: { late: true }, timestamp }]);
  });

  test('R-57: a stop answers what is under way, and says of what was not begun that it was not', async () => {
    let proceed: (() => void) | undefined;
    const flows = {
      slow: () => new Promise<Outcome>((resolve) => (proceed = () => resolve({ kind: 'reply', value: null }))),
    };
    const server = await bed.open(flows, { workers: 1 });
    const talker = await bed.connect(server);
    talker.send({ type: 'slow', id: '1' });
    await until(() => proceed !== undefined);
    const other = await bed.connect(server);
    // What no flow takes is answered at once, and not before what came before it was taken.
    other.send({ type: 'slow', id: '2' }, { type: 'draw', id: '3' });
    await other.answered(1);
    const closing = server.close();
    proceed?.();
    await closing;
    await Promise.all([talker.over(), other.over()]);
    expect(talker.answers.map(({ type }) => type)).toEqual(['response']);
    expect(other.answers.map(({ error }) => error)).toEqual(['unknown message type: draw', 'the service is stopping']);
  });

  test('S-100: fields that only the service sets cannot be sent', async () => {
    const taken: unknown[] = [];
    const flows = {
      weigh: ({ input }: Message): Outcome => {
        taken.push({ ...input });
        return { kind: 'reply', value: null };
      },
    };
    const talker = await bed.connect(await bed.open(flows));
    talker.send({ type: 'weigh', id: '1', data: { headers: { authorization: 'x' }, files: [1], grams: 5 } });
    talker.send({ type: 'weigh', id: '2', data: [1, 2] });
    await talker.answered(2);
    expect(taken).toEqual([{ grams: 5 }, { data: [1, 2] }]);
  });

  test('an address that is taken is said to be', async () => {
    const server = await bed.open({ quick: echo });
    await expect(bed.open({ quick: echo }, { port: server.port })).rejects.toThrow(
      `connector "devices" cannot listen on port ${server.port} of 127.0.0.1: another program is listening there`,
    );
  });
});
