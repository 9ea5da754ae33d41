import { RegexSyntaxError } from './parse.ts';
import { type CharacterRanges, lastCodePoint } from './ranges.ts';
import type { Assertion, RegexNode } from './syntax.ts';

/** One instruction of a non-deterministic automaton; `next` are the numbers of those that follow. */
export type Instruction =
  | { readonly kind: 'character'; readonly ranges: CharacterRanges; next: number }
  | { readonly kind: 'fork'; first: number; second: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; next: number }
  | { readonly kind: 'match' };

/** More than this is refused: the time per character of the text grows with it. */
const mostInstructions = 10_000;

/**
 * Builds the automaton of a tree. The last instruction made is the first to run. Throws RegexSyntaxError when it is too
 * large.
 */
export function assemble(node: RegexNode): { readonly instructions: readonly Instruction[]; readonly start: number } {
  const instructions: Instruction[] = [{ kind: 'match' }];
  const add = (instruction: Instruction): number => {
    if (instructions.length >= mostInstructions) throw new RegexSyntaxError('the pattern is too large', 0);
    return instructions.push(instruction) - 1;
  };

  /** The instruction at which `part` starts when `next` follows it. */
  const before = (part: RegexNode, next: number): number => {
    switch (part.kind) {
      case 'characters':
        return add({ kind: 'character', ranges: part.ranges, next });
      case 'assertion':
        return add({ kind: 'assertion', assertion: part.assertion, next });
      case 'sequence':
        return part.parts.reduceRight((following, piece) => before(piece, following), next);
      case 'choice':
        return part.parts
          .map((piece) => before(piece, next))
          .reduceRight((second, first) => add({ kind: 'fork', first, second }));
      case 'repeat':
        return repeat(part.part, part.least, part.most, next);
    }
  };

  const repeat = (part: RegexNode, least: number, most: number, next: number): number => {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      const fork: Instruction = { kind: 'fork', first: next, second: next };
      start = add(fork);
      fork.first = before(part, start);
    } else {
      for (let count = least; count < most; count++)
        start = add({ kind: 'fork', first: before(part, start), second: next });
    }
    for (let count = 0; count < least; count++) start = before(part, start);
    return start;
  };

  const start = before(node, 0);
  return { instructions, start };
}

/** Divides all code points into classes that no instruction distinguishes. */
export class Alphabet {
  /** The first code point of each class. */
  readonly #starts: readonly number[];
  readonly #ascii = new Uint16Array(128);

  constructor(instructions: readonly Instruction[]) {
    // Assertions look at line breaks and word characters.
    const starts = new Set([0, 10, 11, 48, 58, 65, 91, 95, 96, 97, 123]);
    for (const instruction of instructions) {
      if (instruction.kind !== 'character') continue;
      for (let at = 0; at < instruction.ranges.length; at += 2) {
        starts.add(instruction.ranges[at] as number);
        starts.add((instruction.ranges[at + 1] as number) + 1);
      }
    }
    starts.delete(lastCodePoint + 1);
    this.#starts = [...starts].sort((one, two) => one - two);
    for (let code = 0; code < 128; code++) this.#ascii[code] = this.#search(code);
  }

  get size(): number {
    return this.#starts.length;
  }

  classOf(code: number): number {
    return code < 128 ? (this.#ascii[code] as number) : this.#search(code);
  }

  /** A code point that represents the whole class. */
  sample(index: number): number {
    return this.#starts[index] as number;
  }

  #search(code: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= code) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
