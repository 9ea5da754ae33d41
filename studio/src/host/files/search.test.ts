import { describe, expect, test } from 'vitest';
import { openHost } from '../testing/opened.ts';

describe('search', () => {
  test('finds text as it is written, in the order of files and lines', async () => {
    const { services } = await openHost({ 'b.hcl': 'x (a.b)\n(A.B) (a.b)\n', 'a.hcl': 'axb', 'c.bin': 'a\0(a.b)' });
    const matches = [
      { path: 'b.hcl', line: 1, start: 2, end: 7, text: 'x (a.b)' },
      { path: 'b.hcl', line: 2, start: 0, end: 5, text: '(A.B) (a.b)' },
      { path: 'b.hcl', line: 2, start: 6, end: 11, text: '(A.B) (a.b)' },
    ];
    expect(await services['files.search']({ text: '(a.b)' })).toEqual({ matches, truncated: false });
    expect(await services['files.search']({ text: '(a.b)', matchCase: true })).toEqual({
      matches: [matches[0], matches[2]],
      truncated: false,
    });
  });

  test('finds expressions and whole words', async () => {
    const { services } = await openHost({ 'a.hcl': 'order orders\nre-order' });
    const lines = async (text: string, options: object) =>
      (await services['files.search']({ text, ...options })).matches.map(({ line, start }) => [line, start]);
    expect(await lines('order', { wholeWord: true })).toEqual([
      [1, 0],
      [2, 3],
    ]);
    expect(await lines('or[a-z]+s$', { regex: true })).toEqual([[1, 6]]);
    expect(await lines('x*', { regex: true })).toEqual([]);
    await expect(services['files.search']({ text: '(', regex: true })).rejects.toThrow(
      'this is not a regular expression',
    );
    await expect(services['files.search']({ text: '' })).rejects.toThrow('search for 1 to 1000 characters');
  });

  test('ends an expression that would take years', async () => {
    const { services } = await openHost({ 'a.hcl': `${'a'.repeat(60)}!` });
    await expect(services['files.search']({ text: '^(a+)+$', regex: true })).rejects.toThrow('takes too long');
  });

  test('is bounded, and cuts long lines around the match', async () => {
    const { services } = await openHost({
      'a.txt': 'x\n'.repeat(2_500),
      'b.txt': `${'-'.repeat(900)}needle${'-'.repeat(900)}`,
    });
    const { matches, truncated } = await services['files.search']({ text: 'x' });
    expect([matches.length, truncated]).toEqual([2_000, true]);
    const [needle] = (await services['files.search']({ text: 'needle' })).matches;
    expect([needle?.start, needle?.text.length, needle?.text.includes('needle')]).toEqual([900, 400, true]);
  });
});
