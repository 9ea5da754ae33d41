import { expect, test } from 'vitest';
import { FailureStops, keptFailureStops } from './failure-stops.ts';

const nothing = { codes: [], types: [], gates: [] };

test('every kind is asked for by one word, some of them by their names, and none while they are muted', () => {
  const stops = new FailureStops();
  expect(stops.wanted(false)).toEqual(nothing);
  stops.toggleFailures();
  stops.toggleDrops();
  expect(stops.wanted(false)).toEqual({ codes: ['*'], types: [], gates: ['*'] });
  expect(stops.wanted(true)).toEqual(nothing);
  for (const kind of ['validation', 'not_found', 'auth', 'connection', 'timeout', 'http'] as const)
    stops.toggleKind(kind);
  expect(stops.wanted(false)).toEqual({ codes: [], types: ['flow', 'unknown'], gates: ['*'] });
});

test('without any kind no failure stops, and to stop again means every kind', () => {
  const stops = new FailureStops();
  stops.toggleFailures();
  for (const kind of stops.state.value.kinds) stops.toggleKind(kind);
  expect(stops.state.value.isOnFailure).toBe(false);
  expect(stops.wanted(false)).toEqual(nothing);
  stops.toggleFailures();
  expect(stops.wanted(false)).toEqual({ codes: ['*'], types: [], gates: [] });
});

test('they are kept, and what cannot be used of what was kept is left out', () => {
  const stops = new FailureStops();
  stops.toggleKind('timeout');
  const kept = keptFailureStops(stops);
  const stored = JSON.parse(JSON.stringify(kept.read()));
  kept.restore(undefined);
  expect(stops.wanted(false)).toEqual(nothing);
  kept.restore(stored);
  expect(stops.state.value.kinds.has('timeout')).toBe(false);
  kept.restore({ isOnFailure: true, kinds: ['timeout', 'nosuch', 4], isOnDrop: 'yes' });
  expect(stops.wanted(false)).toEqual({ codes: [], types: ['timeout'], gates: [] });
});
