import type { SemanticToken, TokenKind } from '@svc/protocol/language';
import type { Range } from '@svc/protocol/text';

/** Kinds of words as the theme knows them: those of the service, and what expressions need besides. */
export type ShownKind = TokenKind | 'field' | 'operator' | 'delimiter';

export interface ShownToken extends Range {
  readonly kind: ShownKind;
}

/**
 * Sets expressions apart from the texts around them: their quotes and braces are delimiters, what is between their
 * words are operators, and what follows a dot is a field. Tokens and expressions come in order, tokens without overlap.
 */
export function withExpressionWords(
  tokens: readonly SemanticToken[],
  expressions: readonly Range[],
  text: string,
): readonly ShownToken[] {
  const shown: ShownToken[] = [];
  let next = 0;
  let cut = 0;
  /** Tokens that begin before `end`, without what an expression has taken of them. */
  const pass = (end: number) => {
    for (let token = tokens[next]; token !== undefined && token.start < end; token = tokens[next]) {
      const start = Math.max(token.start, cut);
      if (token.end > start) shown.push({ ...token, start, end: Math.min(token.end, end) });
      if (token.end > end) return;
      next++;
    }
  };
  for (const expression of expressions) {
    pass(expression.start);
    let at = markBefore(expression, text, shown);
    const end = expression.end - markLength(text.slice(expression.start, expression.end), /(?:"|\s*\})$/);
    for (let token = tokens[next]; token !== undefined && token.start < end; token = tokens[next]) {
      if (token.end > end) break;
      next++;
      // A text around the expression reaches over its mark.
      if (token.start < at) continue;
      addOperators(at, token.start, text, shown);
      shown.push(token.kind === 'property' ? { ...token, kind: 'field' } : token);
      at = token.end;
    }
    addOperators(at, end, text, shown);
    add('delimiter', Math.max(at, end), expression.end, text, shown);
    cut = expression.end;
  }
  pass(text.length + 1);
  return shown;
}

function markBefore({ start, end }: Range, text: string, shown: ShownToken[]): number {
  const at = start + markLength(text.slice(start, end), /^(?:"|\$\{)/);
  add('delimiter', start, at, text, shown);
  return at;
}

function markLength(text: string, mark: RegExp): number {
  return mark.exec(text)?.[0].length ?? 0;
}

/** What is between the words of an expression: operators, and the names that it declares. */
function addOperators(start: number, end: number, text: string, shown: ShownToken[]): void {
  let at = start;
  for (const { 0: name, index } of text.slice(start, Math.max(start, end)).matchAll(/\b(?!in\b)[A-Za-z_]\w*/g)) {
    add('operator', at, start + index, text, shown);
    at = start + index + name.length;
    add('parameter', start + index, at, text, shown);
  }
  add('operator', at, end, text, shown);
}

/** Nothing is coloured that cannot be seen, and nothing over several lines. */
function add(kind: ShownKind, start: number, end: number, text: string, shown: ShownToken[]): void {
  const letters = text.slice(start, end);
  if (letters.trim() !== '' && !letters.includes('\n')) shown.push({ kind, start, end });
}
