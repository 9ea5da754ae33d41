import { type Expression as CelExpression, functionDocumentation, parseTolerant } from '../../cel/index.ts';
import { hasHoles, isExpressionText, isReadable, markedExpression } from '../../model/index.ts';
import type { AttributeSpec } from '../../schema/index.ts';
import type { Expression, TemplateExpression } from '../../syntax/index.ts';
import { type Range, touches } from '../../text/index.ts';
import type { WrittenValue } from '../written.ts';

/** An expression of the message inside a file: its text is at `start`, letter by letter unless `offsets` says more. */
export interface Embedded extends Range {
  readonly source: string;
  readonly value: WrittenValue;
  readonly spec: AttributeSpec;
  /** Place in the file of every letter of `source` and of its end, where escapes shift them. */
  readonly offsets: readonly number[] | undefined;
  readonly expression: CelExpression;
  readonly rest: readonly CelExpression[];
}

/**
 * The expressions inside a value, as the kind of its attribute says. Texts of an argument count as they do when they
 * are decoded, and when `cursor` is inside them: that is where the user is writing.
 */
export function embeddedIn(value: WrittenValue, text: string, cursor?: number): readonly Embedded[] {
  const found: Embedded[] = [];
  if (value.value && value.spec) collect(value.value, value.spec, { value, text, cursor, found });
  return found;
}

interface Search {
  readonly value: WrittenValue;
  readonly text: string;
  readonly cursor: number | undefined;
  readonly found: Embedded[];
}

function collect(expression: Expression, spec: AttributeSpec, search: Search): void {
  if (spec.kind === 'cel') return addWhole(expression, spec, search);
  if (spec.kind === 'template')
    return spec.orExpression && !hasHoles(expression)
      ? addWhole(expression, spec, search)
      : addHoles(expression, spec, search);
  if (spec.kind === 'argument') return addArgument(expression, spec, search);
  if (spec.element === undefined) return;
  if (expression.kind === 'list') for (const item of expression.items) collect(item, spec.element, search);
  else if (expression.kind === 'object')
    for (const { value } of expression.entries) collect(value, spec.element, search);
  else if (spec.kind === 'list') collect(expression, spec.element, search);
}

function addWhole(expression: Expression, spec: AttributeSpec, search: Search): void {
  if (expression.kind === 'template') {
    const letters = lettersOf(expression, search.text);
    if (letters) add(letters.source, letters, letters.offsets, spec, search);
  } else if (readsMessage(expression)) addRange(expression, spec, search);
}

function addHoles(expression: Expression, spec: AttributeSpec, search: Search): void {
  if (expression.kind !== 'template') return;
  for (const part of expression.parts)
    if (part.kind === 'interpolation' && (readsMessage(part.expression) || part.expression.kind === 'invalid'))
      addRange(part.expression, spec, search);
}

function addArgument(expression: Expression, spec: AttributeSpec, search: Search): void {
  if (expression.kind === 'list') for (const item of expression.items) addArgument(item, spec, search);
  else if (expression.kind === 'object') for (const { value } of expression.entries) addArgument(value, spec, search);
  else if (spec.marked) {
    const source = markedExpression(expression);
    if (source) addWhole(source, spec, search);
  } else if (expression.kind !== 'template') addWhole(expression, spec, search);
  else {
    const letters = lettersOf(expression, search.text);
    if (letters === undefined) return;
    const isCursor = search.cursor !== undefined && touches(letters, search.cursor);
    if (isCursor || isExpressionText(letters.source, spec, functions))
      add(letters.source, letters, letters.offsets, spec, search);
  }
}

function addRange({ start, end }: Range, spec: AttributeSpec, search: Search): void {
  add(search.text.slice(start, end), { start, end }, undefined, spec, search);
}

function add(
  source: string,
  { start, end }: Range,
  offsets: readonly number[] | undefined,
  spec: AttributeSpec,
  { value, found }: Search,
): void {
  const { expression, rest } = parseTolerant(source);
  found.push({ source, start, end, value, spec, offsets, expression, rest });
}

/** Whether a bare expression is over the message and not over the configuration. */
function readsMessage(expression: Expression): boolean {
  if (['template', 'list', 'object', 'number', 'boolean', 'null'].includes(expression.kind)) return false;
  return !isReadable(expression, configuration);
}

const functions: ReadonlySet<string> = new Set(functionDocumentation.map(({ name }) => name));

const configuration = {
  host: { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path },
  variables: { constants: {} },
};

interface Letters extends Range {
  readonly source: string;
  readonly offsets: readonly number[] | undefined;
}

/** The text inside quotes or of a heredoc with the place of each letter; undefined for texts with holes. */
function lettersOf(template: TemplateExpression, text: string): Letters | undefined {
  if (template.parts.some(({ kind }) => kind !== 'text')) return undefined;
  if (template.form !== 'quoted') return lettersOfHeredoc(template, text);
  const start = template.start + 1;
  const closed = template.end > start && text.charAt(template.end - 1) === '"';
  const end = closed ? template.end - 1 : template.end;
  const raw = text.slice(start, end);
  if (!/\\|\$\$\{|%%\{/.test(raw)) return { source: raw, start, end, offsets: undefined };
  let source = '';
  const offsets: number[] = [];
  for (let at = 0; at < raw.length; ) {
    const escaped = /^(?:\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\(.)|([$%])[$%](?=\{))/s.exec(raw.slice(at));
    const letters = escaped === null ? raw.charAt(at) : meaningOf(escaped);
    for (let i = 0; i < letters.length; i++) offsets.push(start + at);
    source += letters;
    at += escaped === null ? 1 : escaped[0].length;
  }
  offsets.push(end);
  return { source, start, end, offsets };
}

/** What is left out of a heredoc is indentation and doubled signs, so that every letter is the next of its kind. */
function lettersOfHeredoc({ parts }: TemplateExpression, text: string): Letters | undefined {
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return undefined;
  let source = '';
  const offsets: number[] = [];
  for (const part of parts) {
    if (part.kind !== 'text') return undefined;
    let at = part.start;
    for (let index = 0; index < part.value.length; index++) {
      while (at < part.end - 1 && text.charCodeAt(at) !== part.value.charCodeAt(index)) at++;
      offsets.push(at++);
    }
    source += part.value;
  }
  offsets.push(last.end);
  return { source, start: first.start, end: last.end, offsets };
}

function meaningOf([, short, long, letter, sign]: RegExpExecArray): string {
  const code = short ?? long;
  if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
  if (sign !== undefined) return sign;
  return { n: '\n', r: '\r', t: '\t' }[letter as string] ?? (letter as string);
}

/** Where a place of an expression is in its file. */
export function fileOffset({ start, offsets }: Embedded, at: number): number {
  return offsets === undefined ? start + at : (offsets[at] ?? (offsets.at(-1) as number));
}

export function fileRange(embedded: Embedded, { start, end }: Range): Range {
  return { start: fileOffset(embedded, start), end: fileOffset(embedded, end) };
}

/** The place inside an expression that is at a place of the file. */
export function sourceOffset({ start, source, offsets }: Embedded, offset: number): number {
  if (offsets === undefined) return Math.max(0, Math.min(offset - start, source.length));
  const at = offsets.findIndex((place) => place >= offset);
  return at < 0 ? source.length : at;
}
