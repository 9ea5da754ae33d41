import { undecodable } from './reader.ts';

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
  readonly #scopes: Prefixes[] = [];

  /** An element begins. Throws `body_undecodable` for a declaration that is not allowed. */
  open(attributes: Readonly<Record<string, string>>): void {
    const around = this.#scopes.at(-1) ?? always;
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
    this.#scopes.push(own ?? around);
  }

  /** The name of the element that began last. Throws `body_undecodable` for a prefix that nothing declares. */
  element(name: string): ExpandedName {
    return this.#expanded(name, true);
  }

  close(): void {
    this.#scopes.pop();
  }

  /** The name of an attribute of the element that began last: without a prefix it has no namespace. */
  attribute(name: string): ExpandedName {
    return this.#expanded(name, false);
  }

  #expanded(name: string, isElement: boolean): ExpandedName {
    const colon = name.indexOf(':');
    const prefixes = this.#scopes.at(-1) ?? always;
    if (colon < 0) return { namespace: (isElement && prefixes.get('')) || '', local: name };
    const namespace = prefixes.get(name.slice(0, colon));
    const local = name.slice(colon + 1);
    if (namespace === undefined || local === '' || local.includes(':'))
      throw undecodable(`the name ${name.slice(0, 100)} has a prefix that nothing declares`);
    return { namespace, local };
  }
}
