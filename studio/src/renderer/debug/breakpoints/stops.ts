import { LineIndex } from '@svc/protocol/text';
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
  #byFile = new Map<string, readonly StopAt[]>();
  #byKey: ReadonlyMap<string, StopAt> = new Map();
  /** Lines of the files with stops, as of the last refresh. */
  #lines: ReadonlyMap<string, LineIndex> = new Map();

  constructor(language: Pick<LanguageClient, 'ask' | 'checked'>, breakpoints: Breakpoints) {
    this.#language = language;
    this.#breakpoints = breakpoints;
    breakpoints.sharing = (place) => this.sharing(place);
    language.checked.subscribe(() => void this.refresh().catch(() => undefined));
  }

  of(file: string): readonly StopAt[] {
    return this.#byFile.get(file) ?? [];
  }

  find(place: StopPlace): StopAt | undefined {
    return this.#byKey.get(keyOf(place)) ?? this.all.value.find((stop) => isAnyBlock(stop, place));
  }

  /** The places of all flows that are the same text as this one, itself among them; empty when it is not known. */
  sharing(place: StopPlace): readonly StopAt[] {
    const stop = this.#byKey.get(keyOf(place));
    return stop === undefined ? [] : (this.#shared.get(textOf(stop)) ?? []);
  }

  /** The line of an offset, from 1; undefined in a file without stops. */
  lineOf(file: string, offset: number): number | undefined {
    return this.#lines.get(file)?.position(offset).line;
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
    const files = [...new Set(stops.map((stop) => stop.file))];
    const lines = new Map(await Promise.all(files.map(async (file) => [file, await this.#linesOf(file)] as const)));
    const next = stops.map(({ range, ruleIndex = -1, ...stop }): StopAt => {
      const index = lines.get(stop.file) as LineIndex;
      const { line } = index.position(range.start);
      return { ...stop, ruleIndex, start: range.start, end: range.end, line, word: firstWord(index.line(line)) };
    });
    const before = this.all.value;
    this.#lines = lines;
    this.#shared = Map.groupBy(next, textOf);
    this.#byFile = Map.groupBy(next, ({ file }) => file);
    // Of several with one key the first counts.
    this.#byKey = new Map(next.toReversed().map((stop) => [keyOf(stop), stop]));
    this.all.set(next);
    this.#follow(before, next);
    this.#share();
  }

  async #linesOf(file: string): Promise<LineIndex> {
    const text = (await this.#language.ask('text', [file])) ?? '';
    const known = this.#lines.get(file);
    return known?.text === text ? known : new LineIndex(text);
  }

  /** A flow that an aspect matches now has its breakpoints too. */
  #share(): void {
    const { marks } = this.#breakpoints;
    for (const mark of marks.value.values())
      if (this.sharing(mark).some((stop) => !marks.value.has(keyOf(stop)))) this.#breakpoints.set(mark);
  }

  #follow(before: readonly StopAt[], now: readonly StopAt[]): void {
    const rules = [...this.#breakpoints.marks.value.values()].filter(({ ruleIndex }) => ruleIndex >= 0);
    if (rules.length === 0) return;
    const wordsBefore = new Map(before.map((stop) => [keyOf(stop), stop.word]));
    const wordsNow = new Map(now.map((stop) => [keyOf(stop), stop.word]));
    const moves = rules.flatMap((mark) => {
      const word = wordsBefore.get(keyOf(mark));
      if (word === undefined || wordsNow.get(keyOf(mark)) === word) return [];
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

function firstWord(line: string): string {
  return /^\s*([\w-]+)/.exec(line)?.[1] ?? '';
}

/** Every place where a flow can stop. */
export const stopsOf = partOfStudio((studio) => new Stops(studio.language, debugOf(studio).breakpoints));
