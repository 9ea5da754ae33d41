import { noAttributes, undecodable } from './reader.ts';

/** A name with the namespace that its prefix means; empty without one. */
export interface ExpandedName {
  readonly namespace: string;
  readonly local: string;
}

type Prefixes = ReadonlyMap<string, string>;

const ofXml = 'http://www.w3.org/XML/1998/namespace';
const always: Prefixes = new Map([['xml', ofXml]]);

/** Follows the declarations of namespaces in a document (Namespaces in XML 1.0). */
export class NamespaceScope {
  /** What is declared around the element that began last, and in it. */
  #current = always;
  #depth = 0;
  /** What was declared around elements that declare something, and their depths: most declare nothing. */
  readonly #around: Prefixes[] = [];
  readonly #declaring: number[] = [];

  /** An element begins. Throws `body_undecodable` for a declaration that is not allowed. */
  open(attributes: Readonly<Record<string, string>>): void {
    this.#depth++;
    if (attributes === noAttributes) return;
    const around = this.#current;
    let own: Map<string, string> | undefined;
    for (const attribute in attributes) {
      const prefix = attribute === 'xmlns' ? '' : attribute.startsWith('xmlns:') ? attribute.slice(6) : undefined;
      if (prefix === undefined) continue;
      const namespace = attributes[attribute] as string;
      if (prefix === 'xml' || prefix === 'xmlns' || (prefix !== '' && namespace === ''))
        throw undecodable(`the prefix ${prefix} cannot be declared so`);
      own ??= new Map(around);
      own.set(prefix, namespace);
    }
    if (own === undefined) return;
    this.#around.push(around);
    this.#declaring.push(this.#depth);
    this.#current = own;
  }

  /** The name of the element that began last. Throws `body_undecodable` for a prefix that nothing declares. */
  element(name: string): ExpandedName {
    return this.#expanded(name, true);
  }

  close(): void {
    if (this.#declaring.at(-1) === this.#depth--) {
      this.#declaring.pop();
      this.#current = this.#around.pop() as Prefixes;
    }
  }

  /** The name of an attribute of the element that began last: without a prefix it has no namespace. */
  attribute(name: string): ExpandedName {
    return this.#expanded(name, false);
  }

  #expanded(name: string, isElement: boolean): ExpandedName {
    const colon = name.indexOf(':');
    const prefixes = this.#current;
    if (colon < 0) return { namespace: (isElement && prefixes.get('')) || '', local: name };
    const namespace = prefixes.get(name.slice(0, colon));
    const local = name.slice(colon + 1);
    if (namespace === undefined || local === '' || local.includes(':'))
      throw undecodable(`the name ${name.slice(0, 100)} has a prefix that nothing declares`);
    return { namespace, local };
  }
}
