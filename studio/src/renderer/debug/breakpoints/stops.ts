import type { LanguageClient } from '../../language/language-client.ts';
import { partOfStudio } from '../../shell/studio.ts';
import { Store } from '../../state/store.ts';
import { debugOf } from '../session/session.ts';
import { type Breakpoints, keyOf, type StopPlace } from './breakpoints.ts';

/** A place where a flow of the project can stop, with where it is written in the text. */
export interface StopAt extends StopPlace {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly line: number;
  /** The first word of its line: the target of a rule, the word of a block. */
  readonly word: string;
}

/**
 * Every place where the project can stop, asked again after each check. Breakpoints follow their rule: when rules were
 * written or removed before it, the breakpoint moves to the number that the rule has now.
 */
export class Stops {
  readonly all = new Store<readonly StopAt[]>([]);
  readonly #language: Pick<LanguageClient, 'ask' | 'checked'>;
  readonly #breakpoints: Breakpoints;
  /** Stops by where and as what they are written. */
  #shared = new Map<string, readonly StopAt[]>();
  /** Texts of the files with stops, as of the last refresh. */
  #texts: ReadonlyMap<string, string> = new Map();

  constructor(language: Pick<LanguageClient, 'ask' | 'checked'>, breakpoints: Breakpoints) {
    this.#language = language;
    this.#breakpoints = breakpoints;
    breakpoints.sharing = (place) => this.sharing(place);
    language.checked.subscribe(() => void this.refresh().catch(() => undefined));
  }

  of(file: string): readonly StopAt[] {
    return this.all.value.filter((stop) => stop.file === file);
  }

  find(place: StopPlace): StopAt | undefined {
    const key = keyOf(place);
    return this.all.value.find((stop) => keyOf(stop) === key) ?? this.all.value.find((stop) => isAnyBlock(stop, place));
  }

  /** The places of all flows that are the same text as this one, itself among them; empty when it is not known. */
  sharing(place: StopPlace): readonly StopAt[] {
    const key = keyOf(place);
    const stop = this.all.value.find((each) => keyOf(each) === key);
    return stop === undefined ? [] : (this.#shared.get(textOf(stop)) ?? []);
  }

  /** The line of an offset, from 1; undefined in a file without stops. */
  lineOf(file: string, offset: number): number | undefined {
    const text = this.#texts.get(file);
    return text === undefined ? undefined : lineOf(text, offset).line;
  }

  /** What a breakpoint in a line means: what begins there, else what begins next; the outermost when several do. */
  onLine(file: string, line: number): StopAt | undefined {
    const below = this.of(file).filter((stop) => stop.line >= line);
    const own = Math.min(...below.map((stop) => stop.line));
    const candidates = below.filter((stop) => stop.line === own);
    return candidates.find(({ ruleIndex }) => ruleIndex === -1) ?? candidates[0];
  }

  /** Asks for the texts as they are now; until then, places of the check before are known. */
  async refresh(): Promise<void> {
    const stops = await this.#language.ask('stops', []);
    const texts = new Map<string, string>();
    for (const file of new Set(stops.map((stop) => stop.file)))
      texts.set(file, (await this.#language.ask('text', [file])) ?? '');
    const next = stops.map(({ range, ruleIndex = -1, ...stop }): StopAt => {
      const text = texts.get(stop.file) as string;
      return { ...stop, ruleIndex, start: range.start, end: range.end, ...lineOf(text, range.start) };
    });
    const before = this.all.value;
    this.#texts = texts;
    this.#shared = Map.groupBy(next, textOf);
    this.all.set(next);
    this.#follow(before, next);
    this.#share();
  }

  /** A flow that an aspect matches now has its breakpoints too. */
  #share(): void {
    const { marks } = this.#breakpoints;
    for (const mark of marks.value.values())
      if (this.sharing(mark).some((stop) => !marks.value.has(keyOf(stop)))) this.#breakpoints.set(mark);
  }

  #follow(before: readonly StopAt[], now: readonly StopAt[]): void {
    const wordsBefore = new Map(before.map((stop) => [keyOf(stop), stop.word]));
    const wordsNow = new Map(now.map((stop) => [keyOf(stop), stop.word]));
    const moves = [...this.#breakpoints.marks.value.values()].flatMap((mark) => {
      const word = wordsBefore.get(keyOf(mark));
      if (mark.ruleIndex < 0 || word === undefined || wordsNow.get(keyOf(mark)) === word) return [];
      const to = now.find((stop) => isSameBlock(stop, mark) && stop.ruleIndex >= 0 && stop.word === word);
      return to === undefined ? [] : [{ mark, to }];
    });
    for (const { mark } of moves) this.#breakpoints.remove(mark);
    for (const { mark, to } of moves) this.#breakpoints.set({ ...mark, ruleIndex: to.ruleIndex });
  }
}

function textOf({ file, start, stage, ruleIndex }: StopAt): string {
  return [file, start, stage, ruleIndex].join('\u0000');
}

function isSameBlock(left: StopPlace, right: StopPlace): boolean {
  return left.flow === right.flow && left.stage === right.stage && left.name === right.name;
}

/** A breakpoint without a name means every block of its stage. */
function isAnyBlock(stop: StopPlace, { flow, stage, name, ruleIndex }: StopPlace): boolean {
  return name === '' && stop.flow === flow && stop.stage === stage && stop.ruleIndex === ruleIndex;
}

function lineOf(text: string, offset: number): { readonly line: number; readonly word: string } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { line, word: /^\s*([\w-]+)/.exec(text.slice(start, start + 200))?.[1] ?? '' };
}

/** Every place where a flow can stop. */
export const stopsOf = partOfStudio((studio) => new Stops(studio.language, debugOf(studio).breakpoints));
