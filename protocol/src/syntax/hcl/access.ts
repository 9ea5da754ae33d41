import type { Range } from '../../text/index.ts';
import type { Expression, Name, NumberLiteral, SplatExpression, SplatStar } from '../tree.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  COMMA,
  DOT,
  identifierEnd,
  isDigit,
  NEWLINE,
  OPEN_BRACKET,
  STAR,
} from './characters.ts';
import { CollectionParser } from './collection.ts';
import { isNumber, numberEnd, numberLiteral } from './number.ts';

/** Reads what follows a term: `.name`, `[key]`, and the stars that apply the rest to every element. */
export abstract class AccessParser extends CollectionParser {
  /** Operators and accesses read since it was last set to zero; long chains make trees that are deep to the left. */
  protected links = 0;

  protected abstract term(): Expression;

  /** Whether the next character ends whatever expression stands before it: a cheap answer to the most frequent case. */
  protected atExpressionEnd(): boolean {
    const code = this.text.charCodeAt(this.at);
    if (code === NEWLINE) return this.lineBreaksEnd;
    return code === COMMA || code === CLOSE_PARENTHESIS || code === CLOSE_BRACKET || code === CLOSE_BRACE;
  }

  /** Reads a term with the accesses that follow it. */
  protected operand(): Expression {
    let target = this.term();
    while (!this.lost && !this.atExpressionEnd()) {
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

  /** The number after a dot. `x.0.1` cannot be told from the number 0.1, so HCL wants brackets there. */
  #legacyIndex(): NumberLiteral {
    const index = this.number();
    if (!this.lost && index.source.includes('.')) {
      const keys = index.source.split('.').map((digits) => `[${digits}]`);
      const help = `Write "${keys.join('')}" instead.`;
      this.fail('syntax-bad-index', index, 'Two indexes may not follow each other with dots', help);
    }
    return index;
  }

  /** `target[key]` or `target[*]`. */
  #bracketAccess(target: Expression): Expression {
    const { start } = target;
    const opening = this.at++;
    const outer = this.lineBreaksEnd;
    this.open++;
    this.skip();
    let key: Expression | undefined;
    if (this.code() === STAR) this.at++;
    else {
      // Only the key of an index may stand on lines of its own; a star may not.
      this.lineBreaksEnd = false;
      this.skip();
      key = this.expression();
    }
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
    const end = this.lost ? (key?.end ?? this.lastEnd) : this.at;
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
    if (!this.enter()) return { kind: 'splat', target, form: 'full', each, start, end };
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
    this.leave();
    return { kind: 'splat', target, form: 'full', each, start, end };
  }

  protected number(): NumberLiteral {
    const start = this.at;
    const end = numberEnd(this.text, start);
    this.at = end;
    const suffix = identifierEnd(this.text, end);
    const source = this.text.slice(start, end);
    if (suffix > end || !isNumber(source)) {
      const written = this.text.slice(start, suffix);
      this.fail(
        'syntax-bad-number',
        { start, end: suffix },
        `"${written}" is no number`,
        `Write it in quotes, as in "${written}", or leave out what does not belong to the number.`,
      );
    }
    return numberLiteral(source, start);
  }
}

function stepsOf(access: Expression): readonly (Name | Expression | SplatStar)[] {
  if (access.kind === 'attribute-access') return [access.name];
  if (access.kind === 'index') return [access.key];
  if (access.kind !== 'splat') return [];
  const star: Range = { start: access.target.end, end: access.each[0]?.start ?? access.end };
  return [{ kind: 'star', ...star }, ...access.each];
}
