import { keyText } from '../../platform/formats/key-text.ts';

/** Fills a pattern from named values. Throws what `missing` makes of the name of a value that has no text. */
export type FillKey = (value: (name: string) => unknown, missing: (name: string) => Error) => string;

const placeholder = /\{([A-Za-z_]\w*)\}/g;

/** Names that a pattern takes its values by. */
export function namesIn(pattern: string): readonly string[] {
  return [...new Set(Array.from(pattern.matchAll(placeholder), ([, name]) => name as string))];
}

/**
 * Compiles a key with values in it, such as `session:{user_id}`. Values are escaped as in the keys of `cache` blocks, so
 * that none can reach over a separator: two different values never make one key. `textOf` gives the text of a value
 * where another rule holds.
 */
export function compileKeyPattern(pattern: string, textOf: (value: unknown) => string | undefined = keyText): FillKey {
  const parts = pattern.split(placeholder);
  return (value, missing) =>
    parts
      .map((part, at) => {
        if (at % 2 === 0) return part;
        const text = textOf(value(part) ?? undefined);
        if (text === undefined || text === '') throw missing(part);
        return text;
      })
      .join('');
}
