import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../observe/clock.ts';
import type { Exchange } from './exchange.ts';
import { Turns } from './turns.ts';

/** Serving takes a millisecond each; `served` tells who was served in which turn. */
function prepared() {
  let time = 0;
  let turn = 0;
  const served: [name: string, turn: number][] = [];
  const clock: Clock = { ...systemClock, elapsed: () => time };
  const turns = new Turns(clock, (exchange) => {
    served.push([exchange.path, turn]);
    time += 1;
  });
  const take = (name: string) => turns.take({ path: name } as Exchange);
  const pass = async () => {
    turn += 1;
    await nextTurn();
  };
  const idle = (milliseconds: number) => {
    time += milliseconds;
  };
  return { served, take, pass, idle, accepted: () => turns.accepted() };
}

describe('requests of one turn', () => {
  test('P-18: are served until it has lasted long enough; the others wait in order', async () => {
    const { served, take, pass } = prepared();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) take(name);
    const first = [...served];
    await pass();
    take('i');
    const second = served.slice(first.length);
    await pass();
    const names = [...first, ...second, ...served.slice(first.length + second.length)].map(([name]) => name);
    expect({ first: first.length, second: second.length, names }).toEqual({
      first: 3,
      second: 3,
      names: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'],
    });
  });

  test('are served at once when the turn before is over', async () => {
    const { served, take, pass } = prepared();
    for (const name of ['a', 'b', 'c']) take(name);
    await pass();
    take('d');
    expect(served).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['d', 1],
    ]);
  });

  test('P-18: wait while connections are taken, for a moment, so that many are taken together', async () => {
    const { served, take, pass, idle, accepted } = prepared();
    for (const name of ['a', 'b', 'c']) {
      accepted();
      take(name);
      await pass();
      idle(0.5);
    }
    expect(served).toEqual([]);
    accepted();
    await pass();
    idle(1);
    expect(served).toEqual([]);
    // The moment is over, though connections still come.
    accepted();
    await pass();
    expect(served.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  });

  test('are served as soon as no more connections come', async () => {
    const { served, take, pass, accepted } = prepared();
    accepted();
    take('a');
    await pass();
    expect(served).toEqual([]);
    await pass();
    expect(served).toEqual([['a', 2]]);
  });
});
