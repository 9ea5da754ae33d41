import { toJson } from '@svc/protocol/cel';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { Failure } from '../errors/failure.ts';
import { beyondBudget, type DecodingBudget, messageBudget } from './budget.ts';
import { addField, occursMoreOften } from './form.ts';

/** An element in written order: one key, its name, with its content; `:@` holds the attributes. */
type Node = Readonly<Record<string, unknown>>;

/** How the parser renames names that it refuses as keys; undone here, where maps have no prototype. */
const guarded = '#guarded#';

const options = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  htmlEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  cdataPropName: '#cdata',
  onDangerousProperty: (name: string) => guarded + name,
};

/**
 * Decodes XML: the content of the root as a map, child elements by local name, repeated ones as
 * a list, attributes as `@name`, text beside either as `#text`; every leaf is text. Document types and entities other than
 * the five standard ones and character references are refused. Throws `body_undecodable`, and `body_too_large` beyond the budget.
 */
export function decodeXml(text: string, budget: DecodingBudget = messageBudget): unknown {
  // Every element has one tag or two. The parser needs many bytes for each, so they are counted before it begins.
  if (occursMoreOften(text, '<', 2 * budget.values)) throw beyondBudget(budget, 'values');
  refuseDeclarations(text);
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw undecodable(`${valid.err.msg} (line ${valid.err.line})`);
  let nodes: readonly Node[];
  try {
    nodes = new XMLParser({ ...options, maxNestedTags: budget.depth }).parse(text) as readonly Node[];
  } catch (cause) {
    if (cause instanceof Error && /nested tags/i.test(cause.message)) throw beyondBudget(budget, 'depth');
    throw undecodable(cause instanceof Error ? cause.message : String(cause), cause);
  }
  const roots = nodes.filter((node) => nameOf(node) !== '#text');
  const [root] = roots;
  if (root === undefined || roots.length > 1) throw undecodable('it must have exactly one root element');
  const content = contentOf(root, { budget, values: 0 });
  return typeof content === 'string'
    ? content === ''
      ? emptyMap()
      : Object.assign(emptyMap(), { value: content })
    : content;
}

/** The parser's messages may repeat a large part of the body. */
const shownReason = 200;

function undecodable(reason: string, cause?: unknown): Failure {
  const shown = reason.length > shownReason ? `${reason.slice(0, shownReason)}…` : reason;
  return new Failure('body_undecodable', `the body is not valid XML: ${shown}`, { cause });
}

/** Passes over comments and character data, where a declaration is only text. */
const declarations = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<!([A-Za-z]*)/g;

function refuseDeclarations(text: string): void {
  for (const [, word] of text.matchAll(declarations))
    if (word !== undefined) throw undecodable(`document types and entities are not accepted (<!${word})`);
}

function nameOf(node: Node): string {
  for (const name in node) if (name !== ':@') return name;
  return '#text';
}

interface Spent {
  readonly budget: DecodingBudget;
  values: number;
}

function spend(spent: Spent): void {
  const { keys, values } = spent.budget;
  if (++spent.values > Math.min(keys, values)) throw beyondBudget(spent.budget, keys < values ? 'keys' : 'values');
}

function contentOf(node: Node, spent: Spent): unknown {
  const attributes = node[':@'] as Readonly<Record<string, unknown>> | undefined;
  const children = node[nameOf(node)] as readonly Node[];
  let fields: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(attributes ?? {})) {
    const local = localName(name);
    if (name === 'xmlns' || name.startsWith('xmlns:')) continue;
    spend(spent);
    fields ??= emptyMap();
    fields[`@${local}`] = withEntities(String(value));
  }
  let content = '';
  for (const child of children) {
    const name = nameOf(child);
    if (name === '#text') content += withEntities(String(child['#text']));
    else if (name === '#cdata') content += String((child['#cdata'] as readonly Node[])[0]?.['#text'] ?? '');
    else {
      spend(spent);
      fields ??= emptyMap();
      addField(fields, localName(name), contentOf(child, spent));
    }
  }
  if (fields === undefined) return content.trim();
  if (content.trim() !== '') fields['#text'] = content.trim();
  return fields;
}

function localName(name: string): string {
  const plain = name.startsWith(guarded) ? name.slice(guarded.length) : name;
  return plain.slice(plain.indexOf(':') + 1);
}

function emptyMap(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

const standard: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function withEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([\w.:-]+));|&/g, (found, decimal, hexadecimal, name) => {
    if (name !== undefined && Object.hasOwn(standard, name)) return standard[name] as string;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    if (isCharacter(code)) return String.fromCodePoint(code);
    throw undecodable(`the entity ${found} is not accepted`);
  });
}

/** Whether a code point may be part of a document (XML 1.0, 2.2). */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return (code <= 0xd7ff || code >= 0xe000) && code <= 0x10ffff && code !== 0xfffe && code !== 0xffff;
}

/**
 * Writes XML with a root element: maps as elements in their order, `@name` as attributes, `#text` as text, lists as
 * repeated elements (`item` at the top), null and empty maps as empty elements.
 */
export function encodeXml(value: unknown, root = 'root'): string {
  const plain = toJson(value);
  const body = Array.isArray(plain) ? elementOf(root, { item: plain }, '') : elementOf(root, plain, '');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
}

function elementOf(name: string, value: unknown, indent: string): string {
  const tag = elementName(name);
  if (Array.isArray(value))
    return value.map((item) => elementOf(name, Array.isArray(item) ? { item } : item, indent)).join('');
  if (value === null || value === undefined) return `${indent}<${tag}/>\n`;
  if (typeof value !== 'object') return `${indent}<${tag}>${escaped(String(value))}</${tag}>\n`;
  let attributes = '';
  let text = '';
  let children = '';
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (key === '#text') text = escaped(String(item));
    else if (key.startsWith('@') && (item === null || typeof item !== 'object'))
      attributes += ` ${elementName(key.slice(1))}="${escaped(String(item ?? ''))}"`;
    else children += elementOf(key, item, `${indent}  `);
  }
  if (children !== '') return `${indent}<${tag}${attributes}>${text}\n${children}${indent}</${tag}>\n`;
  return text === '' ? `${indent}<${tag}${attributes}/>\n` : `${indent}<${tag}${attributes}>${text}</${tag}>\n`;
}

/** The key when it is a name (XML 1.0, 2.3), else the closest one: no key can end a tag or begin another. */
function elementName(key: string): string {
  const name = key.replace(/[^\p{L}\p{N}_.-]/gu, '_');
  return /^[\p{L}_]/u.test(name) ? name : `_${name}`;
}

function escaped(text: string): string {
  return text
    .replace(/[&<>"]/g, (char) => (char === '&' ? '&amp;' : char === '<' ? '&lt;' : char === '>' ? '&gt;' : '&quot;'))
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd');
}
