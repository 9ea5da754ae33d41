import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DecodingBudget } from './budget.ts';
import { decodeJson } from './json.ts';
import { refuseBeyond } from './json-extent.ts';

const wide: DecodingBudget = { depth: 1e6, keys: 1e6, values: 1e6, digits: 1e6 };

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Values and keys of a decoded document, the document itself included, and its depth. */
function extentOf(value: unknown): { values: number; keys: number; depth: number } {
  const total = { values: 1, keys: 0, depth: 0 };
  if (typeof value !== 'object' || value === null) return total;
  const isList = Array.isArray(value);
  for (const inner of Object.values(value)) {
    const { values, keys, depth } = extentOf(inner);
    total.values += values;
    total.keys += keys + (isList ? 0 : 1);
    total.depth = Math.max(total.depth, depth);
  }
  return { ...total, depth: total.depth + 1 };
}

describe('the extent of a JSON text', () => {
  test('is that of what it is decoded to, whatever it holds and however it is laid out', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, layout) => {
        const text = JSON.stringify(value, undefined, layout);
        const extent = extentOf(JSON.parse(text));
        for (const name of ['values', 'keys', 'depth'] as const) {
          expect(codeOf(() => refuseBeyond(text, { ...wide, [name]: extent[name] }))).toBe(undefined);
          if (extent[name] > 0)
            expect(codeOf(() => refuseBeyond(text, { ...wide, [name]: extent[name] - 1 }))).toBe(
              name === 'depth' ? 'body_undecodable' : 'body_too_large',
            );
        }
      }),
    );
  });

  test.each(['["a]", "b\\"[", "\\\\", {"{": ","}]', '[[], {}, [ ], { }]', '"', '["\\'])(
    'texts with brackets, escapes and no end: %s',
    (text) => {
      const budget = { ...wide, values: 6, keys: 1, depth: 2 };
      expect(codeOf(() => refuseBeyond(text, budget))).toBe(undefined);
    },
  );

  test('S-64: a large text beyond the budget is refused before it is parsed', () => {
    // Parsed first, the text that is not JSON at its end would be undecodable.
    const text = `[${'{},'.repeat(200_000)}`;
    expect(codeOf(() => decodeJson(text))).toBe('body_too_large');
  });
});
