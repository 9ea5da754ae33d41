import type { Range } from '../text/index.ts';
import type { BinaryExpression, BinaryOperator, Expression, ListElement, LiteralExpression, MapEntry } from './ast.ts';
import type { CelProblem } from './engine.ts';
import { minusOnlyInteger, type TokenKind } from './lexer.ts';
import { ExpressionReader, startsOperand } from './reader.ts';

/** Words that cannot be variables; as fields they can. */
const reservedWords: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

export interface Parsed {
  readonly expression: Expression;
  /** Expressions found after the end of a broken one, so that completion works inside them too. */
  readonly rest: readonly Expression[];
  readonly problems: readonly CelProblem[];
}

/** Parses any text; `expression` has holes (`missing`) where something is wrong, and `problems` says what. */
export function parseTolerant(source: string, dialect: 'product' | 'strict' = 'product'): Parsed {
  return new Parser(source, dialect).parse();
}

const levels: Readonly<Partial<Record<TokenKind, number>>> = {
  '??': 1,
  '||': 2,
  '&&': 3,
  '==': 4,
  '!=': 4,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  in: 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

class Parser extends ExpressionReader {
  readonly #dialect: 'product' | 'strict';

  constructor(source: string, dialect: 'product' | 'strict') {
    super(source);
    this.#dialect = dialect;
  }

  parse(): Parsed {
    const expression = this.#expression();
    const rest: Expression[] = [];
    while (this.lexer.kind !== 'end' && !this.givenUp) {
      if (rest.length === 0) this.unexpected();
      if (startsOperand(this.lexer.kind)) rest.push(this.#expression());
      else this.lexer.advance();
    }
    const problems = [...this.lexer.problems].sort((a, b) => a.range.start - b.range.start);
    return { expression, rest, problems };
  }

  #expression(): Expression {
    return this.nested(() => {
      const { start } = this.lexer;
      const condition = this.#binary(1);
      return this.is('?') ? this.#conditional(condition, start) : condition;
    });
  }

  #conditional(condition: Expression, start: number): Expression {
    let height = this.height;
    this.lexer.advance();
    const then = this.#binary(1);
    height = Math.max(height, this.height);
    this.expect(':', 'the second part of the conditional starts with ":"');
    const otherwise = this.#expression();
    this.#warnOfMixture(condition, then, otherwise);
    return this.grown(height, {
      kind: 'conditional',
      condition,
      then,
      otherwise,
      start,
      end: this.lexer.previousEnd,
    });
  }

  /** `a ?? b ? c : d` reads as `(a ?? b) ? c : d`, which is seldom meant. */
  #warnOfMixture(...parts: readonly Expression[]): void {
    for (const part of parts) {
      if (part.kind !== 'binary' || part.operator !== '??' || this.#bracketed.includes(part)) continue;
      this.lexer.problems.push({
        severity: 'warning',
        message: 'put brackets around the part with "??": beside "?:" it is easily misread',
        range: { start: part.start, end: part.end },
      });
      return;
    }
  }

  /** Expressions that are in brackets of their own, as far as that matters. */
  readonly #bracketed: Expression[] = [];

  #binary(lowest: number): Expression {
    const { start } = this.lexer;
    let left = this.#unary();
    for (;;) {
      const operator = this.lexer.kind;
      const level = levels[operator];
      if (level === undefined || level < lowest) return left;
      left =
        operator === '&&' || operator === '||'
          ? this.#logical(left, start, operator, level)
          : this.#operation(left, start, operator as BinaryOperator, level);
    }
  }

  #operation(left: Expression, start: number, operator: BinaryOperator, level: number): Expression {
    const height = this.height;
    const operatorRange = this.lexer.range;
    if (operator === '??' && this.#dialect === 'strict')
      this.lexer.problem('"??" is not part of the standard language');
    this.lexer.advance();
    const right = operator === '??' ? this.nested(() => this.#binary(level)) : this.#binary(level + 1);
    const end = right.kind === 'missing' ? operatorRange.end : this.lexer.previousEnd;
    return this.grown(height, { kind: 'binary', operator, operatorRange, left, right, start, end });
  }

  /** Chains of `&&` or `||` become balanced trees, so that a long one is not a high one. */
  #logical(first: Expression, start: number, operator: '&&' | '||', level: number): Expression {
    const terms = [first];
    /** Where each term ends and begins, brackets around it included. */
    const [starts, ends] = [[start], [this.lexer.previousEnd]];
    const operators: Range[] = [];
    let height = this.height;
    while (this.lexer.kind === operator) {
      operators.push(this.lexer.range);
      this.lexer.advance();
      starts.push(this.lexer.start);
      terms.push(this.#binary(level + 1));
      ends.push(Math.max((terms.at(-1) as Expression).end, this.lexer.previousEnd));
      height = Math.max(height, this.height);
    }
    this.height = height + Math.ceil(Math.log2(terms.length));
    const join = (from: number, to: number): Expression => {
      if (from === to) return terms[from] as Expression;
      const middle = (from + to) >> 1;
      const [left, right] = [join(from, middle), join(middle + 1, to)];
      const operatorRange = operators[middle] as Range;
      return {
        kind: 'binary',
        operator,
        operatorRange,
        left,
        right,
        start: starts[from] as number,
        end: ends[to] as number,
      } satisfies BinaryExpression;
    };
    return join(0, terms.length - 1);
  }

  #unary(): Expression {
    const { kind: operator, start } = this.lexer;
    if (operator !== '!' && operator !== '-') return this.#postfix(this.#primary(), start);
    let count = 0;
    for (; this.lexer.kind === operator; count++) this.lexer.advance();
    const negative = operator === '-' && count === 1 ? this.#negativeNumber(start) : undefined;
    if (negative) return this.#postfix(negative, start);
    // Two of them are not the same as none: both demand an operand of their type.
    const repeated = count % 2 === 1 ? 1 : 2;
    const inner = this.lexer.start;
    let operand =
      this.lexer.kind === '!' || this.lexer.kind === '-'
        ? this.nested(() => this.#unary())
        : this.#postfix(this.#primary(), inner);
    const end = Math.max(operand.end, this.lexer.previousEnd);
    for (let index = 0; index < repeated; index++)
      operand = this.grown(this.height, { kind: 'unary', operator, operand, start, end });
    return operand;
  }

  #negativeNumber(start: number): LiteralExpression | undefined {
    const { kind, value, end } = this.lexer;
    if (kind !== 'literal' || (typeof value !== 'bigint' && typeof value !== 'number')) return undefined;
    this.height = 1;
    this.lexer.advance();
    return { kind: 'literal', value: -value, start, end };
  }

  #postfix(operand: Expression, start: number): Expression {
    for (;;) {
      const kind = this.lexer.kind;
      if (kind === '.') operand = this.#member(operand, start);
      else if (kind === '[') operand = this.#index(operand, start);
      else if (kind === '{' && (operand.kind === 'identifier' || operand.kind === 'select'))
        operand = this.#message(operand);
      else return operand;
    }
  }

  #member(target: Expression, start: number): Expression {
    const lexer = this.lexer;
    const height = this.height;
    lexer.advance();
    const optional = lexer.kind === '?';
    if (optional) lexer.advance();
    const named = lexer.kind === 'name' || lexer.kind === 'quoted';
    const quoted = lexer.kind === 'quoted';
    const fieldRange = named ? lexer.range : { start: lexer.previousEnd, end: lexer.previousEnd };
    const name = named ? (lexer.value as string) : '';
    if (named) lexer.advance();
    else if (lexer.kind === 'in' || lexer.kind === 'literal') {
      lexer.problem(`${JSON.stringify(lexer.text)} cannot be a field here; write ["${lexer.text}"]`);
      lexer.advance();
    } else lexer.problem('a field name is missing after "."', fieldRange);
    if (named && !quoted && !optional && lexer.kind === '(') {
      const args = this.#arguments();
      return this.grown(Math.max(height, this.height), {
        kind: 'call',
        target,
        name,
        nameRange: fieldRange,
        args,
        start,
        end: lexer.previousEnd,
      });
    }
    return this.grown(height, {
      kind: 'select',
      operand: target,
      field: name,
      fieldRange,
      optional,
      start,
      end: lexer.previousEnd,
    });
  }

  #index(operand: Expression, start: number): Expression {
    const height = this.height;
    this.lexer.advance();
    const optional = this.lexer.kind === '?';
    if (optional) this.lexer.advance();
    const index = this.#expression();
    this.expect(']', 'the index has no closing "]"');
    return this.grown(height, {
      kind: 'index',
      operand,
      index,
      optional,
      start,
      end: this.lexer.previousEnd,
    });
  }

  #message(type: Expression): Expression {
    const fields: { name: string; value: Expression }[] = [];
    let height = this.height;
    this.lexer.advance();
    this.sequence('}', () => {
      if (this.lexer.kind === '?') this.lexer.advance();
      const name = String(this.lexer.value ?? '');
      if (this.lexer.kind === 'name' || this.lexer.kind === 'quoted') this.lexer.advance();
      else this.lexer.problem('a field name is missing');
      this.expect(':', 'the field has no ":" and value');
      fields.push({ name, value: this.#expression() });
      height = Math.max(height, this.height);
    });
    return this.grown(height, { kind: 'message', type, fields, start: type.start, end: this.lexer.previousEnd });
  }

  #arguments(): readonly Expression[] {
    const args: Expression[] = [];
    let height = 0;
    this.lexer.advance();
    this.sequence(')', () => {
      args.push(this.#expression());
      height = Math.max(height, this.height);
    });
    this.height = height;
    return args;
  }

  #primary(): Expression {
    const lexer = this.lexer;
    const { kind, start, end } = lexer;
    this.height = 1;
    switch (kind) {
      case 'literal':
        return this.#literal();
      case '.':
        lexer.advance();
        if (lexer.kind === 'name') return this.#name(start, true);
        lexer.problem('a name is missing after "."', { start: end, end });
        return { kind: 'identifier', name: '', absolute: true, start, end };
      case 'name':
        return this.#name(start, false);
      case '(':
        return this.#brackets();
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      default:
        return this.#missing();
    }
  }

  #literal(): Expression {
    const { start, end, value } = this.lexer;
    if (value === minusOnlyInteger) this.lexer.problem('the number does not fit into a 64-bit integer');
    this.lexer.advance();
    return { kind: 'literal', value: value === minusOnlyInteger ? 0n : value, start, end };
  }

  #name(start: number, absolute: boolean): Expression {
    const lexer = this.lexer;
    const nameRange = lexer.range;
    const name = lexer.value as string;
    if (reservedWords.has(name))
      lexer.problem(`"${name}" is a reserved word; a field of this name is read with ["${name}"]`);
    lexer.advance();
    if (lexer.kind !== '(') return { kind: 'identifier', name, absolute, start, end: nameRange.end };
    const args = this.#arguments();
    return this.grown(this.height, {
      kind: 'call',
      target: undefined,
      name,
      nameRange,
      args,
      start,
      end: lexer.previousEnd,
    });
  }

  #brackets(): Expression {
    this.lexer.advance();
    const inner = this.#expression();
    this.expect(')', 'the closing ")" is missing');
    if (inner.kind === 'binary' && inner.operator === '??') this.#bracketed.push(inner);
    return inner;
  }

  #list(): Expression {
    const { start } = this.lexer;
    const elements: ListElement[] = [];
    let height = 0;
    this.lexer.advance();
    this.sequence(']', () => {
      const optional = this.#optionalMark();
      elements.push({ value: this.#expression(), optional });
      height = Math.max(height, this.height);
    });
    return this.grown(height, { kind: 'list', elements, start, end: this.lexer.previousEnd });
  }

  #map(): Expression {
    const { start } = this.lexer;
    const entries: MapEntry[] = [];
    let height = 0;
    this.lexer.advance();
    this.sequence('}', () => {
      const optional = this.#optionalMark();
      const key = this.#expression();
      height = Math.max(height, this.height);
      this.expect(':', 'the key has no ":" and value');
      entries.push({ key, value: this.#expression(), optional });
      height = Math.max(height, this.height);
    });
    return this.grown(height, { kind: 'map', entries, start, end: this.lexer.previousEnd });
  }

  #optionalMark(): boolean {
    if (this.lexer.kind !== '?') return false;
    this.lexer.advance();
    return true;
  }

  #missing(): Expression {
    const lexer = this.lexer;
    const at = lexer.kind === 'end' ? lexer.previousEnd : lexer.start;
    if (lexer.kind === 'end')
      lexer.problem(at === 0 ? 'the expression is empty' : 'the expression ends where a value is expected', {
        start: at,
        end: at,
      });
    else if (!this.givenUp) this.unexpected(`a value is expected before ${JSON.stringify(lexer.text)}`);
    // The hole includes the blank before it, where the cursor is when completion is requested.
    return { kind: 'missing', start: lexer.previousEnd, end: at };
  }
}
