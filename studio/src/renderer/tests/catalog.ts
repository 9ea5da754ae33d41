import type { LanguageClient } from '../language/language-client.ts';
import { Store } from '../state/store.ts';

/** A test as it is written now, also in text that is not saved. */
export interface WrittenTest {
  /** The same while file and name are: `tests/a.hcl`, its name, and which of that name. */
  readonly id: string;
  readonly file: string;
  readonly name: string;
  /** Offsets of its label. */
  readonly start: number;
  readonly end: number;
}

/** Milliseconds without a check after which the tests are asked for. */
const pause = 100;

/** Every test of the project, asked again after each check. */
export class TestCatalog {
  readonly tests = new Store<readonly WrittenTest[]>([]);
  readonly #language: Pick<LanguageClient, 'ask' | 'checked'>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(language: Pick<LanguageClient, 'ask' | 'checked'>) {
    this.#language = language;
    language.checked.subscribe(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.refresh().catch(() => undefined), pause);
    });
  }

  /** Asks for the tests as they are now. */
  async refresh(): Promise<readonly WrittenTest[]> {
    const symbols = await this.#language.ask('workspaceSymbols', ['test']);
    const names = new NumberedNames();
    const tests = symbols
      .filter(({ kind, file }) => kind === 'test' && file.startsWith('tests/'))
      .sort((a, b) => a.file.localeCompare(b.file) || a.range.start - b.range.start)
      .map(({ name, file, range: { start, end } }) => ({ id: names.idOf(file, name), file, name, start, end }));
    this.tests.set(tests);
    return tests;
  }

  /** The test that an offset of a file is in, or the first one below it. */
  at(file: string, offset: number): WrittenTest | undefined {
    const own = this.tests.value.filter((each) => each.file === file);
    return own.findLast(({ start }) => start - headLength <= offset) ?? own[0];
  }
}

/** Characters of `test ` before the label. */
const headLength = 6;

/** Names of tests, each with its number among those of its name in one file. */
export class NumberedNames {
  readonly #taken = new Map<string, number>();

  idOf(file: string, name: string): string {
    const key = `${file}\n${name}`;
    const count = (this.#taken.get(key) ?? 0) + 1;
    this.#taken.set(key, count);
    return `${key}\n${count}`;
  }
}
