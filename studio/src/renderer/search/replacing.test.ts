import { describe, expect, test } from 'vitest';
import type { FindingState, SearchOptions } from './finding.ts';
import { replacementsIn, whyNotReplaced } from './replacing.ts';

const plain: SearchOptions = { text: 'order', regex: false, matchCase: false, wholeWord: false };

function replaced(text: string, options: Partial<SearchOptions>, replacement: string): string {
  const edits = replacementsIn(text, { ...plain, ...options }, replacement);
  return edits.reduceRight((all, { range, text: own }) => all.slice(0, range.start) + own + all.slice(range.end), text);
}

describe('replacing', () => {
  test('changes every match, whatever ends the lines', () => {
    expect(replaced('an order\r\nOrder, order\nend', {}, 'bill')).toBe('an bill\r\nbill, bill\nend');
    expect(replaced('orders order', { wholeWord: true }, 'bill')).toBe('orders bill');
  });

  test('takes a replacement as it is, and groups with an expression alone', () => {
    expect(replaced('order', {}, '$& $1')).toBe('$& $1');
    expect(replaced('a=1, b=2', { text: '(\\w)=(\\d)', regex: true }, '$2=$1 $$ $& $3')).toBe(
      '1=a $ a=1 $3, 2=b $ b=2 $3',
    );
    expect(replaced('abc', { text: 'x*', regex: true }, '-')).toBe('abc');
  });
});

test('what is not shown whole is not replaced', () => {
  const state: FindingState = {
    isBusy: false,
    files: [{ path: 'a', matches: [] }],
    count: 1,
    truncated: false,
    refusal: undefined,
    options: plain,
  };
  expect(whyNotReplaced(state)).toBeUndefined();
  expect(whyNotReplaced({ ...state, truncated: true })).toContain('more matches than are shown');
  expect(whyNotReplaced({ ...state, options: undefined })).toBe('Nothing is found yet.');
  const files = Array.from({ length: 201 }, (_, index) => ({ path: String(index), matches: [] }));
  expect(whyNotReplaced({ ...state, files })).toContain('more than 200 files');
});
