import { literalText, sourceOf } from '../source.ts';
import type { Body, Expression, ObjectEntry, SyntaxTree, TemplatePart } from '../tree.ts';

type JsonObject = Record<string, unknown>;

/** The tree in the shape of hcl2json: constants as values, everything else as `${source}`, blocks as lists below labels. */
export function toHcl2Json(tree: SyntaxTree): JsonObject {
  return bodyToJson(tree.body, tree.text);
}

function bodyToJson(body: Body, text: string): JsonObject {
  const result: JsonObject = {};
  for (const item of body.items) {
    if (item.kind === 'attribute' && item.value !== undefined)
      result[item.name.text] = expressionToJson(item.value, text);
  }
  for (const item of body.items) {
    if (item.kind !== 'block') continue;
    let target: unknown = result;
    let key = item.type.text;
    for (const label of item.labels) {
      if (isObject(target)) target = target[key] ??= {};
      key = label.text;
    }
    // It drops a block whose name an attribute has taken.
    if (!isObject(target)) continue;
    const list = (target[key] ??= []);
    if (Array.isArray(list)) list.push(bodyToJson(item.body, text));
  }
  return result;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function expressionToJson(node: Expression, text: string): unknown {
  switch (node.kind) {
    case 'number':
    case 'boolean':
      return node.value;
    case 'null':
      return null;
    case 'template': {
      const [part] = node.parts;
      const wrapped = node.parts.length === 1 && part?.kind === 'interpolation';
      return wrapped ? expressionToJson(part.expression, text) : templateToJson(node.parts, text);
    }
    case 'list':
      return node.items.map((item) => expressionToJson(item, text));
    case 'object':
      return Object.fromEntries(node.entries.map((entry) => [keyOf(entry, text), expressionToJson(entry.value, text)]));
    case 'unary':
      if (node.operator === '-' && node.operand.kind === 'number') return -node.operand.value;
      return wrap(node, text);
    default:
      return wrap(node, text);
  }
}

function keyOf({ key }: ObjectEntry, text: string): string {
  if (isTraversal(key)) return sourceOf(key, text);
  if (key.kind === 'number' || key.kind === 'boolean' || key.kind === 'null') return sourceOf(key, text);
  return stringPart(key, text);
}

/** A name followed by attributes and constant indexes, which an object key may be. */
function isTraversal(node: Expression): boolean {
  if (node.kind === 'variable') return true;
  if (node.kind === 'attribute-access') return isTraversal(node.target);
  if (node.kind !== 'index') return false;
  return isTraversal(node.target) && (node.key.kind === 'number' || literalText(node.key) !== undefined);
}

function wrap(node: Expression, text: string): string {
  return `\${${sourceOf(node, text)}}`;
}

function templateToJson(parts: readonly TemplatePart[], text: string): string {
  return parts.map((part) => partToJson(part, text)).join('');
}

function partToJson(part: TemplatePart, text: string): string {
  switch (part.kind) {
    case 'text':
      return part.value.replace(/[$%]\{/g, (found) => found.charAt(0) + found);
    case 'interpolation':
      return stringPart(part.expression, text);
    case 'conditional-directive':
      return choice(part.condition, templateToJson(part.then, text), templateToJson(part.otherwise, text), text);
    case 'for-directive': {
      const names = part.key === undefined ? part.value.text : `${part.key.text}, ${part.value.text}`;
      const head = `%{for ${names} in ${sourceOf(part.collection, text)}}`;
      return `${head}${templateToJson(part.body, text)}%{endfor}`;
    }
  }
}

/** An expression inside a template: constants melt into it, and conditionals become directives. */
function stringPart(node: Expression, text: string): string {
  if (node.kind === 'template') return templateToJson(node.parts, text);
  if (node.kind === 'number') return String(node.value);
  if (node.kind === 'boolean') return String(node.value);
  if (node.kind === 'null') return 'null';
  if (node.kind === 'conditional')
    return choice(node.condition, stringPart(node.then, text), stringPart(node.otherwise, text), text);
  return wrap(node, text);
}

function choice(condition: Expression, then: string, otherwise: string, text: string): string {
  return `%{if ${sourceOf(condition, text)}}${then}${otherwise === '' ? '' : `%{else}${otherwise}`}%{endif}`;
}
