import type { AttributeSpec } from '../../schema/index.ts';
import {
  type Expression,
  literalText,
  parseHcl,
  quote,
  sourceOf,
  type TemplateExpression,
} from '../../syntax/index.ts';

/** What a form shows and takes in place of text: a constant, or the source of an expression or a template. */
export type LiteralValue =
  | string
  | number
  | boolean
  | null
  | readonly LiteralValue[]
  | { readonly [name: string]: LiteralValue };

/**
 * The constant that a value says; undefined when it is not constant. Of a template (`order:${input.id}`) it is the
 * source, where `$${` means a plain `${`.
 */
export function literalOf(
  expression: Expression | undefined,
  spec: AttributeSpec | undefined,
  text: string,
): LiteralValue | undefined {
  switch (expression?.kind) {
    case 'template':
      return spec?.kind === 'template' ? templateText(expression, text) : literalText(expression);
    case 'number':
    case 'boolean':
      return expression.value;
    case 'null':
      return null;
    case 'variable':
    case 'attribute-access':
      return spec?.kind === 'reference' ? nameOf(expression, spec) : undefined;
    case 'unary': {
      const { operator, operand } = expression;
      return operator === '-' && operand.kind === 'number' ? -operand.value : undefined;
    }
    case 'list': {
      const items = expression.items.map((item) => literalOf(item, elementOf(spec), text));
      return items.some((item) => item === undefined) ? undefined : (items as LiteralValue[]);
    }
    case 'object': {
      const entries = expression.entries.map(({ key, value }) => [keyOf(key), literalOf(value, elementOf(spec), text)]);
      return entries.some((entry) => entry.includes(undefined)) ? undefined : Object.fromEntries(entries);
    }
    default:
      return undefined;
  }
}

/** A value and the text that it is written in. */
export interface LocatedExpression {
  readonly expression: Expression;
  readonly text: string;
}

/**
 * A value as HCL for an attribute, in the form of what is written there already where that can hold it; undefined when
 * it cannot be written. What is read back from it is the very same value, its letters composed (NFC) as HCL has them.
 */
export function sourceOfLiteral(
  value: LiteralValue,
  spec: AttributeSpec | undefined,
  now: LocatedExpression | undefined,
): string | undefined {
  const candidates = [likeNow(value, spec, now), written(value, spec, false), written(value, spec, true)];
  return candidates.find((source) => {
    const read = source === undefined ? undefined : parsed(source);
    return read && composed(literalOf(read.expression, spec, read.text)) === composed(value);
  });
}

function composed(value: LiteralValue | undefined): string | undefined {
  return JSON.stringify(value)?.normalize('NFC');
}

/** The one expression that a text is, from its first letter to its last; undefined when it is anything else. */
export function parsed(source: string): LocatedExpression | undefined {
  const text = `x=${source}\n`;
  const { body, diagnostics } = parseHcl(text, '');
  const [item, more] = body.items;
  if (diagnostics.length > 0 || more !== undefined || item?.kind !== 'attribute' || item.value === undefined)
    return undefined;
  const { value } = item;
  return value.start === 2 && value.end === text.length - 1 ? { expression: value, text } : undefined;
}

/** How the parts of a list or an object are read. */
export function elementOf(spec: AttributeSpec | undefined): AttributeSpec | undefined {
  return spec?.kind === 'argument' ? spec : spec?.element;
}

/** The name of an entry of an object; undefined when it has to be evaluated. */
export function keyOf(key: Expression): string | undefined {
  return key.kind === 'variable' ? key.name : literalText(key);
}

/** The name of a reference that is written without quotes, with or without its kind in front. */
function nameOf(expression: Expression, { refersTo }: AttributeSpec): string | undefined {
  if (expression.kind === 'variable') return expression.name;
  if (expression.kind !== 'attribute-access' || expression.target.kind !== 'variable') return undefined;
  const kind = refersTo === 'storage' ? 'connector' : refersTo;
  return expression.target.name === kind ? expression.name.text : undefined;
}

function templateText({ parts }: TemplateExpression, text: string): string | undefined {
  let source = '';
  for (const part of parts) {
    if (part.kind === 'text') source += part.value.replace(/[$%](?=\{)/g, (sign) => sign + sign);
    else if (part.kind === 'interpolation') source += sourceOf(part, text);
    else return undefined;
  }
  return source;
}

/** A reference without quotes stays one, a heredoc stays one. */
function likeNow(
  value: LiteralValue,
  spec: AttributeSpec | undefined,
  now: LocatedExpression | undefined,
): string | undefined {
  if (now === undefined || typeof value !== 'string') return undefined;
  const { expression, text } = now;
  if (spec?.kind === 'reference' && expression.kind === 'attribute-access')
    return `${sourceOf(expression.target, text)}.${value}`;
  if (spec?.kind === 'reference' && expression.kind === 'variable') return value;
  if (expression.kind !== 'template' || expression.form === 'quoted' || !value.endsWith('\n')) return undefined;
  const lines = sourceOf(expression, text).split('\n');
  const closing = lines.at(-1) as string;
  const space =
    expression.form === 'heredoc' ? '' : /^[ \t]*/.exec(lines.length > 2 ? (lines[1] as string) : closing)?.[0];
  const content = spec?.kind === 'template' ? value : value.replace(/[$%](?=\{)/g, (sign) => sign + sign);
  const body = content.slice(0, -1).split('\n');
  return [lines[0], ...body.map((line) => (line === '' ? '' : space + line)), closing].join('\n');
}

function written(value: LiteralValue, spec: AttributeSpec | undefined, byNumber: boolean): string {
  if (typeof value === 'string') return spec?.kind === 'template' ? quoteTemplate(value) : quoteText(value, byNumber);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = (one: LiteralValue) => written(one, elementOf(spec), byNumber);
  if (Array.isArray(value)) return `[${value.map(inner).join(', ')}]`;
  const entries = Object.entries(value).map(([name, own]) => `${keyText(name, byNumber)} = ${inner(own)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function keyText(name: string, byNumber: boolean): string {
  const isWord = /^[A-Za-z_]\w*$/.test(name) && !['true', 'false', 'null', 'for'].includes(name);
  return isWord ? name : quoteText(name, byNumber);
}

/** With `byNumber` a sign in front of a brace is written by its number, where doubling it would be ambiguous. */
function quoteText(text: string, byNumber: boolean): string {
  if (!byNumber) return quote(text);
  return quote(text.replace(/[$%]+(?=\{)/g, (signs) => signs.replace(/\$/g, '\ue000').replace(/%/g, '\ue001')))
    .replace(/\ue000/g, '\\u0024')
    .replace(/\ue001/g, '\\u0025');
}

/** Everything but the insides of `${…}` as between quotes; what is doubled already stays so. */
function quoteTemplate(source: string): string {
  let quoted = '';
  for (let at = 0; at < source.length; ) {
    const doubled = /^[$%]{2}(?=\{)/.exec(source.slice(at, at + 3));
    const end = doubled || !source.startsWith('${', at) ? undefined : endOfHole(source, at);
    const next = end ?? at + (doubled ? 3 : 1);
    const piece = source.slice(at, next);
    quoted += doubled || end !== undefined || piece === '$' || piece === '%' ? piece : quote(piece).slice(1, -1);
    at = next;
  }
  return `"${quoted}"`;
}

/** Behind the brace that closes a hole: the first one with which it can be read. */
function endOfHole(source: string, start: number): number | undefined {
  for (let end = source.indexOf('}', start); end >= 0; end = source.indexOf('}', end + 1))
    if (parsed(`"${source.slice(start, end + 1)}"`)) return end + 1;
  return undefined;
}
