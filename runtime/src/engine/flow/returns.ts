import type { ReturnShape } from '../../foundation/contracts/types.ts';

/** Types that need no `type` block. */
export const returnScalars = ['String', 'Int', 'Float', 'Boolean', 'ID', 'JSON', 'DateTime', 'Date', 'Time'] as const;

/** Reads what a flow returns: `User`, `User!`, `User[]`, `[User]`, `[User!]`, `[User]!`, `[User!]!`; undefined when malformed. */
export function parseReturns(text: string): ReturnShape | undefined {
  const written = /^(\w+)\[\]$/.exec(text)?.[1];
  if (written !== undefined) return shapeOf(written, true, false, false);
  const list = /^\[\s*(\w+)(!?)\s*\](!?)$/.exec(text);
  if (list !== null) return shapeOf(list[1] as string, true, list[3] === '', list[2] === '');
  const one = /^(\w+)(!?)$/.exec(text);
  return one === null ? undefined : shapeOf(one[1] as string, false, one[2] === '', false);
}

function shapeOf(type: string, list: boolean, nullable: boolean, nullableElements: boolean): ReturnShape | undefined {
  if (!/^[A-Za-z_]/.test(type)) return undefined;
  return { type, scalar: (returnScalars as readonly string[]).includes(type), list, nullable, nullableElements };
}
