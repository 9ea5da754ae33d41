import type { CelSource, TemplateSource } from '@svc/protocol/schema';
import { keyText } from '../../../platform/formats/key-text.ts';
import { type Expression, kindOf, type Repeating, unusable } from './expression.ts';

/** Fills a template for one message; undefined when a part is a list or an object, which have no text. */
export interface Fill extends Repeating {
  (scope: object): string | undefined;
}

/**
 * Compiles a text with expressions in it, such as a cache key. What expressions give is escaped, so that no value can
 * contain a separator or a wildcard: `:` and the characters of globs are written as `%` and their code.
 */
export function compileTemplate(
  source: TemplateSource,
  expression: (source: CelSource, title: string) => Expression,
  title: string,
): Fill {
  const parts = source.parts.map((part) => (typeof part === 'string' ? part : expression(part, title)));
  const fill = (scope: object) => {
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
  return Object.assign(fill, {
    repeats: (scope: object) => parts.every((part) => typeof part === 'string' || part.repeats(scope)),
  });
}

/** The texts of an expression that gives a list of them. Throws when it gives anything else. */
export function textsOf(expression: Expression, scope: object): readonly string[] {
  const value = expression.evaluate(scope);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    const got = Array.isArray(value) ? 'a list of other things' : kindOf(value);
    throw unusable(`${expression.title} must give a list of texts, not ${got}`, expression, scope);
  }
  return value as string[];
}
