import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { clockBy } from '../../../service/running/testing/manual-clock.ts';
import { Room } from './room.ts';
import { Turns } from './turns.ts';

/** Serving takes a millisecond each; `served` lists who was served in which turn. */
function prepared() {
  let time = 0;
  let turn = 0;
  const served: [name: string, turn: number][] = [];
  const clock = clockBy(() => time);
  const room = new Room(8, clock);
  const turns = new Turns<string>(
    clock,
    () => room,
    (name) => {
      served.push([name, turn]);
      time += 1;
    },
  );
  const take = (name: string) => turns.take(name);
  const pass = async () => {
    turn += 1;
    await nextTurn();
  };
  return { served, take, pass, waiting: () => room.waiting };
}

describe('requests of one turn', () => {
  test('P-18: are served until it has lasted long enough; the others wait in order', async () => {
    const { served, take, pass, waiting } = prepared();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) take(name);
    const first = [...served];
    const left = [waiting()];
    await pass();
    take('i');
    left.push(waiting());
    const second = served.slice(first.length);
    while (served.length < 9) await pass();
    left.push(waiting());
    const names = served.map(([name]) => name);
    expect({ first: first.length, second: second.length, names, left }).toEqual({
      first: 2,
      second: 2,
      names: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'],
      left: [6, 5, 0],
    });
  });

  test('are served at once when the turn before is over', async () => {
    const { served, take, pass } = prepared();
    for (const name of ['a', 'b']) take(name);
    await pass();
    take('c');
    expect(served).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 1],
    ]);
  });
});
