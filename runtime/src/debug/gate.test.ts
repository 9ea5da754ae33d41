import { describe, expect, test } from 'vitest';
import type { EventSource, Intake } from '../connectors/contract.ts';
import { Failure } from '../errors/failure.ts';
import { memoryLog } from '../service/testing/fakes.ts';
import { EventGate } from './gate.ts';

interface Fake extends EventSource {
  /** Positions that it was told, in order. */
  readonly told: Intake[];
  /** Waits that are not over. */
  readonly waits: (() => void)[];
  stop(): void;
}

function source(pullable: boolean): Fake {
  const stopped = new AbortController();
  const waits: Fake['waits'] = [];
  const told: Intake[] = [];
  return {
    type: 'any',
    name: 'n',
    prefetch: undefined,
    unsettled: 0,
    told,
    waits,
    admit: (intake) => void told.push(intake),
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
  const gate = new EventGate(log, suspended);
  const state = { events: new Map(Object.entries(events)), started: 0 };
  gate.serve(() => ({
    events: state.events,
    startEvents: async () => {
      state.started++;
      return new Map([['bad', new Error('it broke')]]);
    },
  }));
  return { gate, state, lines };
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
    expect(queue.told).toEqual(['demand', 'single', 'open', 'demand', 'open']);
    expect(stream.told).toEqual(['single', 'single', 'single', 'single', 'open']);
    expect(() => gate.move('demand', 'stream')).toThrow('messages of connector "stream" are pushed');
    expect(() => gate.move('open', 'other')).toThrow('connector "other" is no event source');
  });

  test('sources of another configuration get the position of the earlier ones', () => {
    const { gate, state } = gated({ queue: source(true) });
    gate.attachedChanged(true);
    const next = source(true);
    gate.prepare(new Map([['queue', next]]));
    state.events = new Map([['queue', next]]);
    void gate.follow();
    expect(next.told).toEqual(['demand', 'demand']);
  });
});

describe('taking one message', () => {
  test('a wait goes on with the source of the next configuration', async () => {
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
    queue.waits.at(-1)?.();
    await kept;
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
