import { describe, expect, test } from 'vitest';
import type { Assignment } from './assignment.ts';
import { distribute } from './distribution.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const member = (id: string, owned: Assignment = {}, generation = 1, topics: readonly string[] = ['t']) => ({
  id,
  topics,
  owned,
  generation,
});
const sizes: Readonly<Record<string, number>> = { t: 6, u: 2 };
const distributed = (...members: Parameters<typeof distribute>[0]) =>
  Object.fromEntries(distribute(members, (topic) => upTo(sizes[topic] ?? 0)));

describe('partitions', () => {
  test('are given to members in turn where no member owns any', () => {
    expect(distributed(member('b'), member('a'))).toEqual({ a: { t: [0, 2, 4] }, b: { t: [1, 3, 5] } });
  });

  test('of a member that shares them with a new one are held back until it has given them up: the fewest move', () => {
    const first = distributed(member('a', { t: upTo(6) }), member('b', {}, -1));
    expect(first).toEqual({ a: { t: [0, 1, 2] }, b: {} });
    expect(distributed(member('a', { t: [0, 1, 2] }, 2), member('b', {}, 2))).toEqual({
      a: { t: [0, 1, 2] },
      b: { t: [3, 4, 5] },
    });
  });

  test('stay where they are when a member leaves, and its own are shared by the others', () => {
    expect(distributed(member('a', { t: [0, 1] }), member('c', { t: [4, 5] }))).toEqual({
      a: { t: [0, 1, 2] },
      c: { t: [3, 4, 5] },
    });
  });

  test('move from the member that has the most, one by one', () => {
    const members = [member('a', { t: [0, 1, 2] }), member('b', { t: [3, 4, 5] }), member('c', {}, -1)];
    expect(distributed(...members)).toEqual({ a: { t: [0, 1] }, b: { t: [3, 4] }, c: {} });
  });

  test('do not move for a difference of one', () => {
    const members = [
      member('a', { t: [0, 1], u: [0] }),
      member('b', { t: [2, 3] }),
      member('c', { t: [4, 5], u: [1] }),
    ];
    const both = members.map((each) => ({ ...each, topics: ['t', 'u'] }));
    expect(distributed(...both)).toEqual({ a: { t: [0, 1], u: [0] }, b: { t: [2, 3] }, c: { t: [4, 5], u: [1] } });
  });

  test('of a topic are given to those alone that read it', () => {
    expect(distributed(member('a', {}, -1, ['t']), member('b', {}, -1, ['t', 'u']))).toEqual({
      a: { t: [0, 2, 4, 5] },
      b: { t: [1, 3], u: [0, 1] },
    });
    expect(distributed(member('a', { u: [0, 1] }, 1, ['t']), member('b', {}, 1, ['u']))).toEqual({
      a: { t: upTo(6) },
      b: {},
    });
  });

  test('that two members claim belong to the later generation, and to neither of one generation', () => {
    expect(distributed(member('a', { t: upTo(6) }, 1), member('b', { t: [4, 5] }, 3))).toEqual({
      a: { t: [0, 1, 2] },
      b: { t: [4, 5] },
    });
    const claimed = distributed(member('a', { t: [0, 1, 2] }), member('b', { t: [2, 3, 4, 5] }));
    expect(claimed).toEqual({ a: { t: [0, 1, 2] }, b: { t: [3, 4, 5] } });
  });

  test('that do not exist any more belong to no member', () => {
    expect(distributed(member('a', { t: [0, 99], gone: [0] }, 1, ['t', 'gone']))).toEqual({ a: { t: upTo(6) } });
  });

  test('many of them: every one is given once, evenly, and a member that joins takes its share from the others', () => {
    const ids = upTo(30).map((at) => `m${String(at).padStart(2, '0')}`);
    const all = () => upTo(3000);
    const before = distribute(
      ids.map((id) => member(id, {}, -1)),
      all,
    );
    const counts = [...before.values()].map(({ t = [] }) => t.length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([100, 100]);
    expect([...before.values()].flatMap(({ t = [] }) => [...t]).sort((one, other) => one - other)).toEqual(upTo(3000));
    const joined = [...ids.map((id) => member(id, before.get(id))), member('new', {}, -1)];
    const kept = distribute(joined, all);
    const given = [...kept.values()].reduce((sum, { t = [] }) => sum + t.length, 0);
    expect({ moved: 3000 - given, given: kept.get('new') }).toEqual({ moved: 96, given: {} });
  });
});
