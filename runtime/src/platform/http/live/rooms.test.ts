import { expect, test } from 'vitest';
import { Rooms } from './rooms.ts';

const member = (user = '') => ({ user, rooms: new Set<string>() });

test('members are found by room and by user, until they leave or are gone', () => {
  const rooms = new Rooms<ReturnType<typeof member>>();
  const [a, b, c] = [member('ada'), member('ada'), member()];
  for (const each of [a, b, c]) rooms.add(each);
  rooms.join(a, 'north');
  rooms.join(c, 'north');
  rooms.join(b, 'south');
  const found = () => ({
    north: [...rooms.in('north')],
    south: [...rooms.in('south')],
    ada: [...rooms.of('ada')],
    anonymous: [...rooms.of('')],
    all: [...rooms.all],
  });
  expect(found()).toEqual({ north: [a, c], south: [b], ada: [a, b], anonymous: [], all: [a, b, c] });
  rooms.leave(a, 'north');
  rooms.remove(b);
  expect(found()).toEqual({ north: [c], south: [], ada: [a], anonymous: [], all: [a, c] });
});

test('one that is gone joins no room', () => {
  const rooms = new Rooms<ReturnType<typeof member>>();
  const gone = member();
  rooms.add(gone);
  rooms.remove(gone);
  rooms.join(gone, 'north');
  expect([...rooms.in('north')]).toEqual([]);
});

test('A-02: names are equal when they are the same characters, and only then', () => {
  const rooms = new Rooms<ReturnType<typeof member>>();
  const spellings = ['5', '05', ' 5', '5 ', '5.0', '+5', '٥', 'é', 'e\u0301', 'É'];
  const members = spellings.map((name) => {
    const one = member(name);
    rooms.add(one);
    rooms.join(one, name);
    return one;
  });
  expect(spellings.map((name) => [...rooms.in(name)])).toEqual(members.map((one) => [one]));
  expect(spellings.map((name) => [...rooms.of(name)])).toEqual(members.map((one) => [one]));
});
