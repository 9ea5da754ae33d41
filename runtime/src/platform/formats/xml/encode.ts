import { Fields, toJson } from '@svc/protocol/cel';
import { Failure } from '../../../foundation/errors/failure.ts';
import { Turns } from '../turns.ts';

/** Writes a map inside of elements that are known beforehand; undefined where the map says something of its element. */
export type XmlFrame = (fields: Row) => string | undefined;

/**
 * The frame of a document: `outer` has the attributes of the root and one element, and so on until one that has nothing but
 * attributes. Its text is the same as that of `encodeXml`, and its tags are written once.
 */
export function xmlFrame(outer: Row, root: string): XmlFrame {
  const empty = encodeXml(outer, root);
  const [begin, end] = encodeXml(withInside(outer, { inside: null }), root).split(/ *<inside\/>\n/) as [string, string];
  let prefixes = declaredBy(outer, undeclared);
  let indent = '  ';
  for (let at = insideOf(outer); at !== undefined; at = insideOf(at[1])) {
    prefixes = declaredBy(at[1], prefixes);
    indent += '  ';
  }
  return (fields) => {
    let children = '';
    for (const key of Object.keys(fields)) {
      if (key.startsWith('@') || key === '#text') return undefined;
      const item = toJson(fields[key]);
      if (fields[key] !== undefined) children += elementOf(key, item, indent, prefixes);
    }
    return children === '' ? empty : begin + children + end;
  };
}

/** The element in another one. */
function insideOf(fields: Row): [name: string, fields: Row] | undefined {
  return Object.entries(fields).find(([key]) => !key.startsWith('@')) as [string, Row] | undefined;
}

function withInside(fields: Row, last: Row): Row {
  const inside = insideOf(fields);
  return inside === undefined ? { ...fields, ...last } : { ...fields, [inside[0]]: withInside(inside[1], last) };
}

/**
 * Writes XML with a root element: maps as elements in their order, `@name` as attributes, `#text` as text, lists as
 * repeated elements (`item` at the top), null and empty maps as empty elements. `@xmlns:p` declares a prefix (Namespaces in
 * XML 1.0) that names inside may have then. What is written is well-formed, whatever the keys are. Throws `output_invalid`
 * for an element that would have one attribute twice.
 */
export function encodeXml(value: unknown, root = 'root'): string {
  const plain = toJson(value);
  const body = elementOf(root, Array.isArray(plain) ? { item: plain } : plain, '', undeclared);
  return declaration + body;
}

/** The same piece by piece, with turns for the event loop between the elements of lists. */
export async function* xmlPieces(value: unknown, root = 'root'): AsyncGenerator<Uint8Array> {
  const turns = new Turns();
  let text = declaration;
  for (const part of partsOf(root, Array.isArray(value) ? { item: value } : value, '', undeclared, 0)) {
    text += part;
    // A short element is a value, or has few of them.
    const turn = turns.after(1 + part.length / charactersOfValue);
    if (turn === undefined) continue;
    yield Buffer.from(text);
    text = '';
    await turn;
  }
  yield Buffer.from(text);
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Characters that are written in the time of a value. */
const charactersOfValue = 40;

/** Levels of elements that are divided; those inside of them are written at once. */
const dividedLevels = 4;

/** The text of an element, divided at the elements in it. */
function* partsOf(
  name: string,
  value: unknown,
  indent: string,
  around: Prefixes,
  level: number,
): Generator<string, void, undefined> {
  if (Array.isArray(value)) {
    for (const item of value)
      if (level >= dividedLevels || typeof item !== 'object')
        yield elementOf(name, listed(toJson(item)), indent, around);
      else yield* partsOf(name, listed(item), indent, around, level + 1);
    return;
  }
  if (!isMap(value)) {
    yield elementOf(name, toJson(value), indent, around);
    return;
  }
  const fields = convertedScalars(value);
  const prefixes = declaredBy(fields, around);
  const children: [string, unknown][] = [];
  const { begin, end } = element(name, fields, indent, prefixes, (key, item) => children.push([key, item]));
  yield begin;
  for (const [key, item] of children) yield* partsOf(key, item, `${indent}  `, prefixes, level + 1);
  yield end;
}
/** Namespaces by their prefixes. */
type Prefixes = ReadonlyMap<string, string>;

const ofXml = 'http://www.w3.org/XML/1998/namespace';
const ofDeclarations = 'http://www.w3.org/2000/xmlns/';
const undeclared: Prefixes = new Map([['xml', ofXml]]);

function elementOf(name: string, value: unknown, indent: string, around: Prefixes): string {
  if (Array.isArray(value)) return value.map((item) => elementOf(name, listed(item), indent, around)).join('');
  if (typeof value !== 'object' || value === null) {
    const tag = qualified(name, around);
    if (value === null || value === undefined) return `${indent}<${tag}/>\n`;
    return `${indent}<${tag}>${textOf(String(value))}</${tag}>\n`;
  }
  const prefixes = declaredBy(value as Row, around);
  const inside = `${indent}  `;
  let children = '';
  const { begin, end } = element(name, value as Row, indent, prefixes, (key, item) => {
    children += elementOf(key, item, inside, prefixes);
  });
  return begin + children + end;
}

type Row = Readonly<Record<string, unknown>>;

interface Element {
  /** The whole element where it has no elements in it. */
  readonly begin: string;
  readonly end: string;
}

/** The element of a map, without those in it, which are given to `child`. */
function element(
  name: string,
  fields: Row,
  indent: string,
  prefixes: Prefixes,
  child: (name: string, value: unknown) => void,
): Element {
  const tag = qualified(name, prefixes);
  let attributes: Attributes | undefined;
  let text = '';
  let hasChildren = false;
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    if (item === undefined) continue;
    if (key === '#text' && (item === null || typeof item !== 'object')) text = textOf(String(item ?? ''));
    else if (isAttribute(key, item)) {
      attributes ??= new Attributes(tag, prefixes);
      attributes.add(key.slice(1), String(item ?? ''));
    } else if (!Array.isArray(item) || item.length > 0) {
      hasChildren = true;
      child(key, item);
    }
  }
  const begin = `${indent}<${tag}${attributes === undefined ? '' : attributes.text}`;
  if (hasChildren) return { begin: `${begin}>${text}\n`, end: `${indent}</${tag}>\n` };
  return { begin: text === '' ? `${begin}/>\n` : `${begin}>${text}</${tag}>\n`, end: '' };
}

/** A list in a list is an element with items. */
function listed(item: unknown): unknown {
  return Array.isArray(item) ? { item } : item;
}

function isMap(value: unknown): value is Row {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Fields.prototype || prototype === null;
}

/** The fields with the values of JSON, but for lists and maps, which are converted when they are written. */
function convertedScalars(value: Row): Row {
  const fields = new Fields();
  for (const [name, item] of Object.entries(value))
    if (item !== undefined) fields[name] = Array.isArray(item) || isMap(item) ? item : toJson(item);
  return fields;
}

function isAttribute(key: string, value: unknown): boolean {
  return key.startsWith('@') && (value === null || typeof value !== 'object');
}

/** The prefixes inside an element. */
function declaredBy(fields: Row, around: Prefixes): Prefixes {
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
  if (!key.includes(':')) return nameOf(key);
  const [prefix = '', local = '', ...more] = key.split(':');
  if (local === '' || more.length > 0 || !prefixes.has(prefix)) return nameOf(key);
  return `${prefix}:${nameOf(local)}`;
}

/** What a name may begin with, and what it may have besides (XML 1.0, 2.3), without the colon. */
const begins =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
const others = new RegExp(`[^${begins}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]`, 'gu');
const beginning = new RegExp(`^[${begins}]`, 'u');

/** Names of keys that are names already: rows of a document have the same ones. */
const known = new Set<string>();
const mostKnown = 1_000;
const longestKnown = 100;

/** The key when it is a name, else the closest one: no key can end a tag or begin another. */
function nameOf(key: string): string {
  if (known.has(key)) return key;
  const replaced = key.replace(others, '_');
  const name = beginning.test(replaced) ? replaced : `_${replaced}`;
  if (name === key && key.length <= longestKnown && known.size < mostKnown) known.add(key);
  return name;
}

/** A text that begins or ends with blanks is put between sections, as readers pass over blanks around others. */
function textOf(text: string): string {
  const written = escaped(text);
  return isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1))
    ? `<![CDATA[]]>${written}<![CDATA[]]>`
    : written;
}

/** Space, tab, carriage return or line feed. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Readers take a carriage return that is written as it is for a line feed.
  '\r': '&#13;',
};

/** What is not written as it is; most texts have nothing of it. */
const special = /[&<>"\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;

function escaped(text: string): string {
  if (!special.test(text)) return text;
  return text
    .replace(/[&<>"\r]/g, (character) => references[character] as string)
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .toWellFormed();
}
