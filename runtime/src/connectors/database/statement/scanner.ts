/** The lexical rules of one engine, where engines differ. */
export interface Lexis {
  /** What begins a quoted name, and what ends it; an end that is doubled means itself, except `]`. */
  readonly names: Readonly<Record<string, string>>;
  /** What quotes a text. */
  readonly texts: string;
  /** Where a backslash escapes inside texts: nowhere, in those that begin with `E`, or in all of them. */
  readonly escapes: 'nowhere' | 'marked' | 'everywhere';
  /** What begins a comment that ends with its line; sticky. */
  readonly lineComment: RegExp;
  /** `nested`: a block comment may hold others. `code`: the content of those that begin with `!` is run. */
  readonly blockComments: 'plain' | 'nested' | 'code';
  /** `a[1:2]` and `ARRAY[...]`. */
  readonly subscripts: boolean;
  /** `ANY (...)` takes a list as one value. */
  readonly any: boolean;
  /** What begins a placeholder with a number: `?1`, `$1`. */
  readonly numbered: '?' | '$' | undefined;
  /** `?`, `?|` and `?&` are operators too. */
  readonly questions: boolean;
  /** `$tag$...$tag$` quotes a text. */
  readonly dollarQuotes: boolean;
  /** What begins a parameter that the engine knows and nothing here would bind. */
  readonly foreign: string;
  /** Names without quotes mean those in lower case. */
  readonly foldsNames: boolean;
}

/** What engines agree on, for statements whose engine is not known yet. */
export const commonLexis: Lexis = {
  names: { '"': '"' },
  texts: "'",
  escapes: 'nowhere',
  lineComment: /--/y,
  blockComments: 'plain',
  subscripts: true,
  any: true,
  numbered: undefined,
  questions: false,
  dollarQuotes: false,
  foreign: '',
  foldsNames: false,
};

/** Where a parameter is: in `IN (...)`, in `ANY (...)`, or anywhere else. */
export type Position = 'in' | 'any' | 'value';

/** One part of a statement, in written order; the texts of all pieces joined give the statement back. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'named'; readonly text: string; readonly name: string; readonly position: Position }
  /** A bare `?`: a placeholder when parameters come as a list, otherwise an operator where engines have it. */
  | { readonly kind: 'positional'; readonly text: string; readonly position: Position }
  /** `?1` or `$1`, counted from 1. */
  | { readonly kind: 'indexed'; readonly text: string; readonly index: number; readonly position: Position }
  /** `??`, which means one `?` operator when parameters come as a list. */
  | { readonly kind: 'operator'; readonly text: string }
  /** `@name` or `$name`, which nothing would bind. */
  | { readonly kind: 'foreign'; readonly text: string };

export interface Scan {
  readonly pieces: readonly Piece[];
  /** Bare words outside quotes and comments, in lower case. */
  readonly words: readonly string[];
  /** The words outside of brackets, and where each ends: those of the statement itself, not of its parts. */
  readonly outer: readonly { readonly word: string; readonly end: number }[];
  /** The text between semicolons, without statements that are empty or only a comment. */
  readonly statements: readonly { readonly text: string; readonly words: readonly string[] }[];
}

const wordStart = /[A-Za-z_\u0080-\uffff]/;
const wordPart = /[A-Za-z0-9_$\u0080-\uffff]/;
const nameStart = /[A-Za-z_]/;
const namePart = /[A-Za-z0-9_]/;
const digit = /[0-9]/;

/**
 * Splits SQL into text and parameters. Nothing inside string literals, quoted identifiers, comments and dollar quotes
 * is a parameter, nor are casts (`::text`), the operators `?|` and `?&`, and bounds of array slices (`a[lo:hi]`).
 * Never fails: what is not closed runs to the end, and the database says so.
 */
export function scan(sql: string, lexis: Lexis): Scan {
  return new Scanner(sql, lexis).scan();
}

/** The names of parameters, each once, in written order. */
export function namesIn({ pieces }: Pick<Scan, 'pieces'>): readonly string[] {
  return [...new Set(pieces.flatMap((piece) => (piece.kind === 'named' ? piece.name : [])))];
}

class Scanner {
  private readonly sql: string;
  private readonly lexis: Lexis;
  private at = 0;
  private textStart = 0;
  private readonly pieces: Piece[] = [];
  private readonly words: string[] = [];
  private readonly outer: { word: string; end: number }[] = [];
  private readonly statements: { text: string; words: readonly string[] }[] = [];
  private statementStart = 0;
  private firstWord = 0;
  /** Something other than a comment or white space was seen since the last semicolon. */
  private substantial = false;
  /** What each open bracket holds. */
  private readonly open: ('in' | 'any' | 'group' | 'subscript')[] = [];

  constructor(sql: string, lexis: Lexis) {
    this.sql = sql;
    this.lexis = lexis;
  }

  scan(): Scan {
    while (this.at < this.sql.length) this.at = this.next();
    this.endText();
    this.endStatement();
    return { pieces: this.pieces, words: this.words, outer: this.outer, statements: this.statements };
  }

  private next(): number {
    const { sql, at, lexis } = this;
    const char = sql[at] as string;
    const after = sql[at + 1] ?? '';
    if (/\s/.test(char)) return this.step(1);
    lexis.lineComment.lastIndex = at;
    if (lexis.lineComment.test(sql)) return this.skipLine();
    if (char === '/' && after === '*') {
      const code = lexis.blockComments === 'code' ? /^\/\*M?!\d*/.exec(sql.slice(at, at + 12))?.[0] : undefined;
      return code === undefined ? this.skipComment() : this.step(code.length);
    }
    if (char === ';') {
      this.endStatement();
      this.statementStart = at + 1;
      return this.step(1);
    }
    this.substantial = true;
    if (wordStart.test(char)) return this.word();
    if (digit.test(char)) return this.number();
    if (lexis.texts.includes(char)) return this.quoted(char, this.escapes());
    const close = lexis.names[char];
    if (close !== undefined) return close === char ? this.quoted(char, false) : this.bracketed(close);
    switch (char) {
      case '[':
        return lexis.subscripts ? this.openBracket('subscript') : this.step(1);
      case '(':
        return this.openBracket(this.groupKind());
      case ')':
      case ']':
        this.open.pop();
        return this.step(1);
      case ':':
        return this.colon(after);
      case '?':
        return this.question(after);
      case '$':
        return this.dollar(after);
      default:
        return this.foreign(after);
    }
  }

  private step(count: number): number {
    return this.at + count;
  }

  /** Where characters of this kind end. */
  private end(from: number, kind: RegExp): number {
    let at = from;
    while (at < this.sql.length && kind.test(this.sql[at] as string)) at++;
    return at;
  }

  private word(): number {
    const end = this.end(this.at, wordPart);
    const word = this.sql.slice(this.at, end).toLowerCase();
    this.words.push(word);
    if (this.open.length === 0) this.outer.push({ word, end });
    return end;
  }

  /** A number swallows what is glued to it, so that `12:30` in a broken literal is not a parameter. */
  private number(): number {
    return this.end(this.at, /[0-9A-Za-z_.]/);
  }

  /** Whether a backslash escapes in the text that begins here: one of `E'...'`, or any. */
  private escapes(): boolean {
    const { escapes } = this.lexis;
    if (escapes !== 'marked') return escapes === 'everywhere';
    if (!/[eE]/.test(this.sql[this.at - 1] ?? '')) return false;
    return !wordPart.test(this.sql[this.at - 2] ?? '');
  }

  private quoted(quote: string, escapes: boolean): number {
    let at = this.at + 1;
    for (; at < this.sql.length; at++) {
      const char = this.sql[at];
      if (escapes && char === '\\') at++;
      else if (char === quote) {
        if (this.sql[at + 1] !== quote) break;
        at++;
      }
    }
    return at + 1;
  }

  private bracketed(close: string): number {
    const end = this.sql.indexOf(close, this.at);
    return end < 0 ? this.sql.length : end + 1;
  }

  private skipLine(): number {
    const end = this.sql.indexOf('\n', this.at);
    return end < 0 ? this.sql.length : end + 1;
  }

  private skipComment(): number {
    let depth = 1;
    let at = this.at + 2;
    for (; at < this.sql.length && depth > 0; at++) {
      if (this.sql.startsWith('*/', at)) {
        depth--;
        at++;
      } else if (this.lexis.blockComments === 'nested' && this.sql.startsWith('/*', at)) {
        depth++;
        at++;
      }
    }
    return at;
  }

  private openBracket(kind: 'in' | 'any' | 'group' | 'subscript'): number {
    this.open.push(kind);
    return this.step(1);
  }

  private groupKind(): 'in' | 'any' | 'group' {
    const before = this.sql.slice(Math.max(0, this.at - 64), this.at).trimEnd();
    if (/(^|[^A-Za-z0-9_$"])in$/i.test(before)) return 'in';
    return this.lexis.any && /(^|[^A-Za-z0-9_$"])(any|all|some)$/i.test(before) ? 'any' : 'group';
  }

  private position(): Position {
    const inner = this.open.at(-1);
    return inner === 'in' || inner === 'any' ? inner : 'value';
  }

  private colon(after: string): number {
    if (after === ':') return this.step(2);
    const slice = this.open.at(-1) === 'subscript' && /[A-Za-z0-9_$\])"]/.test(this.sql[this.at - 1] ?? '');
    if (!nameStart.test(after) || slice) return this.step(1);
    const start = this.at + 1;
    const end = this.end(start, namePart);
    return this.piece({
      kind: 'named',
      text: this.sql.slice(this.at, end),
      name: this.sql.slice(start, end),
      position: this.position(),
    });
  }

  private question(after: string): number {
    const position = this.position();
    const { numbered, questions } = this.lexis;
    if (!questions) {
      const digits = numbered === '?' ? /^\d+/.exec(this.sql.slice(this.at + 1, this.at + 8))?.[0] : undefined;
      if (digits !== undefined)
        return this.piece({ kind: 'indexed', text: `?${digits}`, index: Number(digits), position });
      return this.piece({ kind: 'positional', text: '?', position });
    }
    if (after === '?') return this.piece({ kind: 'operator', text: '??' });
    const next = this.sql[this.at + 2] ?? '';
    if ((after === '|' || after === '&') && next !== after) return this.step(2);
    return this.piece({ kind: 'positional', text: '?', position });
  }

  private dollar(after: string): number {
    const { numbered, dollarQuotes } = this.lexis;
    const rest = this.sql.slice(this.at, this.at + 80);
    const digits = numbered === '$' ? /^\$(\d{1,6})/.exec(rest)?.[1] : undefined;
    if (digits !== undefined) {
      return this.piece({ kind: 'indexed', text: `$${digits}`, index: Number(digits), position: this.position() });
    }
    if (!dollarQuotes) return this.foreign(after);
    const tag = /^\$([A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(rest)?.[0];
    if (tag === undefined) return this.step(1);
    const end = this.sql.indexOf(tag, this.at + tag.length);
    return end < 0 ? this.sql.length : end + tag.length;
  }

  private foreign(after: string): number {
    if (!this.lexis.foreign.includes(this.sql[this.at] as string) || !nameStart.test(after)) return this.step(1);
    const end = this.end(this.at + 1, namePart);
    return this.piece({ kind: 'foreign', text: this.sql.slice(this.at, end) });
  }

  private piece(piece: Piece): number {
    this.endText();
    this.pieces.push(piece);
    this.textStart = this.at + piece.text.length;
    return this.textStart;
  }

  private endText(): void {
    if (this.at > this.textStart) this.pieces.push({ kind: 'text', text: this.sql.slice(this.textStart, this.at) });
  }

  private endStatement(): void {
    if (this.substantial) {
      const text = this.sql.slice(this.statementStart, this.at).trim();
      this.statements.push({ text, words: this.words.slice(this.firstWord) });
    }
    this.firstWord = this.words.length;
    this.substantial = false;
  }
}
