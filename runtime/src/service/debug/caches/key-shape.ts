import type { KeyPart } from '../../../foundation/contracts/kept-answers.ts';

/** What separates the values of a key, which therefore holds none of it; see `escapeKey`. */
const separator = /[:*?[\]\\]/;

type Hole = Exclude<KeyPart, string>;

/** A piece of one key: the text, and the expressions that gave it; none for what is written. */
export interface KeyPiece {
  readonly text: string;
  readonly from: readonly Hole[];
}

/**
 * The pieces of a key by what keys of its flow are made of; undefined when it is another key. The work is proportional
 * to the length of the key: what is written is looked for once, from left to right. Values hold no separator, so that
 * no later place would fit where the first one does not.
 */
export function piecesOf(parts: readonly KeyPart[], key: string): readonly KeyPiece[] | undefined {
  const pieces: KeyPiece[] = [];
  let at = 0;
  let holes: Hole[] = [];
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') {
      holes.push(part);
      continue;
    }
    const begins = placeOf(part, key, { at, isFree: holes.length > 0, isLast: index === parts.length - 1 });
    if (begins === undefined || !fits(holes, key.slice(at, begins))) return undefined;
    if (holes.length > 0) pieces.push({ text: key.slice(at, begins), from: holes });
    holes = [];
    pieces.push({ text: part, from: [] });
    at = begins + part.length;
  }
  const rest = key.slice(at);
  if (holes.length === 0) return rest === '' ? pieces : undefined;
  return fits(holes, rest) ? [...pieces, { text: rest, from: holes }] : undefined;
}

interface Place {
  readonly at: number;
  /** Values are before it. */
  readonly isFree: boolean;
  /** Nothing is after it. */
  readonly isLast: boolean;
}

function placeOf(text: string, key: string, { at, isFree, isLast }: Place): number | undefined {
  if (!isFree) return key.startsWith(text, at) ? at : undefined;
  if (isLast) return key.length - text.length >= at && key.endsWith(text) ? key.length - text.length : undefined;
  const found = key.indexOf(text, at);
  return found < 0 ? undefined : found;
}

function fits(holes: readonly Hole[], text: string): boolean {
  return holes.some(({ holds }) => holds !== 'value') || !separator.test(text);
}

/** A glob that every such key matches. */
export function globOf(parts: readonly KeyPart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part.replace(/[*?[\]\\^]/g, '\\$&') : '*')).join('');
}

/** Why entries of others may look like keys of these parts; undefined where they do not. */
export function confusion(parts: readonly KeyPart[]): string | undefined {
  const [first] = parts;
  const isOneValue = parts.every((part) => (typeof part === 'string' ? !separator.test(part) : part.holds === 'value'));
  if ((typeof first === 'string' && first !== '') || isOneValue) return undefined;
  return 'its keys begin with a value, so that entries of others may look like them: begin "key" with a text, or set "prefix"';
}
