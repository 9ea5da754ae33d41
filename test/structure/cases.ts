import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.ts';

/** What a numbered case promises. */
export interface Case {
  readonly number: string;
  /** What must hold. */
  readonly holds: string;
  /** Which part waits for something that is not built; empty when nothing waits. */
  readonly waits: string;
}

/** The number of a case, wherever it is written. */
export const caseNumber = /\b[ARSXP]-(?:\d\d|100)\b/g;

/** Every row of docs/specification/cases.md, in written order. */
export function readCases(): Case[] {
  const page = readFileSync(join(root, 'docs/specification/cases.md'), 'utf8');
  return [...page.matchAll(/^\| ([A-Z]-\d+) \| (.+?) \|(?: (.+?))? \|$/gm)].map(
    ([, number = '', holds = '', waits = '']) => ({ number, holds, waits }),
  );
}
