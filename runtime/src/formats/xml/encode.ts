import { toJson } from '@svc/protocol/cel';
import { Failure } from '../../errors/failure.ts';

/**
 * Writes XML with a root element: maps as elements in their order, `@name` as attributes, `#text` as text, lists as
 * repeated elements (`item` at the top), null and empty maps as empty elements. `@xmlns:p` declares a prefix (Namespaces in
 * XML 1.0) that names inside may have then. What is written is well-formed, whatever the keys are. Throws `output_invalid`
 * for an element that would have one attribute twice.
 */
export function encodeXml(value: unknown, root = 'root'): string {
  const plain = toJson(value);
  const body = elementOf(root, Array.isArray(plain) ? { item: plain } : plain, '', undeclared);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
}

/** Namespaces by their prefixes. */
type Prefixes = ReadonlyMap<string, string>;

const ofXml = 'http://www.w3.org/XML/1998/namespace';
const ofDeclarations = 'http://www.w3.org/2000/xmlns/';
const undeclared: Prefixes = new Map([['xml', ofXml]]);

function elementOf(name: string, value: unknown, indent: string, around: Prefixes): string {
  if (Array.isArray(value))
    return value.map((item) => elementOf(name, Array.isArray(item) ? { item } : item, indent, around)).join('');
  const isMap = typeof value === 'object' && value !== null;
  const prefixes = isMap ? declaredBy(value as Fields, around) : around;
  const tag = qualified(name, prefixes);
  if (!isMap) {
    if (value === null || value === undefined) return `${indent}<${tag}/>\n`;
    return `${indent}<${tag}>${textOf(String(value))}</${tag}>\n`;
  }
  const attributes = new Attributes(tag, prefixes);
  let text = '';
  let children = '';
  for (const [key, item] of Object.entries(value as Fields)) {
    if (item === undefined) continue;
    if (key === '#text' && (item === null || typeof item !== 'object')) text = textOf(String(item ?? ''));
    else if (isAttribute(key, item)) attributes.add(key.slice(1), String(item ?? ''));
    else children += elementOf(key, item, `${indent}  `, prefixes);
  }
  const begin = `${indent}<${tag}${attributes.text}`;
  if (children !== '') return `${begin}>${text}\n${children}${indent}</${tag}>\n`;
  return text === '' ? `${begin}/>\n` : `${begin}>${text}</${tag}>\n`;
}

type Fields = Readonly<Record<string, unknown>>;

function isAttribute(key: string, value: unknown): boolean {
  return key.startsWith('@') && (value === null || typeof value !== 'object');
}

/** The prefixes inside an element. */
function declaredBy(fields: Fields, around: Prefixes): Prefixes {
  let prefixes: Map<string, string> | undefined;
  for (const key in fields) {
    if (!key.startsWith('@xmlns:')) continue;
    const prefix = key.slice('@xmlns:'.length);
    const namespace = fields[key];
    if (prefix !== nameOf(prefix) || prefix === 'xml' || prefix === 'xmlns') continue;
    if (typeof namespace !== 'string' || namespace === '' || isReserved(namespace)) continue;
    prefixes ??= new Map(around);
    prefixes.set(prefix, namespace);
  }
  return prefixes ?? around;
}

function isReserved(namespace: string): boolean {
  return namespace === ofXml || namespace === ofDeclarations;
}

/** The attributes of one element. */
class Attributes {
  readonly #tag: string;
  readonly #prefixes: Prefixes;
  readonly #names = new Set<string>();
  text = '';

  constructor(tag: string, prefixes: Prefixes) {
    this.#tag = tag;
    this.#prefixes = prefixes;
  }

  add(key: string, value: string): void {
    const name = this.#nameOf(key, value);
    const [prefix = '', local] = name.includes(':') ? name.split(':') : ['', name];
    // Two prefixes may have one namespace.
    const known = prefix === 'xmlns' || prefix === '' ? name : `{${this.#prefixes.get(prefix)}}${local}`;
    if (this.#names.has(known))
      throw new Failure('output_invalid', `the element <${this.#tag}> would have the attribute ${name} twice`);
    this.#names.add(known);
    this.text += ` ${name}="${escaped(value).replace(/[\t\n]/g, (blank) => `&#${blank.charCodeAt(0)};`)}"`;
  }

  #nameOf(key: string, value: string): string {
    if (key === 'xmlns') return isReserved(value) ? '_xmlns' : key;
    const isDeclaration = key.startsWith('xmlns:') && this.#prefixes.get(key.slice('xmlns:'.length)) === value;
    return isDeclaration && key !== 'xmlns:xml' ? key : qualified(key, this.#prefixes);
  }
}

/** The name of an element or attribute: with its prefix where that is declared. */
function qualified(key: string, prefixes: Prefixes): string {
  const [prefix = '', local = '', ...more] = key.split(':');
  if (local === '' || more.length > 0 || !prefixes.has(prefix)) return nameOf(key);
  return `${prefix}:${nameOf(local)}`;
}

/** What a name may begin with, and what it may have besides (XML 1.0, 2.3), without the colon. */
const begins =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
const others = new RegExp(`[^${begins}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]`, 'gu');
const beginning = new RegExp(`^[${begins}]`, 'u');

/** The key when it is a name, else the closest one: no key can end a tag or begin another. */
function nameOf(key: string): string {
  const name = key.replace(others, '_');
  return beginning.test(name) ? name : `_${name}`;
}

/** A text that begins or ends with blanks is put between sections, as readers pass over blanks around others. */
function textOf(text: string): string {
  const written = escaped(text);
  return /^[ \t\r\n]|[ \t\r\n]$/.test(text) ? `<![CDATA[]]>${written}<![CDATA[]]>` : written;
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Readers take a carriage return that is written as it is for a line feed.
  '\r': '&#13;',
};

function escaped(text: string): string {
  return text
    .replace(/[&<>"\r]/g, (character) => references[character] as string)
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .toWellFormed();
}
