import { locate } from '../syntax/index.ts';
import { touches } from '../text/index.ts';
import { type Embedded, embeddedIn } from './expressions/embedded.ts';
import type { FileState } from './states.ts';
import type { WrittenBody, WrittenValue } from './written.ts';

/** What an offset of a file is in. */
export type Place =
  | { readonly kind: 'body'; readonly body: WrittenBody }
  | { readonly kind: 'block'; readonly body: WrittenBody }
  | { readonly kind: 'label'; readonly body: WrittenBody }
  | { readonly kind: 'name'; readonly value: WrittenValue }
  | { readonly kind: 'value'; readonly value: WrittenValue }
  | { readonly kind: 'expression'; readonly value: WrittenValue; readonly embedded: Embedded }
  | { readonly kind: 'nothing' };

/** Finds what is under an offset. A place that touches two things belongs to the one that ends there. */
export function placeIn(file: FileState, offset: number): Place {
  const { tree, written } = file;
  if (isInComment(tree.text, offset)) return { kind: 'nothing' };
  const { part, blocks, attribute } = locate(tree, offset);
  const innermost = blocks.at(-1);
  const body = written.bodies.findLast(({ block }) => block === innermost) as WrittenBody;
  if (part === 'type') return { kind: 'block', body };
  if (part === 'label' || part === 'head') return { kind: 'label', body };
  if (part === 'body' || attribute === undefined) return { kind: 'body', body };
  const inside = written.values.filter(
    ({ name }) => name.start >= attribute.start && name.end <= Math.max(attribute.end, offset),
  );
  const named = inside.find(({ name }) => touches(name, offset));
  if (named) return { kind: 'name', value: named };
  const value =
    inside.findLast((one) => one.value !== undefined && touches(one.value, offset)) ??
    inside.find(({ name }) => name.start === attribute.name.start);
  if (part === 'attribute-name' || value === undefined) return { kind: 'body', body };
  const embedded = embeddedIn(value, tree.text, offset).find((one) => touches(one, offset));
  return embedded ? { kind: 'expression', value, embedded } : { kind: 'value', value };
}

/** Whether a line comment begins on the line before the offset, outside of quotes. */
function isInComment(text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const letter = line.charAt(at);
    if (quoted && letter === '\\') at++;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && (letter === '#' || line.startsWith('//', at))) return true;
  }
  return false;
}
