import { expect, test } from 'vitest';
import { WaitingList } from './waiting-list.ts';

test('items are kept in order, whatever is put in and taken out', () => {
  const list = new WaitingList<number>();
  const plain: number[] = [];
  // Always the same numbers, which meet every place and every length.
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  for (let step = 0; step < 30_000; step++) {
    const [kind, index] = [random(10), random(3) === 0 && plain.length > 0 ? random(plain.length) : 0];
    if (kind < (step < 15_000 ? 6 : 3)) {
      list.push(step);
      plain.push(step);
    } else if (kind === 9) {
      list.insert(index, step);
      plain.splice(index, 0, step);
    } else expect(list.remove(index)).toBe(plain.splice(index, 1)[0]);
    if (step % 100 === 0) expect(list.all).toEqual(plain);
    expect([list.length, list.at(0), list.at(index)]).toEqual([plain.length, plain[0], plain[index]]);
  }
  list.replace([1, 2]);
  expect([list.all, list.remove(0), list.remove(0), list.remove(0), list.length]).toEqual([[1, 2], 1, 2, undefined, 0]);
});
