import { describe, expect, test } from 'vitest';
import type { Bridge, SearchMatch } from '../../shared/services.ts';
import { Store } from '../state/store.ts';
import { Finding, findInLines, partsOfLine, type SearchOptions } from './finding.ts';

const options: SearchOptions = { text: 'order', regex: false, matchCase: false, wholeWord: false };
const places = (given: Partial<SearchOptions>, ...lines: readonly string[]) =>
  findInLines('a.hcl', lines, { ...options, ...given }).map(({ line, start, end }) => [line, start, end]);

describe('finding in lines', () => {
  test('text is taken as it is, in any case unless asked', () => {
    expect(places({ text: 'a.b' }, 'axb A.B')).toEqual([[1, 4, 7]]);
    expect(places({ text: 'a.b', matchCase: true }, 'A.B', 'a.b')).toEqual([[2, 0, 3]]);
  });

  test('whole words and expressions', () => {
    expect(places({ wholeWord: true }, 'orders order', 'order_id')).toEqual([[1, 7, 12]]);
    expect(places({ text: 'o\\w+s?', regex: true }, 'an order or two')).toEqual([
      [1, 3, 8],
      [1, 9, 11],
    ]);
    expect(places({ text: 'x*', regex: true }, 'abc')).toEqual([]);
  });

  test.each([0, 190, 700, 1_390])('a long line is cut around the match at %i, and the match found in it', (at) => {
    const line = `${'-'.repeat(at)}order${'.'.repeat(1_400 - at)}`;
    const [match] = findInLines('a.hcl', [line], options);
    expect(match?.text.length).toBe(400);
    const [before, found, behind] = partsOfLine(match as SearchMatch, options);
    expect([before.endsWith('order'), found, before.length + found.length + behind.length]).toEqual([
      false,
      'order',
      400,
    ]);
  });

  test('indentation is left out', () => {
    const match = { path: 'a', line: 1, start: 4, end: 9, text: '    order = 1' };
    expect(partsOfLine(match, options)).toEqual(['', 'order', ' = 1']);
  });
});

const match = (path: string, line: number): SearchMatch => ({ path, line, start: 0, end: 5, text: 'order' });

function finding(
  answer: () => Promise<{ matches: readonly SearchMatch[]; truncated: boolean }>,
  unsaved: Record<string, string> = {},
) {
  const documents = new Map(Object.entries(unsaved).map(([path, text]) => [path, { text }]));
  const project = { documents: new Store(documents), dirty: new Store(new Set(documents.keys())) };
  return new Finding({ call: answer } as unknown as Pick<Bridge, 'call'>, project as never);
}

describe('finding in files', () => {
  test('matches are grouped by file, unsaved files searched as they are here', async () => {
    const matches = [match('a', 1), match('b', 1), match('b', 2), match('c', 3)];
    const search = finding(async () => ({ matches, truncated: false }), { b: 'none', d: 'x\nan order' });
    search.options.set(options);
    await search.search();
    const { files, count, isBusy } = search.state.value;
    expect(files.map(({ path, matches: found }) => [path, found.map(({ line }) => line)])).toEqual([
      ['a', [1]],
      ['c', [3]],
      ['d', [2]],
    ]);
    expect([count, isBusy]).toEqual([3, false]);
  });

  test('a refusal is said, and an answer that comes too late is left out', async () => {
    const wrong = finding(() => Promise.reject(new Error('this is not a regular expression')));
    wrong.options.set(options);
    await wrong.search();
    expect(wrong.state.value.refusal).toBe('this is not a regular expression');
    const first = Promise.withResolvers<{ matches: readonly SearchMatch[]; truncated: boolean }>();
    const answers = [first.promise, Promise.resolve({ matches: [match('new', 1)], truncated: false })];
    const slow = finding(() => answers.shift() as (typeof answers)[number]);
    slow.options.set(options);
    const both = [slow.search(), slow.search()];
    first.resolve({ matches: [match('old', 1)], truncated: false });
    await Promise.all(both);
    expect(slow.state.value.files.map(({ path }) => path)).toEqual(['new']);
  });
});
