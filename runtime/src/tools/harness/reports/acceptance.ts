import { childrenOf, type Expression, parseHcl, quote } from '@svc/protocol/syntax';
import type { Range, TextEdit } from '@svc/protocol/text';
import type { Change } from '../compare.ts';

/** Edits of a file after which a test expects what came. */
export interface Acceptance {
  readonly edits: readonly TextEdit[];
  /** The text from the first edit to the last, as it was when the test ran. */
  readonly was: string;
}

/**
 * How a text becomes one that expects what came: nothing but the value itself is touched. Undefined where the place
 * cannot be found in it.
 */
export function acceptanceOf({ text, file }: { text: string; file: string }, at: Range, change: Change) {
  const edits = editsOf(text, file, at, change);
  const [first] = edits;
  const last = edits.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const acceptance: Acceptance = { edits, was: text.slice(first.range.start, last.range.end) };
  return acceptance;
}

function editsOf(text: string, file: string, at: Range, change: Change): readonly TextEdit[] {
  if (change.kind === 'replace')
    return [{ range: { start: at.start, end: at.end }, text: hclOf(change.value, indentAt(text, at.start)) }];
  const values = valuesOf(parseHcl(text, file).body);
  if (change.kind === 'add') {
    const container = values.find(({ start, end }) => start === at.start && end === at.end);
    return container === undefined ? [] : addition(text, container, change.key, change.value);
  }
  const parts = values.map(partsOf).find((each) => each.some(({ value }) => value.start === at.start));
  return parts === undefined ? [] : removal(text, parts, at);
}

/** An item of a list, or an entry of an object, with its value. */
interface Part extends Range {
  readonly value: Range;
}

function partsOf(node: Expression): readonly Part[] {
  if (node.kind === 'object') return node.entries;
  if (node.kind === 'list') return node.items.map(({ start, end }) => ({ start, end, value: { start, end } }));
  return [];
}

/** Every expression below a body, the outer ones first. */
function valuesOf(body: ReturnType<typeof parseHcl>['body']): readonly Expression[] {
  const inside = (node: Expression): readonly Expression[] => [node, ...childrenOf(node).flatMap(inside)];
  return body.items.flatMap((item) =>
    item.kind === 'block' ? valuesOf(item.body) : item.value === undefined ? [] : inside(item.value),
  );
}

function addition(text: string, container: Expression, key: string | undefined, value: unknown): readonly TextEdit[] {
  const parts = partsOf(container);
  const last = parts.at(-1);
  if (last === undefined) {
    const written = writtenPart(key, value, indentAt(text, container.start));
    const inside = { start: container.start + 1, end: container.start + 1 };
    return [{ range: inside, text: key === undefined ? written : ` ${written} ` }];
  }
  const indent = indentAt(text, last.start);
  const written = writtenPart(key, value, indent);
  const comma = /^\s*,/.exec(text.slice(last.end, container.end));
  const isBelow = text.slice(last.end, container.end).includes('\n');
  if (!isBelow) {
    const end = last.end + (comma?.[0].length ?? 0);
    return [{ range: { start: end, end }, text: comma === null ? `, ${written}` : ` ${written}` }];
  }
  // A comment behind the last one stays beside it.
  const end = text.indexOf('\n', last.end + (comma?.[0].length ?? 0));
  const isList = key === undefined;
  const below = { range: { start: end, end }, text: `\n${indent}${written}${comma === null ? '' : ','}` };
  if (!isList || comma !== null) return [below];
  return [{ range: { start: last.end, end: last.end }, text: ',' }, below];
}

function removal(text: string, parts: readonly Part[], at: Range): readonly TextEdit[] {
  const index = parts.findIndex(({ value }) => value.start === at.start);
  const part = parts[index] as Part;
  const before = parts[index - 1];
  const next = parts[index + 1];
  if (before !== undefined) return [{ range: { start: before.end, end: part.end }, text: '' }];
  if (next !== undefined) return [{ range: { start: part.start, end: next.start }, text: '' }];
  const comma = /^\s*,/.exec(text.slice(part.end))?.[0] ?? '';
  return [{ range: { start: part.start, end: part.end + comma.length }, text: '' }];
}

function writtenPart(key: string | undefined, value: unknown, indent: string): string {
  const written = hclOf(value, indent);
  return key === undefined ? written : `${keyOf(key)} = ${written}`;
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

/** Characters of a list or an object that is written on one line. */
const longestLine = 60;

/** A JSON value as a constant of HCL; objects that are long have a line for each entry. */
function hclOf(value: unknown, indent: string): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value ?? null);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = isList
    ? value.map((item) => hclOf(item, inner))
    : Object.entries(value).map(([name, item]) => `${keyOf(name)} = ${hclOf(item, inner)}`);
  if (parts.length === 0) return isList ? '[]' : '{}';
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (line.length <= longestLine && !line.includes('\n')) return line;
  const lines = parts.map((part) => `${inner}${part}${isList ? ',' : ''}\n`).join('');
  return isList ? `[\n${lines}${indent}]` : `{\n${lines}${indent}}`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : quote(name);
}
