import { describe, expect, test } from 'vitest';
import type { EventSource, Intake } from '../../foundation/contracts/events.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { memoryLog } from '../running/testing/fakes.ts';
import { ManualClock } from '../running/testing/manual-clock.ts';
import { EventGate, longestHold } from './gate.ts';

interface Fake extends EventSource {
  /** Positions that it was given, in order. */
  readonly intakes: Intake[];
  /** Waits that are not over. */
  readonly waits: (() => void)[];
  stop(): void;
}

function source(pullable: boolean): Fake {
  const stopped = new AbortController();
  const waits: Fake['waits'] = [];
  const intakes: Intake[] = [];
  return {
    type: 'any',
    name: 'n',
    prefetch: undefined,
    unsettled: 0,
    intakes,
    waits,
    admit: (intake) => void intakes.push(intake),
    stop: () => stopped.abort(new Failure('cancelled', 'it stopped')),
    ...(pullable && {
      pull: (signal: AbortSignal) =>
        new Promise((resolve, reject) => {
          waits.push(() => resolve({ settled: Promise.resolve() }));
          for (const each of [signal, stopped.signal]) each.addEventListener('abort', () => reject(each.reason));
        }),
    }),
  } as Fake;
}

function gated(events: Record<string, Fake>, suspended = false) {
  const { log, lines } = memoryLog();
  const clock = new ManualClock();
  const gate = new EventGate(log, suspended, clock);
  const state = { events: new Map(Object.entries(events)), started: 0 };
  gate.serve(() => ({
    events: state.events,
    startEvents: async () => {
      state.started++;
      return new Map([['bad', new Error('it broke')]]);
    },
  }));
  return { gate, state, lines, clock };
}

describe('positions', () => {
  test('open without a client; then pulled sources wait and pushed ones take one at a time; open again in the end', () => {
    const [queue, stream] = [source(true), source(false)];
    const { gate } = gated({ queue, stream });
    expect([gate.positionOf('queue', queue), gate.positionOf('stream', stream)]).toEqual(['open', 'open']);
    gate.attachedChanged(true);
    gate.move('single', undefined);
    gate.move('open', 'queue');
    gate.move('demand', undefined);
    gate.attachedChanged(false);
    expect(queue.intakes).toEqual(['demand', 'single', 'open', 'demand', 'open']);
    expect(stream.intakes).toEqual(['single', 'single', 'single', 'single', 'open']);
    expect(() => gate.move('demand', 'stream')).toThrow('messages of connector "stream" are pushed');
    expect(() => gate.move('open', 'other')).toThrow('connector "other" is not an event source');
  });

  test('sources of another configuration get the position of the earlier ones', () => {
    const { gate, state } = gated({ queue: source(true) });
    gate.attachedChanged(true);
    const next = source(true);
    gate.prepare(new Map([['queue', next]]));
    state.events = new Map([['queue', next]]);
    void gate.follow();
    expect(next.intakes).toEqual(['demand', 'demand']);
  });
});

describe('taking one message', () => {
  test('a wait continues with the source of the next configuration', async () => {
    const [first, second] = [source(true), source(true)];
    const { gate, state } = gated({ queue: first });
    gate.attachedChanged(true);
    const taken = gate.take('queue', {});
    state.events = new Map([['queue', second]]);
    first.stop();
    await expect.poll(() => second.waits.length).toBe(1);
    second.waits[0]?.();
    await (await taken).settled;
  });

  test('a caller ends its own waits alone, and only so many may wait', async () => {
    const queue = source(true);
    const { gate } = gated({ queue });
    gate.attachedChanged(true);
    const [mine, yours] = [{}, {}];
    const waits = Array.from({ length: 99 }, () => gate.take('queue', mine).catch((error: Error) => error.message));
    const kept = gate.take('queue', yours);
    await expect(gate.take('queue', yours)).rejects.toMatchObject({ code: -32602 });
    expect([gate.cancel(mine, 'other'), gate.cancel(mine, 'queue'), gate.cancel(mine)]).toEqual([0, 99, 99]);
    expect(new Set(await Promise.all(waits))).toEqual(
      new Set(['waiting for a message of "queue" was cancelled: none was taken']),
    );
    expect(gate.cancel(mine)).toBe(0);
    await expect.poll(() => queue.waits.length).toBe(2);
    queue.waits.at(-1)?.();
    await kept;
  });

  test('calls are served in their order, also where one before was cancelled', async () => {
    const queue = source(true);
    const { gate } = gated({ queue });
    gate.attachedChanged(true);
    const served: string[] = [];
    const ask = (name: string, caller: object = {}) =>
      gate.take('queue', caller).then(
        () => served.push(name),
        () => served.push(`${name} gave up`),
      );
    const quitter = {};
    const all = [ask('first'), ask('second', quitter), ask('third'), ask('fourth')];
    gate.cancel(quitter);
    for (let at = 0; at < 3; at++) {
      await expect.poll(() => queue.waits.length).toBe(at + 1);
      queue.waits[at]?.();
    }
    await Promise.all(all);
    expect(served).toEqual(['second gave up', 'first', 'third', 'fourth']);
  });

  test('a wait that is not to last longer ends without a message, and frees its turn', async () => {
    const queue = source(true);
    const { gate, clock } = gated({ queue });
    gate.attachedChanged(true);
    const short = gate.take('queue', {}, 200);
    const next = gate.take('queue', {}, undefined);
    await clock.pass(200);
    expect(await short).toBeUndefined();
    await expect.poll(() => queue.waits.length).toBe(2);
    queue.waits[1]?.();
    expect(await next).toMatchObject({ settled: expect.any(Promise) });
    expect(clock.sleeping).toBe(0);
  });

  test('a pushed source, an open gate and a source that stops refuse it', async () => {
    const [queue, stream] = [source(true), source(false)];
    const { gate } = gated({ queue, stream });
    await expect(gate.take('queue', {})).rejects.toThrow('the gate of connector "queue" is open');
    gate.attachedChanged(true);
    await expect(gate.take('stream', {})).rejects.toThrow('are pushed and cannot be pulled');
    const taken = gate.take('queue', {});
    queue.stop();
    await expect(taken).rejects.toThrow('it stopped');
  });
});

describe('clients that hold every source until they are ready', () => {
  test('nothing is taken before the last of them is ready, has left or had its time', async () => {
    const [queue, stream] = [source(true), source(false)];
    const { gate, clock } = gated({ queue, stream });
    const [one, two] = [{}, {}];
    gate.hold(one);
    expect([queue.intakes, stream.intakes]).toEqual([['demand'], ['demand']]);
    gate.attachedChanged(true);
    gate.move('open', undefined);
    gate.hold(two);
    gate.limitHold(one);
    gate.limitHold(two);
    gate.releaseFor(one);
    expect([queue.intakes.at(-1), stream.intakes.at(-1)]).toEqual(['demand', 'demand']);
    await clock.pass(longestHold - 1);
    expect(stream.intakes.at(-1)).toBe('demand');
    await clock.pass(1);
    expect([queue.intakes.at(-1), stream.intakes.at(-1)]).toEqual(['open', 'open']);
    expect(clock.sleeping).toBe(0);
  });
});

describe('a suspended start', () => {
  test('is over once and for all, and says what could not be started', async () => {
    const { gate, state, lines } = gated({ queue: source(true) }, true);
    gate.prepare(state.events);
    await gate.follow();
    expect([gate.suspended, state.started]).toEqual([true, 0]);
    await gate.release();
    await gate.release();
    expect([gate.suspended, state.started]).toEqual([false, 1]);
    await gate.follow();
    expect(state.started).toBe(2);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'event sources wait for debug.ready'],
      ['error', 'an event source did not start'],
      ['error', 'an event source did not start'],
    ]);
  });
});
