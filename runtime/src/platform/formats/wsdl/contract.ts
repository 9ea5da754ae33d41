import type { ExpandedName } from '../xml/namespaces.ts';
import { type DescriptionFile, type Documents, ofWsdl, readDocuments } from './documents.ts';
import { childrenOf, keyOf, type XmlElement } from './elements.ts';
import { failureNamespace } from './failure-namespace.ts';
import { NoContract } from './no-contract.ts';

/** The versions of SOAP that bindings are of. */
export type BoundVersion = '1.1' | '1.2';

/** What a WSDL says of a service that speaks SOAP. */
export interface SoapContract {
  readonly version: BoundVersion;
  /** The first binding of that version. */
  readonly binding: XmlElement;
  /** Where the service is; undefined where no port says it. */
  readonly address: string | undefined;
  readonly operations: readonly ContractOperation[];
  /** The schemas of XML (`xs:schema`) in it, and in what it imports. */
  readonly schemas: readonly XmlElement[];
  /** What it imports from places that are not read, a sentence each. */
  readonly unread: readonly string[];
  /** What no configuration says, a sentence each. */
  readonly left: readonly string[];
}

/** An operation: requests of it have its element in their body. */
export interface ContractOperation extends ExpandedName {
  readonly documentation: string;
  /** What requests of it say in their header; undefined where the binding does not say it. */
  readonly action: string | undefined;
  readonly input: MessageContent;
  /** Undefined: it is not answered. */
  readonly output: MessageContent | undefined;
  /** What binds it. */
  readonly bound: XmlElement;
}

/** What is in a body: one element of a schema, or an element with parts of their own types (`style="rpc"`). */
export type MessageContent =
  | { readonly kind: 'element'; readonly element: ExpandedName }
  | { readonly kind: 'parts'; readonly parts: readonly XmlElement[] };

const bindingsOf: Readonly<Record<BoundVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/wsdl/soap/',
  '1.2': 'http://schemas.xmlsoap.org/wsdl/soap12/',
};
const ofSoap = Object.values(bindingsOf);

/**
 * Reads a WSDL 1.1 document (W3C Note of 15 March 2001) with the files beside it that it imports. Throws NoContract for another
 * document.
 */
export function readContract(file: DescriptionFile): SoapContract {
  const documents = readDocuments(file);
  const [root] = documents.definitions as readonly [XmlElement];
  if (root.namespace === 'http://www.w3.org/ns/wsdl')
    throw new NoContract('it is a WSDL 2.0 document, and WSDL 1.1 is read');
  if (root.namespace !== ofWsdl || root.local !== 'definitions')
    throw new NoContract(`its root is ${root.local.slice(0, 100)}, not the definitions of a WSDL 1.1 document`);
  return new Definitions(documents).contract();
}

/** Something that definitions name, with the namespace of its name. */
interface Named {
  readonly element: XmlElement;
  readonly namespace: string;
}

class Definitions {
  readonly #documents: Documents;
  /** Messages and port types by kind and name. */
  readonly #byName = new Map<string, XmlElement>();
  readonly #left: string[] = [];

  constructor(documents: Documents) {
    this.#documents = documents;
    for (const local of ['message', 'portType'])
      for (const named of this.#all(local)) {
        const key = `${local} ${keyOfNamed(named)}`;
        if (!this.#byName.has(key)) this.#byName.set(key, named.element);
      }
  }

  contract(): SoapContract {
    const { version, bindings } = this.#bindings();
    const found = new Map<string, ContractOperation>();
    for (const binding of bindings)
      for (const operation of this.#operationsOf(binding.element)) {
        const key = operation.local;
        if (found.has(key)) this.#left.push(`operation ${key}: it is there more than once, and the first was taken`);
        else found.set(key, operation);
      }
    const { schemas, unread } = this.#documents;
    const address = this.#address(bindings);
    const [{ element: binding }] = bindings as readonly [Named];
    return { version, binding, address, operations: [...found.values()], schemas, unread, left: this.#left };
  }

  #all(local: string): readonly Named[] {
    return this.#documents.definitions.flatMap((root) =>
      childrenOf(root, local, ofWsdl).map((element) => ({
        element,
        namespace: root.attributes['targetNamespace'] ?? '',
      })),
    );
  }

  #named(local: 'message' | 'portType', name: ExpandedName | undefined): XmlElement | undefined {
    return name && this.#byName.get(`${local} ${keyOf(name)}`);
  }

  /** The bindings of SOAP, of one version: 1.1 where there is one of it. */
  #bindings(): { readonly version: BoundVersion; readonly bindings: readonly Named[] } {
    const all = this.#all('binding');
    const of = (version: BoundVersion) =>
      all.filter(({ element }) => childrenOf(element, 'binding', bindingsOf[version]).length > 0);
    const [first, second] = [of('1.1'), of('1.2')];
    const [version, bindings]: [BoundVersion, readonly Named[]] = first.length > 0 ? ['1.1', first] : ['1.2', second];
    if (bindings.length === 0)
      throw new NoContract(['it has no binding of SOAP', ...this.#documents.unread].join('; '));
    for (const binding of all)
      if (!bindings.includes(binding)) {
        const kind = second.includes(binding)
          ? 'it is of SOAP 1.2, and its operations of SOAP 1.1 were taken'
          : 'it is not of SOAP';
        this.#left.push(`binding ${binding.element.attributes['name'] ?? '?'}: ${kind}`);
      }
    return { version, bindings };
  }

  #address(bindings: readonly Named[]): string | undefined {
    const names = new Set(bindings.map(keyOfNamed));
    const ports = this.#all('service').flatMap(({ element }) => childrenOf(element, 'port', ofWsdl));
    const port = ports.find(({ names: own }) => {
      const binding = own.get('binding');
      return binding !== undefined && names.has(keyOf(binding));
    });
    const [address] = port === undefined ? [] : childrenOf(port, 'address', ...ofSoap);
    return address?.attributes['location'];
  }

  #operationsOf(binding: XmlElement): readonly ContractOperation[] {
    const [soap] = childrenOf(binding, 'binding', ...ofSoap);
    const portType = this.#named('portType', binding.names.get('type'));
    if (portType === undefined) {
      this.#left.push(`binding ${binding.attributes['name'] ?? '?'}: its portType is not in the documents`);
      return [];
    }
    const described = childrenOf(portType, 'operation', ofWsdl);
    return childrenOf(binding, 'operation', ofWsdl).flatMap((bound) => {
      const name = bound.attributes['name'] ?? '';
      const operation = described.find(({ attributes }) => attributes['name'] === name);
      const [own] = childrenOf(bound, 'operation', ...ofSoap);
      const style = own?.attributes['style'] ?? soap?.attributes['style'] ?? 'document';
      const made = operation && this.#operationOf(operation, bound, style);
      return made === undefined ? [] : [made];
    });
  }

  #operationOf(operation: XmlElement, bound: XmlElement, style: string): ContractOperation | undefined {
    const name = operation.attributes['name'] ?? '?';
    const [input] = childrenOf(operation, 'input', ofWsdl);
    if (input === undefined) {
      this.#left.push(`operation ${name}: the service calls it, and is not called (it has no input)`);
      return undefined;
    }
    const [output] = childrenOf(operation, 'output', ofWsdl);
    const bodyOf = (direction: string) =>
      childrenOf(bound, direction, ofWsdl).flatMap((each) => childrenOf(each, 'body', ...ofSoap))[0];
    if ([bodyOf('input'), bodyOf('output')].some((body) => body?.attributes['use'] === 'encoded')) {
      this.#left.push(`operation ${name}: its messages are encoded (use="encoded")`);
      return undefined;
    }
    this.#noteBeside(name, operation, bound);
    const [content, answer] = [input, output].map(
      (each) => each && this.#contentOf(this.#named('message', each.names.get('message')), style),
    );
    const [documentation] = childrenOf(operation, 'documentation', ofWsdl);
    const [own] = childrenOf(bound, 'operation', ...ofSoap);
    const action = own?.attributes['soapAction'];
    const said = { documentation: documentation?.text ?? '', action: action || undefined, output: answer, bound };
    if (style === 'rpc' && content?.kind === 'parts')
      return { namespace: bodyOf('input')?.attributes['namespace'] ?? '', local: name, ...said, input: content };
    if (content?.kind === 'element') return { ...content.element, ...said, input: content };
    this.#left.push(`operation ${name}: its request is not one element of a schema`);
    return undefined;
  }

  #noteBeside(name: string, operation: XmlElement, bound: XmlElement): void {
    const parts = ['input', 'output'].flatMap((direction) => childrenOf(bound, direction, ofWsdl));
    if (parts.some((part) => childrenOf(part, 'header', ...ofSoap).length > 0))
      this.#left.push(`operation ${name}: its header is neither read nor written`);
    if (parts.some(({ children }) => children.some(({ local }) => local === 'multipartRelated')))
      this.#left.push(`operation ${name}: attachments are refused`);
    const faults = childrenOf(operation, 'fault', ofWsdl)
      .filter((fault) => !this.#isOwn(fault))
      .map(({ attributes }) => attributes['name'] ?? '?');
    if (faults.length > 0)
      this.#left.push(`operation ${name}: the details of its faults (${faults.join(', ')}) are those of svc`);
  }

  /** Whether the details of a fault are those that services of svc answer. */
  #isOwn(fault: XmlElement): boolean {
    const content = this.#contentOf(this.#named('message', fault.names.get('message')), 'document');
    return content?.kind === 'element' && content.element.namespace === failureNamespace;
  }

  #contentOf(message: XmlElement | undefined, style: string): MessageContent | undefined {
    if (message === undefined) return undefined;
    const parts = childrenOf(message, 'part', ofWsdl);
    if (style === 'rpc') return { kind: 'parts', parts };
    const element = parts.map(({ names }) => names.get('element')).find((each) => each !== undefined);
    return element && { kind: 'element', element };
  }
}

function keyOfNamed({ element, namespace }: Named): string {
  return keyOf({ namespace, local: element.attributes['name'] ?? '' });
}
