import { expect, test } from 'vitest';
import { type Listed, Roster, unlisted } from './roster.ts';

interface Named extends Listed {
  readonly name: string;
}

const named = (name: string): Named => ({ name, place: unlisted });
const namesOf = (roster: Roster<Named>) =>
  roster
    .all()
    .map(({ name }) => name)
    .sort();

test('what is added is on it until it is taken off, whatever comes and goes meanwhile', () => {
  const roster = new Roster<Named>();
  const [a, b, c] = [named('a'), named('b'), named('c')] as const;
  for (const each of [a, b, c]) roster.add(each);
  expect(roster.delete(a)).toBe(true);
  expect([namesOf(roster), roster.size]).toEqual([['b', 'c'], 2]);
  expect(roster.delete(a)).toBe(false);
  roster.add(a);
  expect([roster.delete(c), roster.delete(b), namesOf(roster)]).toEqual([true, true, ['a']]);
  expect([roster.delete(a), roster.delete(a), roster.size]).toEqual([true, false, 0]);
});

test('what is on one is not taken off by another', () => {
  const [one, other] = [new Roster<Named>(), new Roster<Named>()];
  const [a, b] = [named('a'), named('b')];
  one.add(a);
  other.add(b);
  expect([other.delete(a), one.delete(b), one.size, other.size]).toEqual([false, false, 1, 1]);
});

test('all can be taken off while they are looked at, and at once', () => {
  const roster = new Roster<Named>();
  const all = ['a', 'b', 'c', 'd'].map(named);
  for (const each of all) roster.add(each);
  for (const each of roster.all()) expect(roster.delete(each)).toBe(true);
  expect(roster.size).toBe(0);
  for (const each of all) roster.add(each);
  roster.clear();
  expect([roster.size, all.map(({ place }) => place)]).toEqual([0, [-1, -1, -1, -1]]);
});
