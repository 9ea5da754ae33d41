import { expect, test } from 'vitest';
import { offsetOf } from './use-opening.ts';

const margin = { before: 10, after: 30 };

test.each([
  ['in the middle where it fits', { start: 0, length: 100, room: 200 }, undefined, 45],
  ['in the middle where it fits, wherever it begins', { start: 50, length: 100, room: 200 }, 140, 0],
  ['from its beginning where it does not', { start: 50, length: 1000, room: 240 }, undefined, -35],
  ['around a place of it', { start: 0, length: 1000, room: 240 }, 500, 110 - 450],
  ['not before its beginning', { start: 0, length: 1000, room: 240 }, 20, 10],
  ['not beyond its end', { start: 0, length: 1000, room: 240 }, 990, 210 - 900],
])('a flow beside its text is shown %s', (_, { start, length, room }, place, offset) => {
  expect(offsetOf(start, length, room, margin, place)).toBe(offset);
});
