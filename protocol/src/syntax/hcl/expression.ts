import type { Range } from '../../text/index.ts';
import type { BinaryOperator, Expression, InvalidExpression, Name, SplatExpression, SplatStar } from '../tree.ts';
import {
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  COLON,
  DOT,
  EQUALS,
  EXCLAMATION,
  GREATER,
  identifierEnd,
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
import { CollectionParser } from './collection.ts';

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
export abstract class ExpressionParser extends CollectionParser {
  /** Operators and accesses read since it was last set to zero; long chains make trees that are deep to the left. */
  protected links = 0;

  protected expression(): Expression {
    if (!this.enter()) return this.#nothing();
    const condition = this.#operation(0);
    const result = this.lost ? condition : this.#conditional(condition);
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
    let left = this.#operand();
    while (!this.lost) {
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

  #operand(): Expression {
    let target = this.#term();
    while (!this.lost) {
      const before = this.at;
      this.skip();
      const code = this.code();
      if (code === DOT && this.code(1) !== DOT) target = this.#dotAccess(target);
      else if (code === OPEN_BRACKET) target = this.#bracketAccess(target);
      else {
        this.at = before;
        return target;
      }
      this.links++;
    }
    return target;
  }

  #dotAccess(target: Expression): Expression {
    const { start } = target;
    const dot = this.at++;
    this.skip();
    const at = this.at;
    if (this.code() === STAR) {
      this.at++;
      return this.#attributeSplat(target);
    }
    if (isDigit(this.code())) {
      const key = this.#legacyIndex();
      return { kind: 'index', target, key, legacy: true, start, end: key.end };
    }
    const text = this.identifier();
    if (text !== undefined)
      return { kind: 'attribute-access', target, name: { text, start: at, end: this.at }, start, end: this.at };
    this.#missingName(dot);
    return { kind: 'attribute-access', target, name: { text: '', start: dot + 1, end: dot + 1 }, start, end: dot + 1 };
  }

  #missingName(dot: number): void {
    this.fail(
      'syntax-missing-name',
      { start: dot, end: dot + 1 },
      'A name is missing after the dot',
      'Write the name of the attribute, or remove the dot.',
    );
  }

  #legacyIndex(): Expression {
    const start = this.at;
    while (isDigit(this.code())) this.at++;
    const source = this.text.slice(start, this.at);
    return { kind: 'number', source, value: Number(source), integer: true, start, end: this.at };
  }

  /** `target[key]` or `target[*]`. */
  #bracketAccess(target: Expression): Expression {
    const { start } = target;
    const opening = this.at++;
    const outer = this.lineBreaksEnd;
    this.lineBreaksEnd = false;
    this.open++;
    this.skip();
    const star = this.at;
    const splat = this.code() === STAR;
    let key: Expression | undefined;
    if (splat) this.at++;
    else key = this.expression();
    if (!this.lost) this.skip();
    this.lineBreaksEnd = outer;
    if (!this.lost && this.code() !== CLOSE_BRACKET)
      this.fail(
        'syntax-unclosed-bracket',
        { start: opening, end: opening + 1 },
        'This "[" is never closed',
        'Write "]" after the index.',
      );
    if (!this.lost) {
      this.at++;
      this.open--;
    }
    const end = this.lost ? (key?.end ?? star + 1) : this.at;
    if (key !== undefined) return { kind: 'index', target, key, legacy: false, start, end };
    return this.lost ? { kind: 'splat', target, form: 'full', each: [], start, end } : this.#fullSplat(target);
  }

  /** After `.*`: takes in attributes and legacy indexes only. */
  #attributeSplat(target: Expression): SplatExpression {
    const each: (Name | Expression)[] = [];
    while (!this.lost) {
      const before = this.at;
      this.skip();
      if (this.code() !== DOT || this.code(1) === DOT) {
        this.at = before;
        break;
      }
      const dot = this.at++;
      this.skip();
      const start = this.at;
      if (isDigit(this.code())) each.push(this.#legacyIndex());
      else {
        const text = this.identifier();
        if (text === undefined) this.#missingName(dot);
        else each.push({ text, start, end: this.at });
      }
    }
    return { kind: 'splat', target, form: 'attribute-only', each, start: target.start, end: this.lastEnd };
  }

  /** After `[*]`: takes in every access that follows. */
  #fullSplat(target: Expression): SplatExpression {
    const each: (Name | Expression | SplatStar)[] = [];
    const { start } = target;
    let { at: end } = this;
    // The accesses are read around a stand-in for the element, and taken off it again.
    let whole: Expression = { kind: 'invalid', start: end, end };
    while (!this.lost) {
      const before = this.at;
      this.skip();
      const code = this.code();
      if (code === DOT && this.code(1) !== DOT) whole = this.#dotAccess(whole);
      else if (code === OPEN_BRACKET) whole = this.#bracketAccess(whole);
      else {
        this.at = before;
        break;
      }
      this.links++;
      each.push(...stepsOf(whole));
      end = whole.end;
      whole = { kind: 'invalid', start: end, end };
    }
    return { kind: 'splat', target, form: 'full', each, start, end };
  }

  #term(): Expression {
    const start = this.at;
    const code = this.code();
    if (code === QUOTE) return this.quoted();
    if (isDigit(code)) return this.#number();
    if (code === OPEN_BRACKET) return this.list();
    if (code === OPEN_BRACE) return this.object();
    if (code === OPEN_PARENTHESIS) return this.#parenthesized();
    if (code === LESS && this.code(1) === LESS) return this.heredoc();
    if (code === MINUS || code === EXCLAMATION) return this.#unary(code === MINUS ? '-' : '!');
    const name = this.identifier();
    if (name !== undefined) return this.#named(name, start);
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

  #number(): Expression {
    const { text, at: start } = this;
    const digits = () => {
      while (isDigit(this.code())) this.at++;
    };
    digits();
    let integer = true;
    if (this.code() === DOT && isDigit(this.code(1))) {
      integer = false;
      this.at++;
      digits();
    }
    const exponent = this.code();
    if (exponent === 101 || exponent === 69) {
      const sign = this.code(1);
      const signed = sign === PLUS || sign === MINUS ? 2 : 1;
      if (isDigit(this.code(signed))) {
        integer = false;
        this.at += signed;
        digits();
      }
    }
    const end = this.at;
    const suffix = identifierEnd(text, end);
    if (suffix > end)
      this.fail(
        'syntax-bad-number',
        { start, end: suffix },
        `"${text.slice(start, suffix)}" is no number`,
        `Write it in quotes, as in "${text.slice(start, suffix)}", or leave out what follows the digits.`,
      );
    const source = text.slice(start, end);
    return { kind: 'number', source, value: Number(source), integer, start, end };
  }

  #unary(operator: '-' | '!'): Expression {
    const start = this.at++;
    if (!this.enter()) return this.#nothing();
    this.skip();
    const operand = this.#operand();
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
    else if (this.text.charAt(place.start) === "'" || this.text.charAt(place.start) === '`')
      this.fail('syntax-bad-expression', place, `${this.found()} starts no text`, 'Write text in double quotes.');
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

function stepsOf(access: Expression): readonly (Name | Expression | SplatStar)[] {
  if (access.kind === 'attribute-access') return [access.name];
  if (access.kind === 'index') return [access.key];
  if (access.kind !== 'splat') return [];
  const star: Range = { start: access.target.end, end: access.each[0]?.start ?? access.end };
  return [{ kind: 'star', ...star }, ...access.each];
}
