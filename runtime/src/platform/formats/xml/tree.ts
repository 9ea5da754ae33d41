import { Fields } from '@svc/protocol/cel';
import { beyondBudget, type DecodingBudget } from '../budget.ts';
import { addField } from '../form.ts';
import { noAttributes, XmlReader } from './reader.ts';

/** An element that has begun. */
interface Element {
  readonly name: string;
  fields: Record<string, unknown> | undefined;
  text: string;
  /** Where in the text the first CDATA section begins, and the last one ends; its blanks are the author's. */
  dataFrom: number | undefined;
  dataUntil: number;
}

/** An element inside the root, when it is whole. */
export type TakeChild = (name: string, value: unknown) => void;

/**
 * The value of a document that comes piece by piece: child elements by local name, repeated ones as a list, attributes as
 * `@name`, text beside either as `#text`; every leaf is text. Of two attributes with one local name, the one with a prefix
 * keeps it. `take` is given the elements inside the root, which are not kept then. Throws as `XmlReader`, and
 * `body_too_large` beyond the budget.
 */
export class XmlTree {
  readonly #reader: XmlReader;
  readonly #content: ContentTree;

  constructor(budget: DecodingBudget, take?: TakeChild) {
    const content = new ContentTree(budget, take);
    this.#content = content;
    this.#reader = new XmlReader(
      {
        open: (name, attributes) => content.open(name, attributes),
        close: () => content.close(),
        text: (text, isData) => content.text(text, isData),
      },
      budget,
    );
  }

  write(text: string): void {
    this.#reader.write(text);
  }

  /** The content of the root, a text where it has nothing else. */
  end(): unknown {
    this.#reader.end();
    return this.#content.root;
  }

  /** What was counted belongs to elements that are not kept any more. */
  startOver(): void {
    this.#content.spent = 0;
  }

  get spent(): number {
    return this.#content.spent;
  }

  /** The attributes of the root, as its fields; those about its schema (`xsi:`) aside. */
  get attributes(): Readonly<Record<string, unknown>> | undefined {
    return this.#content.attributes;
  }

  /** The text of the root so far, without blanks between elements that are taken. */
  get text(): string {
    return this.#content.rootText;
  }
}

/** The value of one element out of what a reader finds in it, in the order of the document. */
export class ContentTree {
  /** The content of the element, once it is closed. */
  root: unknown;
  /** Values so far. */
  spent = 0;
  attributes: Readonly<Record<string, unknown>> | undefined;
  readonly #budget: DecodingBudget;
  readonly #take: TakeChild | undefined;
  readonly #open: Element[] = [];
  /** Local names by names as they are written: a parser makes a text of each, and a new text is slow as a key. */
  readonly #names = new Map<string, string>();

  constructor(budget: DecodingBudget, take?: TakeChild) {
    this.#budget = budget;
    this.#take = take;
  }

  get depth(): number {
    return this.#open.length;
  }

  get rootText(): string {
    return this.#open[0]?.text ?? '';
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#open.length > 0) this.#spend();
    const fields = attributes === noAttributes ? undefined : this.#fieldsOf(attributes);
    if (this.#open.length === 0 && fields !== undefined) {
      const own = Object.entries(fields).filter(([key]) => !isOfSchema(key, attributes));
      if (own.length > 0) this.attributes = mapOf(own);
    }
    this.#open.push({ name: this.#nameOf(name), fields, text: '', dataFrom: undefined, dataUntil: 0 });
  }

  text(text: string, isData: boolean): void {
    const element = this.#open.at(-1) as Element;
    if (!isData && this.#take !== undefined && this.#open.length === 1 && isAllBlank(text)) return;
    if (isData) element.dataFrom ??= element.text.length;
    element.text += text;
    if (isData) element.dataUntil = element.text.length;
  }

  /** `isNil`: the element says that it has no value. */
  close(isNil = false): void {
    const element = this.#open.pop() as Element;
    const value = isNil ? null : contentOf(element);
    const parent = this.#open.at(-1);
    if (parent === undefined) this.root = value;
    else if (this.#take !== undefined && this.#open.length === 1) this.#take(element.name, value);
    else {
      parent.fields ??= emptyMap();
      addField(parent.fields, element.name, value);
    }
  }

  #fieldsOf(attributes: Readonly<Record<string, string>>): Record<string, unknown> | undefined {
    let fields: Record<string, unknown> | undefined;
    for (const written in attributes) {
      if (written === 'xmlns' || written.startsWith('xmlns:')) continue;
      this.#spend();
      fields ??= emptyMap();
      const local = localName(written);
      const isTaken = local !== written && (local in attributes || `@${local}` in fields);
      fields[`@${isTaken ? written : local}`] = attributes[written];
    }
    return fields;
  }

  #nameOf(written: string): string {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    const local = localName(written);
    this.#names.set(written, local);
    return local;
  }

  #spend(): void {
    const { keys, values } = this.#budget;
    if (++this.spent > Math.min(keys, values)) throw beyondBudget(this.#budget, keys < values ? 'keys' : 'values');
  }
}

function contentOf({ fields, text, dataFrom, dataUntil }: Element): unknown {
  const plain =
    dataFrom === undefined
      ? withoutBlanks(text, true, true)
      : withoutBlanks(text.slice(0, dataFrom), true, false) +
        text.slice(dataFrom, dataUntil) +
        withoutBlanks(text.slice(dataUntil), false, true);
  if (fields === undefined) return plain;
  if (plain !== '') fields['#text'] = plain;
  return fields;
}

/** The text without the blanks of XML (2.3) around it; other spaces are text. */
function withoutBlanks(text: string, before: boolean, after: boolean): string {
  let from = 0;
  let until = text.length;
  if (before) while (from < until && isBlank(text.charCodeAt(from))) from++;
  if (after) while (until > from && isBlank(text.charCodeAt(until - 1))) until--;
  return text.slice(from, until);
}

function isAllBlank(text: string): boolean {
  return withoutBlanks(text, true, false) === '';
}

/** Whether an attribute of the root says where its schema is (XML Schema 1, 2.6). */
function isOfSchema(field: string, attributes: Readonly<Record<string, string>>): boolean {
  const name = field.slice(1);
  return name.startsWith('xsi:') || (!(name in attributes) && `xsi:${name}` in attributes);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** A name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function mapOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const map = emptyMap();
  for (const [key, value] of entries) map[key] = value;
  return map;
}

export function emptyMap(): Record<string, unknown> {
  return new Fields();
}
