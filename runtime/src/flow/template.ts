import type { CelSource, TemplateSource } from '@svc/protocol/schema';
import { Failure } from '../errors/failure.ts';
import { type Expression, kindOf } from './expression.ts';

/** Fills a template for one message; undefined when a part is a list or an object, which have no text. */
export type Fill = (scope: object) => string | undefined;

/**
 * Compiles a text with expressions in it, such as a cache key. What expressions give is escaped, so that no value can
 * reach over a separator or become a wildcard: `:` and the characters of globs are written as `%` and their code.
 */
export function compileTemplate(
  source: TemplateSource,
  expression: (source: CelSource, title: string) => Expression,
  title: string,
): Fill {
  const parts = source.parts.map((part) => (typeof part === 'string' ? part : expression(part, title)));
  return (scope) => {
    let text = '';
    for (const part of parts) {
      if (typeof part === 'string') {
        text += part;
        continue;
      }
      const piece = keyText(part.evaluate(scope));
      if (piece === undefined) return undefined;
      text += piece;
    }
    return text;
  };
}

/** A scalar as part of a key, escaped; undefined for lists and objects. */
export function keyText(value: unknown): string | undefined {
  if (typeof value === 'string') return escapeKey(value);
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return undefined;
}

const reserved = /[%:*?[\]\\]/;

/** Replaces what separates or widens keys by percent codes. */
export function escapeKey(text: string): string {
  if (!reserved.test(text)) return text;
  return text.replace(/[%:*?[\]\\]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The texts of an expression that gives a list of them. Throws when it gives anything else. */
export function textsOf(expression: Expression, scope: object): readonly string[] {
  const value = expression.evaluate(scope);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    const got = Array.isArray(value) ? 'a list of other things' : kindOf(value);
    throw new Failure('expression_failed', `${expression.title} must give a list of texts, not ${got}`);
  }
  return value as string[];
}
