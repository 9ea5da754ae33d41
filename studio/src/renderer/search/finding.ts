import { globsOf } from '../../shared/globs.ts';
import type { Bridge, SearchMatch } from '../../shared/services.ts';
import type { Project } from '../project/project.ts';
import { Store } from '../state/store.ts';

export interface SearchOptions {
  readonly text: string;
  readonly regex: boolean;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
  /** Patterns of the files that are searched, and of those that are not; see `globsOf`. */
  readonly include?: string | undefined;
  readonly exclude?: string | undefined;
}

export interface FoundFile {
  readonly path: string;
  readonly matches: readonly SearchMatch[];
}

export interface FindingState {
  readonly isBusy: boolean;
  readonly files: readonly FoundFile[];
  readonly count: number;
  /** There are more matches than are shown. */
  readonly truncated: boolean;
  /** Why it cannot be searched for, such as a wrong expression. */
  readonly refusal: string | undefined;
  /** What was searched for; undefined before the first time. */
  readonly options: SearchOptions | undefined;
}

const nothing: FindingState = {
  isBusy: false,
  files: [],
  count: 0,
  truncated: false,
  refusal: undefined,
  options: undefined,
};

/** Milliseconds without typing after which a search begins. */
const pause = 200;
const mostShown = 400;

/** Finds text in the files of the project; files with unsaved text are searched as they are in the window. */
export class Finding {
  readonly options = new Store<SearchOptions>({ text: '', regex: false, matchCase: false, wholeWord: false });
  readonly state = new Store<FindingState>(nothing);
  readonly #bridge: Pick<Bridge, 'call'>;
  readonly #project: Pick<Project, 'documents' | 'dirty'>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #run = 0;

  constructor(bridge: Pick<Bridge, 'call'>, project: Pick<Project, 'documents' | 'dirty'>) {
    this.#bridge = bridge;
    this.#project = project;
    this.options.subscribe(() => this.#schedule());
  }

  /** Searches again, at once. */
  async search(): Promise<void> {
    clearTimeout(this.#timer);
    const run = ++this.#run;
    const options = this.options.value;
    if (options.text === '') return this.state.set(nothing);
    this.state.patch({ isBusy: true, refusal: undefined });
    try {
      const { matches, truncated } = await this.#bridge.call('files.search', options);
      if (run !== this.#run) return;
      const files = this.#withUnsaved(byFile(matches), options);
      const count = files.reduce((sum, { matches: found }) => sum + found.length, 0);
      this.state.set({ isBusy: false, files, count, truncated, refusal: undefined, options });
    } catch (error) {
      if (run !== this.#run) return;
      this.state.set({ ...nothing, options, refusal: error instanceof Error ? error.message : String(error) });
    }
  }

  clear(): void {
    this.options.patch({ text: '' });
    clearTimeout(this.#timer);
    this.#run++;
    this.state.set(nothing);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.search(), pause);
  }

  #withUnsaved(files: readonly FoundFile[], options: SearchOptions): readonly FoundFile[] {
    const { documents, dirty } = this.#project;
    const saved = files.filter(({ path }) => !dirty.value.has(path));
    const [isIncluded, isExcluded] = [globsOf(options.include), globsOf(options.exclude)];
    const unsaved = [...dirty.value].flatMap((path): FoundFile[] => {
      if (isIncluded?.(path) === false || isExcluded?.(path) === true) return [];
      const document = documents.value.get(path);
      const matches = document ? findInLines(path, document.text.split(/\r\n|\r|\n/), options) : [];
      return matches.length === 0 ? [] : [{ path, matches }];
    });
    return [...saved, ...unsaved].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

export function byFile(matches: readonly SearchMatch[]): readonly FoundFile[] {
  return [...Map.groupBy(matches, ({ path }) => path)].map(([path, found]) => ({ path, matches: found }));
}

/** Finds as the host does, in lines that are not on disk. */
export function findInLines(path: string, lines: readonly string[], options: SearchOptions): readonly SearchMatch[] {
  const pattern = patternOf(options);
  return lines.flatMap((line, index) =>
    [...line.matchAll(pattern)].flatMap((match): SearchMatch[] => {
      const end = match.index + match[0].length;
      if (match[0] === '') return [];
      return [{ path, line: index + 1, start: match.index, end, text: excerpt(line, match.index, end) }];
    }),
  );
}

export function patternOf({ text, regex, matchCase, wholeWord }: SearchOptions): RegExp {
  const source = regex ? text : text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const whole = wholeWord ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  return new RegExp(whole, matchCase ? 'gu' : 'giu');
}

/** The line, cut around the match as the host cuts it. */
function excerpt(line: string, start: number, end: number): string {
  if (line.length <= mostShown) return line;
  const from = Math.max(0, Math.min(start - middleFor(end - start), line.length - mostShown));
  return line.slice(from, from + mostShown);
}

function middleFor(matched: number): number {
  return Math.max(0, (mostShown - matched) >> 1);
}

/** The shown line in three parts: before the match, the match, behind it; indentation left out. */
export function partsOfLine(match: SearchMatch, options: SearchOptions): readonly [string, string, string] {
  const at = placeInExcerpt(match, options);
  const { text, start, end } = match;
  return [text.slice(0, at).trimStart(), text.slice(at, at + end - start), text.slice(at + end - start)];
}

/** An excerpt of a long line need not begin where the line does: the match is in its middle, or further at its end. */
function placeInExcerpt({ text, start, end, path }: SearchMatch, options: SearchOptions): number {
  const middle = middleFor(end - start);
  if (text.length < mostShown || start <= middle) return start;
  const found = findInLines(path, [text], options).filter((each) => each.end - each.start === end - start);
  return found.find((each) => each.start >= middle)?.start ?? middle;
}
