import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { until } from '../../../../test/support/until.ts';
import { anonymous } from '../../foundation/contracts/message.ts';
import type { SourceCounts } from '../../foundation/contracts/observer.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { topicPatterns } from './dispatch/routes.ts';
import type { Delivery, Driver, Settlement } from './driver.ts';
import { Intake } from './intake.ts';

const reply: Outcome = { kind: 'reply', value: null };

interface Sent {
  readonly key?: string;
  readonly order?: string;
  readonly body: string;
  readonly atMostOnce?: boolean;
}

/** A peer without a network: what a protocol could do, and a record of how messages were settled. */
function peer(over: Partial<Driver> = {}) {
  let deliver: ((delivery: Delivery) => void) | undefined;
  const settled: [string, Settlement['kind']][] = [];
  const windows: number[] = [];
  const driver: Driver = {
    type: 'test',
    name: 'here',
    window: 10,
    workers: 10,
    patterns: topicPatterns,
    retries: { most: undefined, keepsRejected: false, pause: 'slot' },
    subscribe: async (window, take) => {
      windows.push(window);
      deliver = take;
    },
    unsubscribe: async () => void (deliver = undefined),
    ...over,
  };
  const delivery = ({ key = 'k', order, body, atMostOnce }: Sent, returnable: boolean): Delivery => ({
    atMostOnce,
    key,
    order,
    id: undefined,
    identity: () => body,
    tries: 0,
    returnable,
    message: async () => ({ input: { body }, auth: anonymous, addressed: [] }),
    settle: ({ kind }) => void settled.push([body, kind]),
  });
  return {
    driver,
    settled,
    windows,
    delivery,
    isSubscribed: () => deliver !== undefined,
    send: (sent: Sent, returnable = true) => deliver?.(delivery(sent, returnable)),
  };
}

const thousandfold = (milliseconds: number, signal?: AbortSignal) => systemClock.sleep(milliseconds / 1000, signal);

/** Keeps sums of what a source counts. */
function counting() {
  const sums: Record<string, number> = {};
  const add = (name: string, by = 1) => void (sums[name] = (sums[name] ?? 0) + by);
  const counts: SourceCounts = {
    undispatched: (target, key) => add(`undispatched ${target} ${key}`),
    dropped: (reason) => add(`dropped ${reason}`),
    passedOver: (kind) => add(`passed over ${kind}`),
    triedAgain: () => add('tried again'),
    rejected: () => add('rejected'),
    behind: (target, bytes) => add(`behind ${target}`, bytes),
    held: (by) => add('held', by),
    waiting: (by) => add('waiting', by),
  };
  return { sums, sources: { of: () => counts } };
}

async function started(
  driver: Driver,
  deliver: (body: string) => Outcome | Promise<Outcome>,
  sleep = thousandfold,
  renew?: (reason: string) => void,
) {
  const log = recordingLog();
  const { sums, sources } = counting();
  const clock = { ...systemClock, sleep };
  const intake = new Intake(driver, { connector: 'here', services: connectorServices({ log, clock, sources }), renew });
  const flows = intake.bind([
    { flow: 'f', operation: undefined, words: {}, deliver: ({ input }) => deliver(input['body'] as string) },
  ]);
  await flows.prepare();
  flows.use();
  await intake.start();
  await intake.connected();
  return { intake, log, sums };
}

describe('an intake', () => {
  test('A-05: of messages that the peer sends once, as many wait as the window holds; the others are dropped, counted and reported once', async () => {
    const { driver, send, delivery, isSubscribed } = peer({ window: 3, workers: 1 });
    const begun: string[] = [];
    const waiting: (() => void)[] = [];
    const { intake, log, sums } = await started(driver, (body) => {
      begun.push(body);
      return new Promise((resolve) => waiting.push(() => resolve(reply)));
    });
    for (let at = 0; at < 100; at++) send({ body: `once ${at}`, atMostOnce: true }, false);
    // A peer that holds back what is not settled is not a danger, and loses nothing.
    send({ body: 'kept' }, false);
    expect(sums).toEqual({ held: 5, waiting: 4, 'dropped busy': 96 });
    const reported = log.lines.filter(({ message }) => message.startsWith('messages are dropped'));
    expect(reported.map(({ fields }) => fields)).toEqual([{ source: 'here', window: 3, reason: 'busy' }]);
    for (let ended = 1; ended <= 5; ended++) {
      await until(() => waiting.length === ended);
      waiting[ended - 1]?.();
    }
    await until(() => intake.events.unsettled === 0);
    expect(begun).toEqual(['once 0', 'once 1', 'once 2', 'once 3', 'kept']);
    intake.events.admit('demand');
    await until(() => !isSubscribed());
    for (let at = 0; at < 5; at++) intake.receive(delivery({ body: `paused ${at}`, atMostOnce: true }, false));
    expect(sums).toMatchObject({ held: 3, waiting: 3, 'dropped paused': 2 });
    intake.disconnected();
    expect(sums).toMatchObject({ held: 0, waiting: 0 });
  });

  test('what waits while nothing is subscribed to is not begun before something is', async () => {
    const { driver, send, delivery, isSubscribed } = peer({ workers: 1 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const { intake } = await started(driver, (body) => {
      begun.push(body);
      return new Promise((resolve) => ends.push(() => resolve(reply)));
    });
    send({ body: 'first' }, false);
    await until(() => begun.length === 1);
    intake.events.admit('demand');
    await until(() => !isSubscribed());
    intake.receive(delivery({ body: 'second' }, false));
    ends[0]?.();
    await until(() => intake.events.unsettled === 1);
    expect(begun).toEqual(['first']);
    intake.events.admit('open');
    await until(() => begun.length === 2);
    ends[1]?.();
    await until(() => intake.events.unsettled === 0);
    expect(begun).toEqual(['first', 'second']);
  });

  test('R-72: while deliveries pause it says why', async () => {
    const { driver, send, isSubscribed } = peer({ window: 2, workers: 2 });
    const away = () => {
      throw new Failure('connector_refused', 'away');
    };
    const asleep = (_: number, signal?: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const { intake, sums } = await started(driver, away, asleep);
    expect(intake.pause).toBeUndefined();
    for (const body of ['a', 'b']) send({ body });
    await until(() => intake.pause !== undefined && !isSubscribed());
    expect([intake.pause, intake.problem]).toEqual(['deliveries pause: one message after another fails', undefined]);
    expect(sums).toEqual({ 'tried again': 2, held: 0, waiting: 0 });
    await intake.stop();
  });

  test('R-72: where the peer counts by subscription, one asks for what those held before leave, and then for all', async () => {
    const { driver, send, windows, isSubscribed } = peer({ window: 4, workers: 4, countsBySubscription: true });
    const ends: (() => void)[] = [];
    const { intake } = await started(driver, () => new Promise((resolve) => ends.push(() => resolve(reply))));
    const again = async () => {
      intake.events.admit('demand');
      await until(() => !isSubscribed());
      intake.events.admit('open');
    };
    for (const body of ['a', 'b', 'c']) send({ body });
    await again();
    await until(isSubscribed);
    expect(windows).toEqual([4, 1]);
    send({ body: 'd' });
    // There is no room: that is not a source that does not consume.
    await again();
    await until(() => !isSubscribed());
    expect([windows, intake.problem]).toEqual([[4, 1], undefined]);
    await until(() => ends.length === 4);
    ends[0]?.();
    await until(isSubscribed);
    expect([windows, intake.events.unsettled]).toEqual([[4, 1, 1], 3]);
    for (const end of ends) end();
    await until(() => windows.length === 4);
    expect([windows, intake.events.unsettled]).toEqual([[4, 1, 1, 4], 0]);
  });

  test('what is given up is counted', async () => {
    const { driver, send } = peer({ retries: { most: 0, keepsRejected: true, pause: 'slot' } });
    const { intake, sums } = await started(driver, () => {
      throw new Failure('connector_refused', 'away');
    });
    for (const body of ['a', 'b']) send({ body });
    await until(() => intake.events.unsettled === 0);
    // Neither had to wait for a worker.
    expect(sums).toEqual({ rejected: 2, held: 0 });
  });

  test('a flow that answers that it failed has decided what becomes of its message: it is acknowledged', async () => {
    const { driver, send, settled } = peer();
    const { sums } = await started(driver, () => ({ kind: 'failed', status: 500, value: { error: 'undone' } }));
    send({ body: 'a' });
    await until(() => settled.length > 0);
    expect([settled, sums['rejected'], sums['tried again']]).toEqual([[['a', 'ack']], undefined, undefined]);
  });

  test('R-11: without dead letters what never passes is acknowledged, warned of and counted, after its first try', async () => {
    const { driver, settled, send } = peer();
    const { intake, sums } = await started(driver, () => {
      throw new Failure('expression_failed', 'no such key: name', { passes: 'never' });
    });
    send({ body: 'a' }, false);
    await until(() => intake.events.unsettled === 0);
    expect([settled, sums]).toEqual([[['a', 'ack']], { rejected: 1, held: 0 }]);
  });

  test('what fails while a message is decoded never passes, unless something that was asked for it has no answer now', async () => {
    const { driver, delivery, settled } = peer({ retries: { most: 1, keepsRejected: true, pause: 'slot' } });
    let take: ((delivered: Delivery) => void) | undefined;
    const subscribe: Driver['subscribe'] = async (_window, deliver) => void (take = deliver);
    const { sums } = await started({ ...driver, subscribe }, () => reply);
    const failing = (body: string, error: Error) =>
      take?.({
        ...delivery({ body }, false),
        message: () => {
          throw error;
        },
      });
    failing('defect', new TypeError('a header of no kind that is known'));
    failing('damaged', new Failure('connector_failed', 'it cannot be read', { retriable: false }));
    await until(() => settled.length === 2);
    expect([settled.map(([, kind]) => kind), sums['tried again']]).toEqual([['reject', 'reject'], undefined]);
    failing('asked', new Failure('connector_failed', 'the registry is unavailable'));
    await until(() => settled.length === 3);
    expect([settled.at(-1), sums['tried again']]).toEqual([['asked', 'reject'], 1]);
  });

  test('S-11: what travels with a message that is given up is its failure in one line of at most 500 characters, without what caused it', async () => {
    const { driver, delivery } = peer({ retries: { most: 0, keepsRejected: true, pause: 'slot' } });
    const reasons: unknown[] = [];
    let take: ((delivered: Delivery) => void) | undefined;
    const subscribe: Driver['subscribe'] = async (_window, deliver) => void (take = deliver);
    await started({ ...driver, subscribe }, (body) => {
      const cause = new Error('SELECT * FROM users at postgres://app:secret@10.0.0.7/', {
        cause: { password: 'secret' },
      });
      throw new Failure('connector_failed', body === 'long' ? 'x'.repeat(5_000) : 'the database\nrefuses\tit', {
        cause,
      });
    });
    for (const body of ['a', 'long'])
      take?.({ ...delivery({ body }, false), settle: (settlement) => void reasons.push(settlement) });
    await until(() => reasons.length === 2);
    expect(reasons).toEqual([
      { kind: 'reject', reason: 'the database refuses it' },
      { kind: 'reject', reason: 'x'.repeat(500) },
    ]);
  });

  test('any number of messages that end at once are handled one after another, of each order in the order they came', async () => {
    const count = 50_000;
    let deliver: ((delivery: Delivery) => void) | undefined;
    const { driver, delivery } = peer({
      window: count,
      workers: 1,
      subscribe: async (_, take) => void (deliver = take),
    });
    const begun: string[] = [];
    let end = (): void => undefined;
    const { intake } = await started(driver, (body) => {
      begun.push(body);
      return body === 'first' ? new Promise((resolve) => (end = () => resolve(reply))) : reply;
    });
    const send = (body: string, order?: string) =>
      deliver?.({
        ...delivery({ body, order }, true),
        message: () => ({ input: { body }, auth: anonymous, addressed: [] }),
      });
    send('first', 'a');
    const others = Array.from({ length: count - 1 }, (_, at) => `${at}`);
    for (const [at, body] of others.entries()) send(body, at % 2 === 0 ? 'a' : 'b');
    expect([begun, intake.events.unsettled]).toEqual([['first'], count]);
    end();
    await until(() => intake.events.unsettled === 0);
    expect(begun).toEqual(['first', ...others]);
  });

  test('R-77: messages of one order are handled one after another, others beside them', async () => {
    const { driver, send } = peer();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const { intake } = await started(driver, (body) => {
      begun.push(body);
      return new Promise((resolve) => ends.set(body, () => resolve(reply)));
    });
    for (const body of ['a1', 'a2', 'b1', 'a3']) send({ order: body[0] as string, body });
    await until(() => begun.length === 2);
    expect(begun).toEqual(['a1', 'b1']);
    for (const [body, count] of [
      ['a1', 3],
      ['a2', 4],
    ] as const) {
      ends.get(body)?.();
      await until(() => begun.length === count);
    }
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
    for (const body of ['a3', 'b1']) ends.get(body)?.();
    await until(() => intake.events.unsettled === 0);
  });

  test('R-77: a message that fails is tried before the next one of its order, where the peer takes none back', async () => {
    const { driver, send, settled } = peer();
    const begun: string[] = [];
    const { intake } = await started(driver, (body) => {
      begun.push(body);
      if (body === 'a1' && begun.length < 4) throw new Failure('connector_refused', 'away');
      return reply;
    });
    for (const body of ['a1', 'a2', 'b1']) send({ order: body[0] as string, body }, false);
    await until(() => intake.events.unsettled === 0);
    expect(begun.filter((body) => body !== 'b1')).toEqual(['a1', 'a1', 'a1', 'a2']);
    expect(settled.map(([body]) => body)).toEqual(['b1', 'a1', 'a2']);
  });

  test('R-77: a message that a gate puts back is tried before the next one of its order, where it keeps its place', async () => {
    const { driver, delivery, settled } = peer();
    let take: ((delivered: Delivery) => void) | undefined;
    const begun: string[] = [];
    const drop = { kind: 'drop', reason: 'filter', expression: 'x', messageId: 'm', policy: 'requeue' } as const;
    const { intake } = await started(
      { ...driver, subscribe: async (_window, deliver) => void (take = deliver) },
      (body) => {
        begun.push(body);
        return body === 'a1' && begun.length < 3 ? drop : reply;
      },
    );
    for (const body of ['a1', 'a2']) take?.({ ...delivery({ order: 'a', body }, false), keepsPlace: true });
    await until(() => intake.events.unsettled === 0);
    expect([begun, settled]).toEqual([
      ['a1', 'a1', 'a1', 'a2'],
      [
        ['a1', 'ack'],
        ['a2', 'ack'],
      ],
    ]);
  });

  test('R-88: a flow that throws what is not a failure settles its message, and the next one is taken', async () => {
    const { driver, send, settled } = peer();
    let count = 0;
    const { intake } = await started(driver, () => {
      if (count++ === 0) throw 'a text';
      return reply;
    });
    send({ body: 'a' });
    send({ body: 'b' });
    await until(() => intake.events.unsettled === 0);
    expect(settled).toEqual([
      ['b', 'ack'],
      ['a', 'requeue'],
    ]);
  });

  test('A-03: where as many messages fail as may be held, and none goes back, it says so until one succeeds', async () => {
    const { driver, send } = peer();
    let isUnavailable = true;
    const { intake, log } = await started(driver, () => {
      if (isUnavailable) throw new Failure('connector_refused', 'away');
      return reply;
    });
    for (let at = 0; at < 9; at++) send({ body: `m${at}` }, false);
    await until(() => intake.events.unsettled === 9);
    expect(intake.pause).toBe(undefined);
    send({ body: 'last' }, false);
    await until(() => intake.pause !== undefined);
    const reason = 'as many messages fail as may be held: others wait until one succeeds';
    expect(intake.pause).toBe(reason);
    const said = () =>
      log.lines.filter(({ message }) => message === 'deliveries pause: one message after another fails');
    await until(() => said().length > 0);
    isUnavailable = false;
    await until(() => intake.events.unsettled === 0);
    expect([intake.pause, said().map(({ fields }) => fields)]).toEqual([undefined, [{ source: 'here', reason }]]);
  });

  test('A-09: tries and pauses go by elapsed time: the time of day is never asked for', async () => {
    const { driver, send, settled } = peer();
    const clock = {
      ...systemClock,
      sleep: thousandfold,
      now: () => {
        throw new Error('the clock was asked');
      },
    };
    const log = recordingLog();
    const intake = new Intake(driver, { connector: 'here', services: connectorServices({ log, clock }) });
    let count = 0;
    const deliver = () => {
      if (count++ < 7) throw new Failure('connector_refused', 'away');
      return reply;
    };
    const flows = intake.bind([{ flow: 'f', operation: undefined, words: {}, deliver }]);
    await flows.prepare();
    flows.use();
    await intake.start();
    await intake.connected();
    send({ body: 'a' }, false);
    await until(() => intake.events.unsettled === 0);
    expect([count, settled]).toEqual([8, [['a', 'ack']]]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('A-10: whether a message went behind the others is not known: it is given back too, and never lost', async () => {
    const { driver, settled, delivery } = peer({ retries: { most: 3, keepsRejected: true, pause: 'peer' } });
    let deliver: ((delivery: Delivery) => void) | undefined;
    const { intake } = await started({ ...driver, subscribe: async (_window, take) => void (deliver = take) }, () => {
      throw new Failure('connector_refused', 'away');
    });
    deliver?.({
      ...delivery({ body: 'a' }, true),
      postpone: () => Promise.reject(new Failure('outcome_unknown', 'no confirmation came')),
    });
    await until(() => intake.events.unsettled === 0);
    expect(settled).toEqual([['a', 'requeue']]);
  });

  test.each([
    ['that the copy is there', 'postpone', []],
    ['that it has the message again', 'settle', [['a', 'requeue']]],
  ] as const)(
    'R-39: a stop waits for a peer to say %s, so that no message is there twice',
    async (_, waits, expected) => {
      const { driver, settled, delivery } = peer({ retries: { most: 3, keepsRejected: true, pause: 'slot' } });
      const ends: string[] = [];
      const { promise: said, resolve: say } = Promise.withResolvers<void>();
      let asked = 0;
      const slow = async () => {
        asked++;
        await said;
        ends.push(waits);
      };
      let deliver: ((delivery: Delivery) => void) | undefined;
      const { intake } = await started({ ...driver, subscribe: async (_window, take) => void (deliver = take) }, () => {
        throw new Failure('connector_refused', 'away');
      });
      const given = delivery({ body: 'a' }, true);
      const settle: Delivery['settle'] = (settlement) => {
        void given.settle(settlement);
        return waits === 'settle' ? slow() : undefined;
      };
      deliver?.({ ...given, settle, ...(waits === 'postpone' && { postpone: slow }) });
      await until(() => asked === 1);
      const stopping = intake.stop().then(() => ends.push('stopped'));
      await new Promise((resolve) => setImmediate(resolve));
      say();
      await stopping;
      expect([ends, settled, intake.events.unsettled]).toEqual([[waits, 'stopped'], expected, 0]);
    },
  );

  test.each([
    ['whose time is over', (_: Intake, cut: AbortController) => cut.abort()],
    ['whose connection is lost', (intake: Intake) => intake.disconnected()],
  ])('A-04: a stop %s waits for no peer', async (_, ends) => {
    const { driver, delivery } = peer({ retries: { most: 3, keepsRejected: true, pause: 'slot' } });
    let deliver: ((delivery: Delivery) => void) | undefined;
    const { intake } = await started({ ...driver, subscribe: async (_window, take) => void (deliver = take) }, () => {
      throw new Failure('connector_refused', 'away');
    });
    let isAsked = false;
    const postpone = () => {
      isAsked = true;
      return new Promise<never>(() => undefined);
    };
    deliver?.({ ...delivery({ body: 'a' }, true), postpone });
    await until(() => isAsked);
    const cut = new AbortController();
    let isStopped = false;
    const stopping = intake.stop(cut.signal).then(() => (isStopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    ends(intake, cut);
    await stopping;
  });

  test.each(['key', 'identity', 'message', 'settle', 'answer'] as const)(
    'R-88: a driver whose `%s` throws loses that message alone: its slot is free, and the next one is taken',
    async (broken) => {
      const { driver, settled, delivery } = peer({ retries: undefined, workers: 1 });
      let deliver: ((delivery: Delivery) => void) | undefined;
      const { intake } = await started(
        { ...driver, subscribe: async (_window, take) => void (deliver = take) },
        () => reply,
      );
      const fails = () => {
        throw new Error('the driver is broken');
      };
      const first = delivery({ body: 'a', order: 'one' }, false);
      Object.defineProperty(first, broken, broken === 'key' ? { get: fails } : { value: fails });
      deliver?.(first);
      deliver?.(delivery({ body: 'b', order: 'one' }, false));
      await until(() => settled.some(([body]) => body === 'b') && intake.events.unsettled === 0);
      expect(settled.at(-1)).toEqual(['b', 'ack']);
      await intake.stop();
    },
  );

  test('R-88: a subscription that fails is made over another connection', async () => {
    const reasons: string[] = [];
    const { driver } = peer();
    let isBroken = false;
    const { intake } = await started(
      {
        ...driver,
        unsubscribe: () => (isBroken ? Promise.reject(new Error('the channel is gone')) : Promise.resolve()),
      },
      () => reply,
      thousandfold,
      (reason) => void reasons.push(reason),
    );
    isBroken = true;
    intake.events.admit('single');
    await until(() => reasons.length === 1);
    expect(reasons).toEqual(['the channel is gone']);
  });

  test('a driver without retries: what failed is over, its sender is notified first, and callers fill no log', async () => {
    const ends: unknown[] = [];
    const { driver, settled } = peer({ retries: undefined });
    let deliver: ((delivery: Delivery) => void) | undefined;
    const { log, intake } = await started(
      { ...driver, subscribe: async (_window, take) => void (deliver = take) },
      (body) => {
        if (body === 'bad') throw new Failure('input_invalid', 'the text is missing');
        if (body === 'lost') throw new Failure('connector_failed', 'the database is unavailable');
        const drop = { kind: 'drop', reason: 'filter', expression: 'x', messageId: 'm' } as const;
        return body === 'put back' ? { ...drop, policy: 'requeue' } : reply;
      },
    );
    for (const body of ['good', 'bad', 'lost', 'put back'])
      deliver?.({
        key: 'k',
        id: undefined,
        identity: () => '',
        tries: 0,
        returnable: false,
        message: async () => ({ input: { body }, auth: anonymous, addressed: [] }),
        answer: (end) => void ends.push(end instanceof Failure ? end.message : end.kind),
        settle: ({ kind }) => void settled.push([body, kind]),
      });
    await until(() => intake.events.unsettled === 0);
    expect(ends.toSorted()).toEqual(['drop', 'reply', 'the database is unavailable', 'the text is missing']);
    expect(Object.fromEntries(settled)).toEqual({ good: 'ack', bad: 'reject', lost: 'reject', 'put back': 'reject' });
    expect(log.lines.filter(({ level }) => level === 'warn' || level === 'error')).toMatchObject([
      { level: 'error', message: 'message failed', fields: { error: 'the database is unavailable' } },
    ]);
  });
});
