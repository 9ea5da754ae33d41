import type { TokenKind } from '@svc/protocol/language';
import type { Coloured } from './properties.ts';

const classes: Readonly<Record<TokenKind, string>> = {
  keyword: 'syntax-block',
  property: 'syntax-attribute',
  string: 'syntax-string',
  number: 'syntax-number',
  variable: 'syntax-root',
  parameter: 'syntax-root',
  function: 'syntax-function',
  method: 'syntax-function',
  type: 'syntax-label',
};

interface ColouredTextProps {
  /** The whole text that the offsets of tokens are of. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly Coloured[];
}

/** A part of a text in the colours of the editor. */
export function ColouredText({ text, start, end, tokens }: ColouredTextProps) {
  const parts: { readonly start: number; readonly end: number; readonly className: string | undefined }[] = [];
  let at = start;
  for (const token of tokens) {
    if (token.end <= start || token.start >= end) continue;
    const from = Math.max(token.start, start);
    const to = Math.min(token.end, end);
    if (from > at) parts.push({ start: at, end: from, className: plainClass(text.slice(at, from)) });
    parts.push({ start: from, end: to, className: classes[token.kind] });
    at = to;
  }
  if (at < end) parts.push({ start: at, end, className: plainClass(text.slice(at, end)) });
  return parts.map((part) => (
    <span key={part.start} className={part.className}>
      {text.slice(part.start, part.end)}
    </span>
  ));
}

function plainClass(text: string): string | undefined {
  return /^\s*(#|\/\/)/.test(text) ? 'syntax-comment' : 'syntax-punctuation';
}
