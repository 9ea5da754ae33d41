import type { DecodingBudget } from '../../../platform/formats/budget.ts';
import { type ExpandedName, NamespaceScope } from '../../../platform/formats/xml/namespaces.ts';
import { noAttributes, undecodable, XmlReader } from '../../../platform/formats/xml/reader.ts';
import { ContentTree } from '../../../platform/formats/xml/tree.ts';
import { FaultFailure } from './fault-failure.ts';
import { type SoapVersion, versionOf, versions } from './version.ts';

/** A block of the header of an envelope. */
export interface HeaderBlock extends ExpandedName {
  /** Whether it is for this service, which must understand it or refuse the message. */
  readonly mustUnderstand: boolean;
  /** Its content, with attributes as `@name`. */
  readonly value: unknown;
}

/** What an envelope says. */
export interface Envelope {
  readonly version: SoapVersion;
  readonly headers: readonly HeaderBlock[];
  /** The element in the body; undefined for an empty body. */
  readonly operation: ExpandedName | undefined;
  /** The content of that element: fields by local name, or a text. */
  readonly content: unknown;
}

const ofInstances = 'http://www.w3.org/2001/XMLSchema-instance';
const ofIncludes = 'http://www.w3.org/2004/08/xop/include';

/** Who is meant by a block without a name of its own, or as the next one to read it. */
const meansNext: ReadonlySet<string> = new Set([
  '',
  'http://schemas.xmlsoap.org/soap/actor/next',
  'http://www.w3.org/2003/05/soap-envelope/role/next',
  'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
]);

/** A block of the header that has begun. */
interface OpenBlock extends ExpandedName {
  readonly mustUnderstand: boolean;
}

/**
 * Reads an envelope that comes piece by piece. Elements become fields by local name, repeated ones lists, texts texts,
 * `xsi:nil` null; attributes of the body are passed over. Throws as `XmlReader` does, `body_undecodable` for what is not an
 * envelope, and a FaultFailure for the envelope of another version.
 */
export class EnvelopeReader {
  readonly #reader: XmlReader;
  readonly #budget: DecodingBudget;
  readonly #scope = new NamespaceScope();
  /** Whether the elements of the content that are open have no value. */
  readonly #nils: boolean[] = [];
  readonly #headers: HeaderBlock[] = [];
  #depth = 0;
  #version: SoapVersion | undefined;
  #part: 'Header' | 'Body' | undefined;
  #hasBody = false;
  #block: OpenBlock | undefined;
  #operation: ExpandedName | undefined;
  #content: unknown;
  #tree: ContentTree | undefined;
  #spent = 0;

  constructor(budget: DecodingBudget) {
    this.#budget = budget;
    this.#reader = new XmlReader(
      {
        open: (name, attributes) => this.#open(name, attributes),
        close: () => this.#close(),
        text: (text, isData) => this.#text(text, isData),
      },
      budget,
    );
  }

  write(text: string): void {
    this.#reader.write(text);
  }

  end(): Envelope {
    this.#reader.end();
    if (this.#version === undefined || !this.#hasBody) throw undecodable('it has no soap:Body');
    return { version: this.#version, headers: this.#headers, operation: this.#operation, content: this.#content };
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#scope.open(attributes);
    const depth = ++this.#depth;
    if (depth === 1) return this.#begin(this.#scope.element(name));
    if (depth === 2) return this.#enter(this.#scope.element(name));
    // Most elements have no prefix, and their namespace says nothing.
    const isPlain = !name.includes(':') && name !== 'Include';
    const local = isPlain ? name : this.#contentName(name);
    if (depth === 3) this.#beginContent(this.#scope.element(name), attributes);
    const isBody = this.#part === 'Body';
    this.#nils.push(isBody && this.#isNil(attributes));
    this.#tree?.open(local, isBody ? noAttributes : attributes);
  }

  #contentName(name: string): string {
    const { namespace, local } = this.#scope.element(name);
    if (namespace === ofIncludes)
      throw new FaultFailure(
        'Client',
        'attachments (xop:Include of MTOM) are not accepted: send the data in the element',
      );
    return local;
  }

  #close(): void {
    const depth = this.#depth--;
    this.#scope.close();
    if (depth === 2) this.#part = undefined;
    if (depth <= 2) return;
    const tree = this.#tree as ContentTree;
    tree.close(this.#nils.pop());
    if (depth > 3) return;
    this.#spent = tree.spent;
    this.#tree = undefined;
    if (this.#part === 'Body') this.#content = tree.root;
    else this.#headers.push({ ...(this.#block as OpenBlock), value: tree.root });
  }

  #text(text: string, isData: boolean): void {
    if (this.#tree !== undefined) this.#tree.text(text, isData);
    else if (!/^[ \t\r\n]*$/.test(text)) throw undecodable('it has text between the parts of its envelope');
  }

  #begin({ namespace, local }: ExpandedName): void {
    if (local !== 'Envelope') throw undecodable('its root is not a soap:Envelope');
    this.#version = versionOf(namespace);
    if (this.#version === undefined)
      throw new FaultFailure('VersionMismatch', 'the envelope is of a version of SOAP that is not served');
  }

  #enter({ namespace, local }: ExpandedName): void {
    const isPart = namespace === versions[this.#version as SoapVersion].namespace;
    if (isPart && local === 'Header' && !this.#hasBody && this.#headers.length === 0) this.#part = 'Header';
    else if (isPart && local === 'Body' && !this.#hasBody) {
      this.#part = 'Body';
      this.#hasBody = true;
    } else throw undecodable(`its envelope has the part ${local.slice(0, 100)} where it is not expected`);
  }

  #beginContent(expanded: ExpandedName, attributes: Readonly<Record<string, string>>): void {
    if (this.#part === 'Header') this.#block = this.#blockOf(expanded, attributes);
    else if (this.#operation !== undefined) throw undecodable('its soap:Body has more than one element');
    else this.#operation = expanded;
    this.#tree = new ContentTree(this.#budget);
    this.#tree.spent = this.#spent;
  }

  #blockOf(expanded: ExpandedName, attributes: Readonly<Record<string, string>>): OpenBlock {
    let mustUnderstand = false;
    let addressee = '';
    const own = versions[this.#version as SoapVersion].namespace;
    for (const name in attributes) {
      if (!name.includes(':') || name.startsWith('xmlns:')) continue;
      const { namespace, local } = this.#scope.attribute(name);
      if (namespace !== own) continue;
      if (local === 'mustUnderstand') mustUnderstand = /^\s*(1|true)\s*$/.test(attributes[name] as string);
      if (local === 'actor' || local === 'role') addressee = (attributes[name] as string).trim();
    }
    return { ...expanded, mustUnderstand: mustUnderstand && meansNext.has(addressee) };
  }

  #isNil(attributes: Readonly<Record<string, string>>): boolean {
    if (attributes === noAttributes) return false;
    for (const name in attributes) {
      if (!name.endsWith(':nil') || !/^\s*(1|true)\s*$/.test(attributes[name] as string)) continue;
      if (this.#scope.attribute(name).namespace === ofInstances) return true;
    }
    return false;
  }
}
