import { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OpenConnection, OpenConnections } from './open-connections.ts';

test('holds what was added and not removed, in whatever order connections end', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20)), { maxLength: 60 }), (steps) => {
      const list = new OpenConnections();
      const open: OpenConnection[] = [];
      for (const step of steps) {
        if (step === null) open.push(list.add(new Socket()));
        else for (const ended of open.splice(step % (open.length + 1), 1)) list.remove(ended);
      }
      expect(list.size).toBe(open.length);
      expect(new Set(list)).toEqual(new Set(open.map(({ socket }) => socket)));
    }),
    { numRuns: 100 },
  );
});

test('connections may end while they are listed', () => {
  const list = new OpenConnections();
  const open = Array.from({ length: 5 }, () => list.add(new Socket()));
  const seen = new Set<Socket>();
  for (const socket of list) {
    seen.add(socket);
    for (const connection of open.splice(0)) list.remove(connection);
  }
  expect([seen.size, list.size, [...list]]).toEqual([5, 0, []]);
});
