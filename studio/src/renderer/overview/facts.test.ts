import { describe, expect, test } from 'vitest';
import { newThread, type Thread } from '../debug/session/thread.ts';
import { runFacts, sizeInWords } from './facts.ts';

const ended = (id: string, flow: string, moved: number, error: string): Thread => ({
  ...newThread(id, Number(id), flow, {}, moved),
  startedAt: 1_000 + moved,
  ended: { output: undefined, error, durationUs: 1, dropped: undefined },
});

describe('what is known of runs', () => {
  test('a flow fails while its newest run does', () => {
    const threads = [ended('1', 'b', 1, 'gone'), ended('2', 'a', 2, 'gone'), ended('3', 'b', 3, '')];
    expect(runFacts(threads)).toEqual({ runs: 3, failing: ['a'], lastAt: 1_003 });
  });

  test('one that is under way has not ended', () => {
    expect(runFacts([{ ...newThread('1', 1, 'a', {}, 1), startedAt: 7 }])).toEqual({ runs: 0, failing: [], lastAt: 7 });
    expect(runFacts([])).toEqual({ runs: 0, failing: [], lastAt: undefined });
  });
});

test('how much there is', () => {
  const own = { word: 'connector', declared: true };
  const many = {
    flows: [{}, {}],
    connectors: [own, { ...own, declared: false }, { ...own, word: 'auth' }],
  } as unknown as Parameters<typeof sizeInWords>[0];
  expect(sizeInWords(many)).toBe('2 flows, 1 connector');
});
