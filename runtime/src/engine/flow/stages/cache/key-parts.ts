import type { TemplateSource, Values } from '@svc/protocol/schema';
import type { KeyPart } from '../../../../foundation/contracts/kept-answers.ts';
import { escapeKey } from '../../../../platform/formats/key-text.ts';
import type { cache } from './spec.ts';

type CacheBlock = Pick<Values<typeof cache>, 'key' | 'key_from' | 'prefix'>;

/** An expression that begins with a literal text to which others are added. */
const literalFirst = /^\s*(?:'([^'"\\]+)'|"([^'"\\]+)")\s*\+[^?]*$/;

/** What the keys of a flow are made of, as `compileKey` makes them. */
export function keyParts(flow: string, { key, key_from: from, prefix }: CacheBlock): readonly KeyPart[] {
  const before = prefix === undefined || prefix === '' ? '' : `${prefix}:`;
  if (key !== undefined) return joined([before, ...templateParts(key)]);
  if (from === undefined) return joined([`${before}${escapeKey(flow)}:`, { expression: 'input', holds: 'input' }]);
  const [, single, double] = literalFirst.exec(from.source) ?? [];
  return joined([before, single ?? double ?? '', { expression: from.source, holds: 'text' }]);
}

/** What the keys of an aspect are made of; the name of the flow is known. */
export function aspectKeyParts(flow: string, key: TemplateSource): readonly KeyPart[] {
  return joined(
    templateParts(key).map((part) =>
      typeof part !== 'string' && part.expression.trim() === '_flow' ? escapeKey(flow) : part,
    ),
  );
}

/** The template as it is written. */
export function writtenTemplate({ parts }: TemplateSource): string {
  return parts.map((part) => (typeof part === 'string' ? part : `\${${part.source}}`)).join('');
}

function templateParts({ parts }: TemplateSource): KeyPart[] {
  return parts.map((part) => (typeof part === 'string' ? part : { expression: part.source, holds: 'value' }));
}

function joined(parts: readonly KeyPart[]): readonly KeyPart[] {
  const all: KeyPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else if (part !== '') all.push(part);
  }
  return all;
}
