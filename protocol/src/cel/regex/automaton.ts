import { Alphabet, assemble, type Instruction } from './program.ts';
import type { CharacterRanges } from './ranges.ts';
import type { Assertion, RegexNode } from './syntax.ts';

/** What precedes or follows a place. */
type Surrounding = 'end' | 'line-break' | 'word' | 'other';

/** A set of instructions that wait at one place of the text. Successors are found when they are first needed. */
interface State {
  readonly waiting: readonly number[];
  readonly before: Surrounding;
  /** Whether the text matches whatever follows. */
  readonly accepts: boolean;
  /** By class of the next character; the last one is for the end of the text. */
  readonly next: (State | undefined)[];
}

/** States kept; beyond, all are forgotten and built again as needed. */
const mostStates = 2000;

/**
 * Searches a text for a match in one pass: a deterministic automaton that is built while texts are read. Its time is
 * linear in the text whatever the pattern, and its memory is bounded.
 */
export class Automaton {
  readonly #instructions: readonly Instruction[];
  readonly #alphabet: Alphabet;
  readonly #start: readonly number[];
  /** Whether a match can only start at the start of the text. */
  readonly #anchored: boolean;
  /** Instructions seen by the current search, marked with its number. */
  readonly #marks: Float64Array;
  #mark = 0;
  #states = new Map<string, State>();
  #first: State;

  constructor(node: RegexNode) {
    const { instructions, start } = assemble(node);
    this.#instructions = instructions;
    this.#alphabet = new Alphabet(instructions);
    this.#marks = new Float64Array(instructions.length);
    this.#start = this.#reach([start]);
    this.#anchored = this.#start.every((at) => {
      const instruction = instructions[at] as Instruction;
      return instruction.kind === 'assertion' && instruction.assertion === 'text-start';
    });
    this.#first = this.#state(this.#start, 'end');
  }

  get size(): number {
    return this.#instructions.length;
  }

  test(text: string, spend?: (steps: number) => void): boolean {
    let state = this.#first;
    for (let at = 0; at < text.length; at++) {
      if (state.accepts) return true;
      if (state.waiting.length === 0) return false;
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code <= 0xdbff) {
        code = text.codePointAt(at) as number;
        if (code > 0xffff) at++;
      }
      const symbol = this.#alphabet.classOf(code);
      state = state.next[symbol] ?? this.#advance(state, symbol, spend);
    }
    if (state.accepts) return true;
    const { size } = this.#alphabet;
    return (state.next[size] ?? this.#advance(state, size, spend)).accepts;
  }

  /** The state after one more character, or after the end of the text. */
  #advance(state: State, symbol: number, spend?: (steps: number) => void): State {
    spend?.(1 + state.waiting.length + this.#alphabet.size);
    const atEnd = symbol === this.#alphabet.size;
    const code = atEnd ? -1 : this.#alphabet.sample(symbol);
    const after = atEnd ? 'end' : surroundingOf(code);
    const ready = this.#reach(state.waiting, (assertion) => holds(assertion, state.before, after));
    let next: State;
    if (ready.includes(0)) next = this.#state([0], after);
    else {
      const targets: number[] = [];
      for (const at of ready) {
        const instruction = this.#instructions[at] as Instruction;
        if (!atEnd && instruction.kind === 'character' && isIn(instruction.ranges, code))
          targets.push(instruction.next);
      }
      if (!this.#anchored && !atEnd) targets.push(...this.#start);
      next = this.#state(this.#reach(targets), after);
    }
    if (this.#states.size > mostStates) this.#forget();
    state.next[symbol] = next;
    return next;
  }

  #forget(): void {
    this.#states = new Map();
    this.#first = this.#state(this.#start, 'end');
  }

  #state(waiting: readonly number[], before: Surrounding): State {
    // Numbers of instructions fit into one UTF-16 unit each.
    const key = before + String.fromCharCode(...waiting);
    let state = this.#states.get(key);
    if (!state) {
      state = {
        waiting,
        before,
        accepts: waiting.includes(0),
        next: new Array(this.#alphabet.size + 1).fill(undefined),
      };
      this.#states.set(key, state);
    }
    return state;
  }

  /** What can be reached without a character. Assertions wait, or are passed where they hold. */
  #reach(from: readonly number[], holdsHere?: (assertion: Assertion) => boolean): readonly number[] {
    const marks = this.#marks;
    const mark = ++this.#mark;
    const found: number[] = [];
    const open: number[] = [];
    for (const first of from) {
      for (let at: number | undefined = first; at !== undefined; at = open.pop()) {
        if (marks[at] === mark) continue;
        marks[at] = mark;
        const instruction = this.#instructions[at] as Instruction;
        if (instruction.kind === 'fork') open.push(instruction.second, instruction.first);
        else if (instruction.kind !== 'assertion' || !holdsHere) found.push(at);
        else if (holdsHere(instruction.assertion)) open.push(instruction.next);
      }
    }
    return found;
  }
}

function surroundingOf(code: number): Surrounding {
  if (code === 10) return 'line-break';
  const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
  return isWord ? 'word' : 'other';
}

function holds(assertion: Assertion, before: Surrounding, after: Surrounding): boolean {
  switch (assertion) {
    case 'text-start':
      return before === 'end';
    case 'text-end':
      return after === 'end';
    case 'line-start':
      return before === 'end' || before === 'line-break';
    case 'line-end':
      return after === 'end' || after === 'line-break';
    case 'word-edge':
      return (before === 'word') !== (after === 'word');
    case 'no-word-edge':
      return (before === 'word') === (after === 'word');
  }
}

function isIn(ranges: CharacterRanges, code: number): boolean {
  for (let at = 0; at < ranges.length; at += 2)
    if (code >= (ranges[at] as number) && code <= (ranges[at + 1] as number)) return true;
  return false;
}
