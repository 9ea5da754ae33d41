import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { type PoolSettings, type Trouble, type Work, WorkerPool } from './worker-pool.ts';

/** A thread that answers a message with itself, and does what its words say. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
import { parentPort } from 'node:worker_threads';
parentPort.on('message', (message) => {
  if (message === 'loop') for (;;);
  if (message === 'exit') process.exit(3);
  if (message === 'throw') throw new Error('no');
  if (message === 'fill') { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); }
  if (message === 'later') { parentPort.postMessage({ value: 1 }); setImmediate(() => process.exit(0)); return; }
  if (message === 'environment') return parentPort.postMessage({ value: Object.keys(process.env) });
  if (message === 'refuse') return parentPort.postMessage({ code: 'value_refused', text: 'not this', retriable: false });
  parentPort.postMessage({ value: message });
});`)}`,
);

const failure = (trouble: Trouble, cause: Error | undefined) => new Failure('internal', trouble, { cause });

const pool = (over: Partial<PoolSettings> = {}) =>
  new WorkerPool({
    name: 'svc test',
    program,
    workers: 1,
    waiting: 2,
    waitingBytes: 100,
    deadline: Number.POSITIVE_INFINITY,
    idleTime: 60_000,
    megabytes: 64,
    failure,
    ...over,
  });

const echo = (content: unknown, bytes = 0): Work<unknown> => ({ begin: () => ({ content }), bytes });
const outcomeOf = (running: Promise<unknown>) => running.catch((error: unknown) => error);

describe('work', () => {
  test('is done by as many threads as there may be; what waits comes in order', async () => {
    const threads = pool({ workers: 2, waiting: 100 });
    const order: unknown[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => threads.run(echo(at)).then((answer) => order.push(answer))),
    );
    expect([order.sort((a, b) => Number(a) - Number(b)), threads.size]).toEqual([
      Array.from({ length: 20 }, (_, at) => at),
      2,
    ]);
    const single = pool({ waiting: 100 });
    const inTurn: unknown[] = [];
    await Promise.all([1, 2, 3].map((at) => single.run(echo(at)).then((answer) => inTurn.push(answer))));
    expect(inTurn).toEqual([1, 2, 3]);
  });

  test('may take several answers, and other work on the event loop runs between them', async () => {
    const taken: unknown[] = [];
    let turns = 0;
    const work: Work<string> = {
      begin: () => ({ content: 'first' }),
      take(value) {
        taken.push(value);
        setImmediate(() => turns++);
        return taken.length === 3 ? { result: `after ${turns} turns` } : { next: `answer ${taken.length}` };
      },
    };
    expect([await pool().run(work), taken]).toEqual(['after 2 turns', ['first', 'answer 1', 'answer 2']]);
  });

  test('hands memory over, and has no variable of the environment', async () => {
    const bytes = new Uint8Array(8).fill(7);
    const threads = pool();
    const answer = await threads.run({ begin: () => ({ content: bytes, transfer: [bytes.buffer] }) });
    expect([answer, bytes.length]).toEqual([new Uint8Array(8).fill(7), 0]);
    expect(await threads.run(echo('environment'))).toEqual([]);
  });
});

describe('what cannot be done is refused, and the thread is used again', () => {
  test.each<[string, Work<unknown>, unknown]>([
    ['the thread refuses it', echo('refuse'), { code: 'value_refused', message: 'not this', retriable: false }],
    ['it cannot be copied', echo(() => 1), { name: 'DataCloneError' }],
    [
      'the next message cannot be copied',
      { begin: () => ({ content: 1 }), take: () => ({ next: () => 1 }) },
      { name: 'DataCloneError' },
    ],
    [
      'it cannot begin',
      {
        begin: () => {
          throw new Error('no');
        },
      },
      { message: 'no' },
    ],
    [
      'its answer is not taken',
      {
        begin: () => ({ content: 1 }),
        take: () => {
          throw new Error('not this');
        },
      },
      { message: 'not this' },
    ],
  ])('%s', async (_, work, expected) => {
    const threads = pool({ waiting: 5 });
    const outcomes = [work, echo('next'), work, echo('last')].map((each) => outcomeOf(threads.run(each)));
    expect(await Promise.all(outcomes)).toMatchObject([expected, 'next', expected, 'last']);
    expect(threads.size).toBe(1);
  });
});

describe('a thread', () => {
  test.each<[string, string, Trouble]>([
    ['ends', 'exit', 'crash'],
    ['fails', 'throw', 'crash'],
    ['takes too much memory', 'fill', 'memory'],
    ['takes too long', 'loop', 'deadline'],
  ])('A-03: that %s refuses its work alone; another one takes its place', async (_, message, trouble) => {
    // The time in which a thread starts counts too.
    const threads = pool({ waiting: 10, megabytes: 32, ...(trouble === 'deadline' && { deadline: 3_000 }) });
    const works = trouble === 'deadline' ? [message, 'one'] : [message, 'one', message, 'two'];
    const outcomes = await Promise.all(works.map((each) => outcomeOf(threads.run(echo(each)))));
    expect(outcomes.map((outcome) => (outcome instanceof Failure ? outcome.message : outcome))).toEqual(
      works.map((each) => (each === message ? trouble : each)),
    );
    expect(threads.size).toBe(1);
  });

  test('that fails while it is idle is replaced', async () => {
    const threads = pool();
    expect(await threads.run(echo('later'))).toBe(1);
    await until(() => threads.size === 0);
    expect(await threads.run(echo('again'))).toBe('again');
  });

  test('is ended when there is no work for it', async () => {
    const threads = pool({ workers: 3, idleTime: 10 });
    await Promise.all([1, 2, 3].map((at) => threads.run(echo(at))));
    await until(() => threads.size === 0);
    expect(await threads.run(echo('again'))).toBe('again');
  });

  test('whose program is not there refuses every work', async () => {
    const threads = pool({ program: new URL('file:///nowhere/program.js'), waiting: 5 });
    const outcomes = await Promise.all([1, 2, 3].map((at) => outcomeOf(threads.run(echo(at)))));
    expect(outcomes).toMatchObject([1, 2, 3].map(() => ({ message: 'crash' })));
    await until(() => threads.size === 0);
  });
});

describe('given up', () => {
  const reason = new Error('enough');

  test('work frees its thread, what waits leaves its place, and what has not begun does not begin', async () => {
    const threads = pool();
    const stop = new AbortController();
    const given = [
      threads.run(echo('loop'), stop.signal),
      threads.run(echo('one', 60), stop.signal),
      threads.run(echo('two', 40), stop.signal),
    ].map(outcomeOf);
    await expect(threads.run(echo('full'))).rejects.toMatchObject({ message: 'overload' });
    stop.abort(reason);
    expect([await Promise.all(given), threads.waiting]).toEqual([[reason, reason, reason], 0]);
    // The bytes that waited are free again.
    const later = [threads.run(echo('three', 60)), threads.run(echo('four', 40))];
    expect(await Promise.all(later)).toEqual(['three', 'four']);
    expect(await outcomeOf(threads.run(echo('five'), stop.signal))).toBe(reason);
  });

  test('A-03: work beyond all threads, again and again, makes no more threads than there may be', async () => {
    const threads = pool({ workers: 2, waiting: 10 });
    let most = 0;
    for (let round = 0; round < 10; round++) {
      const stop = new AbortController();
      const given = [1, 2, 3, 4].map(() => outcomeOf(threads.run(echo('loop'), stop.signal)));
      most = Math.max(most, threads.size);
      stop.abort(reason);
      expect(await Promise.all(given)).toEqual([reason, reason, reason, reason]);
      most = Math.max(most, threads.size);
    }
    expect([await threads.run(echo('after')), most]).toEqual(['after', 2]);
  });

  test('between two answers, nothing is asked any more', async () => {
    const threads = pool();
    const stop = new AbortController();
    const work: Work<unknown> = {
      begin: () => ({ content: 1 }),
      take() {
        stop.abort(reason);
        return { next: () => 'cannot be copied' };
      },
    };
    expect(await outcomeOf(threads.run(work, stop.signal))).toBe(reason);
    expect(await threads.run(echo('next'))).toBe('next');
  });
});

test('S-64: bytes that wait are bounded, but for the first that waits', async () => {
  const threads = pool({ waiting: 10 });
  const stop = new AbortController();
  const running = outcomeOf(threads.run(echo('loop'), stop.signal));
  const large = threads.run(echo('large', 1_000));
  await expect(threads.run(echo('more', 1))).rejects.toMatchObject({ message: 'overload' });
  stop.abort();
  await running;
  expect(await large).toBe('large');
});
