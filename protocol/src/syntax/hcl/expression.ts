import type { BinaryOperator, Expression, InvalidExpression, Name } from '../tree.ts';
import { AccessParser } from './access.ts';
import {
  CLOSE_PARENTHESIS,
  COLON,
  EQUALS,
  EXCLAMATION,
  GREATER,
  isDigit,
  LESS,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
  PERCENT,
  PLUS,
  QUESTION,
  QUOTE,
  SLASH,
  STAR,
} from './characters.ts';

const PRECEDENCE: Readonly<Record<BinaryOperator, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '>': 4,
  '<=': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

/** Reads expressions: operators, accesses and terms. What cannot be read becomes `invalid`, inside what could be. */
export abstract class ExpressionParser extends AccessParser {
  protected expression(): Expression {
    if (!this.enter()) return this.#nothing();
    const condition = this.#operation(0);
    const result = this.lost || this.atExpressionEnd() ? condition : this.#conditional(condition);
    this.leave();
    return result;
  }

  #conditional(condition: Expression): Expression {
    const before = this.at;
    this.skip();
    if (this.code() !== QUESTION) {
      this.at = before;
      return condition;
    }
    this.at++;
    this.skip();
    const { start } = condition;
    const then = this.expression();
    if (!this.lost) this.skip();
    if (!this.lost && this.code() !== COLON)
      this.fail(
        'syntax-missing-colon',
        this.here(),
        `Expected ":" of the conditional but found ${this.found()}`,
        'Write "condition ? value : otherwise".',
      );
    if (this.lost) return { kind: 'conditional', condition, then, otherwise: nothing(then.end), start, end: then.end };
    this.at++;
    this.skip();
    const otherwise = this.expression();
    return { kind: 'conditional', condition, then, otherwise, start, end: otherwise.end };
  }

  /** Operators that bind more strongly than `minimum`. */
  #operation(minimum: number): Expression {
    let left = this.operand();
    while (!this.lost && !this.atExpressionEnd()) {
      const before = this.at;
      this.skip();
      const operator = this.#operator();
      if (operator === undefined || PRECEDENCE[operator] <= minimum) {
        this.at = before;
        return left;
      }
      this.at += operator.length;
      this.links++;
      this.skip();
      const right = this.#operation(PRECEDENCE[operator]);
      left = { kind: 'binary', operator, left, right, start: left.start, end: right.end };
    }
    return left;
  }

  #operator(): BinaryOperator | undefined {
    const code = this.code();
    switch (code) {
      case PLUS:
        return '+';
      case MINUS:
        return '-';
      case STAR:
        return '*';
      case SLASH:
        return '/';
      case PERCENT:
        return '%';
      case LESS:
        return this.code(1) === EQUALS ? '<=' : '<';
      case GREATER:
        return this.code(1) === EQUALS ? '>=' : '>';
      case EQUALS:
        return this.code(1) === EQUALS ? '==' : undefined;
      case EXCLAMATION:
        return this.code(1) === EQUALS ? '!=' : undefined;
    }
    if (this.text.startsWith('&&', this.at)) return '&&';
    return this.text.startsWith('||', this.at) ? '||' : undefined;
  }

  protected term(): Expression {
    const start = this.at;
    const code = this.code();
    if (code === QUOTE) return this.quoted();
    if (isDigit(code)) return this.number();
    if (code === OPEN_BRACKET) return this.list();
    if (code === OPEN_BRACE) return this.object();
    if (code === OPEN_PARENTHESIS) return this.#parenthesized();
    if (code === LESS && this.code(1) === LESS) return this.heredoc();
    if (code === MINUS || code === EXCLAMATION) return this.#unary(code === MINUS ? '-' : '!');
    const name = this.identifier();
    if (name !== undefined) return this.#named(name, start);
    const quoted = this.foreignQuoted();
    if (quoted !== undefined) return quoted;
    this.#missingExpression();
    return this.#nothing();
  }

  #named(text: string, start: number): Expression {
    const end = this.at;
    this.skip();
    const code = this.code();
    if (code === OPEN_PARENTHESIS || (code === COLON && this.code(1) === COLON))
      return this.#call({ text, start, end });
    this.at = end;
    if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true', start, end };
    return text === 'null' ? { kind: 'null', start, end } : { kind: 'variable', name: text, start, end };
  }

  #call(first: Name): Expression {
    const { start } = first;
    let name = first;
    while (this.code() === COLON && this.code(1) === COLON) {
      this.at += 2;
      this.skip();
      const part = this.identifier();
      name = { text: `${name.text}::${part ?? ''}`, start, end: this.lastEnd };
      if (part === undefined)
        this.fail('syntax-bad-call', this.here(), 'A name is missing after "::"', 'Write the name of the function.');
      if (this.lost) break;
      this.skip();
    }
    if (!this.lost && this.code() !== OPEN_PARENTHESIS)
      this.fail(
        'syntax-bad-call',
        this.here(),
        `Expected "(" but found ${this.found()}`,
        'A name with "::" is a function: write its arguments in parentheses.',
      );
    if (this.lost) return { kind: 'call', name, arguments: [], expandLast: false, start, end: name.end };
    const { list, expandLast, end } = this.callArguments();
    return { kind: 'call', name, arguments: list, expandLast, start, end };
  }

  #unary(operator: '-' | '!'): Expression {
    const start = this.at++;
    if (!this.enter()) return this.#nothing();
    this.skip();
    const operand = this.operand();
    this.leave();
    return { kind: 'unary', operator, operand, start, end: operand.end };
  }

  #parenthesized(): Expression {
    const start = this.at++;
    const outer = this.lineBreaksEnd;
    this.lineBreaksEnd = false;
    this.open++;
    this.skip();
    const expression = this.expression();
    if (!this.lost) this.skip();
    if (!this.lost && this.code() !== CLOSE_PARENTHESIS)
      this.fail(
        'syntax-unclosed-bracket',
        { start, end: start + 1 },
        `This "(" is never closed; found ${this.found()} instead`,
        'Write ")" after the expression.',
      );
    if (!this.lost) {
      this.at++;
      this.open--;
    }
    this.lineBreaksEnd = outer;
    return { kind: 'parenthesized', expression, start, end: this.lost ? expression.end : this.at };
  }

  #missingExpression(): void {
    const place = this.here();
    if (place.start === place.end)
      this.fail(
        'syntax-missing-value',
        place,
        'A value is missing here',
        'Write a value, such as a quoted text or a number.',
      );
    else if ("'`".includes(this.text.charAt(place.start)))
      this.fail('syntax-bad-expression', place, `${this.found()} starts no text`, 'Write text in double quotes.');
    else if (this.text.startsWith('${', place.start))
      this.fail('syntax-bad-expression', place, '"${" stands outside of a text', 'Write it in double quotes: "${…}".');
    else
      this.fail(
        'syntax-bad-expression',
        place,
        `${this.found()} starts no value`,
        'Write a value: a text in double quotes, a number, true, false, a list or an object.',
      );
  }

  #nothing(): InvalidExpression {
    return nothing(this.lastEnd);
  }
}

function nothing(at: number): InvalidExpression {
  return { kind: 'invalid', start: at, end: at };
}
