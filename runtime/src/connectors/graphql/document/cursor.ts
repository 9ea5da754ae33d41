/** What is wrong with a document, and where; line and column are counted from 1. */
export interface DocumentProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Ends the reading of a document. */
export class Malformed extends Error {
  readonly problem: DocumentProblem;

  constructor(problem: DocumentProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Levels of selections, lists and objects in each other. */
const deepest = 200;

const ignored = /(?:[\uFEFF\t \n\r,]|#[^\n\r]*)*/y;
const name = /[_A-Za-z]\w*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const blockText = /"""(?:\\"""|(?!\\?""")[\s\S])*"""/y;
const text = /"(?:[^"\\\n\r\x00-\x08\x0b\x0c\x0e-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}))*"/y;
const punctuation = /\.\.\.|[!$&()=@[\]{|}:]/y;

type Kind = 'name' | 'number' | 'string' | 'punctuation' | 'end';

/** The tokens of a document, one after another. Its methods throw `Malformed`. */
export class Cursor {
  readonly #text: string;
  #at = 0;
  #token = '';
  #depth = 0;
  kind: Kind = 'end';
  /** What was found on the way. */
  used: { readonly variables: Set<string>; readonly fragments: Set<string> } | undefined;

  constructor(document: string) {
    this.#text = document;
    this.next();
  }

  get isAtEnd(): boolean {
    return this.kind === 'end';
  }

  next(): void {
    this.#at += this.#token.length;
    this.#at += this.#match(ignored)?.length ?? 0;
    if (this.#at === this.#text.length) return this.#set('end', '');
    const string = this.#match(blockText) ?? (this.#text.startsWith('"""', this.#at) ? undefined : this.#match(text));
    if (string !== undefined) return this.#set('string', string);
    for (const [kind, pattern] of [
      ['name', name],
      ['number', number],
      ['punctuation', punctuation],
    ] as const) {
      const found = this.#match(pattern);
      if (found !== undefined) return this.#set(kind, found);
    }
    this.#token = '';
    this.fail(
      this.#text[this.#at] === '"'
        ? 'a text does not end'
        : `${this.#shown(this.#text[this.#at] ?? '')} means nothing here`,
    );
  }

  is(token: string): boolean {
    return this.kind === 'punctuation' && this.#token === token;
  }

  isName(word: string): boolean {
    return this.kind === 'name' && this.#token === word;
  }

  skip(token: string): boolean {
    const found = this.is(token);
    if (found) this.next();
    return found;
  }

  expect(token: string): void {
    if (!this.skip(token)) this.unexpected(token);
  }

  name(): string {
    const token = this.#token;
    if (this.kind !== 'name') this.unexpected('a name');
    this.next();
    return token;
  }

  /** Reads what is one level deeper. */
  within<T>(read: () => T): T {
    if (++this.#depth > deepest) this.fail(`the document is nested deeper than ${deepest} levels`);
    const result = read();
    this.#depth--;
    return result;
  }

  unexpected(expected: string): never {
    return this.fail(
      `${this.isAtEnd ? 'the document ends' : `${this.#shown(this.#token)} is written`} where ${expected} is expected`,
    );
  }

  fail(message: string): never {
    const before = this.#text.slice(0, this.#at).split(/\r\n|\n|\r/);
    throw new Malformed({ message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  }

  #shown(token: string): string {
    return JSON.stringify(token.length > 40 ? `${token.slice(0, 40)}…` : token);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #set(kind: Kind, token: string): void {
    this.kind = kind;
    this.#token = token;
  }
}
