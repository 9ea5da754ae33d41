import type { Expression } from './ast.ts';
import { Lexer, type TokenKind } from './lexer.ts';

/** Brackets, calls and operators may be nested this deep. */
const deepestNesting = 250;
/** A tree may be this high, which limits chains such as `a + b + …` and `a.b.c…`. */
const highestTree = 500;

/** What reading an expression needs besides its grammar: recovery after an error, and limits. */
export class ExpressionReader {
  protected readonly lexer: Lexer;
  /** Height of the tree that was read last. */
  protected height = 0;
  /** Set when a limit is hit: nothing more is read, and one problem is enough. */
  protected givenUp = false;
  #nesting = 0;

  constructor(source: string) {
    this.lexer = new Lexer(source);
  }

  /** Goes one level deeper, or gives up where the limit is. */
  protected nested(read: () => Expression): Expression {
    if (this.#nesting >= deepestNesting)
      return this.giveUp(`the expression is nested deeper than ${deepestNesting} levels`);
    this.#nesting++;
    const result = read();
    this.#nesting--;
    return result;
  }

  /** Elements between brackets, the opening one read already. Commas separate them; lists and maps may end with one. */
  protected sequence(close: ')' | ']' | '}', element: () => void): void {
    const lexer = this.lexer;
    while (!this.is(close) && !this.is('end')) {
      const before = lexer.start;
      element();
      if (this.is(',')) {
        lexer.advance();
        if (close === ')' && this.is(')')) element();
        continue;
      }
      if (this.is('end') || isClosing(lexer.kind)) break;
      this.unexpected(`a "," or "${close}" is missing before ${JSON.stringify(lexer.text)}`);
      if (!startsOperand(lexer.kind) || lexer.start === before) lexer.advance();
    }
    this.expect(close, `the closing "${close}" is missing`);
  }

  protected is(kind: TokenKind): boolean {
    return this.lexer.kind === kind;
  }

  protected expect(kind: TokenKind, message: string): void {
    if (this.lexer.kind === kind) this.lexer.advance();
    else if (!this.givenUp) this.lexer.problem(message);
  }

  protected unexpected(message = `${JSON.stringify(this.lexer.text)} is not expected here`): void {
    if (!this.givenUp) this.lexer.problem(message);
  }

  protected grown<T extends Expression>(height: number, node: T): Expression {
    this.height = Math.max(this.height, height) + 1;
    return this.height <= highestTree ? node : this.giveUp('the expression is too long; split it into several');
  }

  /** Ends the reading: everything after this place is skipped. */
  protected giveUp(message: string): Expression {
    const { start, end } = this.lexer;
    if (!this.givenUp) this.lexer.problem(message);
    this.givenUp = true;
    this.lexer.skipToEnd();
    this.height = 1;
    return { kind: 'missing', start, end };
  }
}

export function startsOperand(kind: TokenKind): boolean {
  return (
    kind === 'literal' ||
    kind === 'name' ||
    kind === '(' ||
    kind === '[' ||
    kind === '{' ||
    kind === '!' ||
    kind === '-'
  );
}

function isClosing(kind: TokenKind): boolean {
  return kind === ')' || kind === ']' || kind === '}';
}
