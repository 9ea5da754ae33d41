import { Failure } from '../../errors/failure.ts';
import type { ExpandedName } from '../xml/namespaces.ts';
import { childrenOf, readElements, type XmlElement } from './elements.ts';
import { ofSchema } from './schema-parts.ts';

/** The versions of SOAP that bindings are of. */
export type BoundVersion = '1.1' | '1.2';

/** What a WSDL says of a service that speaks SOAP. */
export interface SoapContract {
  readonly version: BoundVersion;
  /** Where the service is; undefined where no port says it. */
  readonly address: string | undefined;
  readonly operations: readonly ContractOperation[];
  /** The schemas of XML (`xs:schema`) in it. */
  readonly schemas: readonly XmlElement[];
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
}

/** What is in a body: one element of a schema, or an element with parts of their own types (`style="rpc"`). */
export type MessageContent =
  | { readonly kind: 'element'; readonly element: ExpandedName }
  | { readonly kind: 'parts'; readonly parts: readonly XmlElement[] };

/** Why a document describes no such service. */
export class NoContract extends Error {
  override readonly name = 'NoContract';
  /** Where it is not XML; undefined for other reasons. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

const ofWsdl = 'http://schemas.xmlsoap.org/wsdl/';
const bindingsOf: Readonly<Record<BoundVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/wsdl/soap/',
  '1.2': 'http://schemas.xmlsoap.org/wsdl/soap12/',
};
const ofSoap = Object.values(bindingsOf);

/**
 * Reads a WSDL 1.1 document (W3C Note of 15 March 2001). Throws NoContract for another document. What it imports is not
 * read.
 */
export function readContract(text: string): SoapContract {
  const root = rootOf(text);
  if (root.namespace === 'http://www.w3.org/ns/wsdl')
    throw new NoContract('it is a WSDL 2.0 document, and WSDL 1.1 is read');
  if (root.namespace !== ofWsdl || root.local !== 'definitions')
    throw new NoContract(`its root is ${root.local.slice(0, 100)}, not the definitions of a WSDL 1.1 document`);
  return new Definitions(root).contract();
}

function rootOf(text: string): XmlElement {
  try {
    return readElements(text);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const [, says = error.message, line] = /^the body is (.*?)(?: \(line (\d+)\))?$/s.exec(error.message) ?? [];
    throw new NoContract(`it is ${says}`, line === undefined ? undefined : Number(line));
  }
}

class Definitions {
  readonly #root: XmlElement;
  readonly #namespace: string;
  readonly #left: string[] = [];

  constructor(root: XmlElement) {
    this.#root = root;
    this.#namespace = root.attributes['targetNamespace'] ?? '';
  }

  contract(): SoapContract {
    for (const { attributes } of this.#all('import'))
      this.#left.push(
        `import of ${attributes['location'] ?? attributes['namespace'] ?? '?'}: imported documents are not read`,
      );
    const { version, bindings } = this.#bindings();
    const schemas = this.#all('types').flatMap((types) => childrenOf(types, 'schema', ofSchema));
    const found = new Map<string, ContractOperation>();
    for (const binding of bindings)
      for (const operation of this.#operationsOf(binding)) {
        const key = operation.local;
        if (found.has(key)) this.#left.push(`operation ${key}: it is there more than once, and the first was taken`);
        else found.set(key, operation);
      }
    return { version, address: this.#address(bindings), operations: [...found.values()], schemas, left: this.#left };
  }

  #all(local: string): readonly XmlElement[] {
    return childrenOf(this.#root, local, ofWsdl);
  }

  #named(local: string, name: ExpandedName | undefined): XmlElement | undefined {
    if (name === undefined || name.namespace !== this.#namespace) return undefined;
    return this.#all(local).find(({ attributes }) => attributes['name'] === name.local);
  }

  /** The bindings of SOAP, of one version: 1.1 where there is one of it. */
  #bindings(): { readonly version: BoundVersion; readonly bindings: readonly XmlElement[] } {
    const of = (version: BoundVersion) =>
      this.#all('binding').filter((binding) => childrenOf(binding, 'binding', bindingsOf[version]).length > 0);
    const [first, second] = [of('1.1'), of('1.2')];
    const [version, bindings]: [BoundVersion, readonly XmlElement[]] =
      first.length > 0 ? ['1.1', first] : ['1.2', second];
    if (bindings.length === 0) throw new NoContract('it has no binding of SOAP');
    for (const binding of this.#all('binding'))
      if (!bindings.includes(binding)) {
        const kind = second.includes(binding)
          ? 'it is of SOAP 1.2, and its operations of SOAP 1.1 were taken'
          : 'it is not of SOAP';
        this.#left.push(`binding ${binding.attributes['name'] ?? '?'}: ${kind}`);
      }
    return { version, bindings };
  }

  #address(bindings: readonly XmlElement[]): string | undefined {
    const names = new Set(bindings.map(({ attributes }) => attributes['name']));
    const ports = this.#all('service').flatMap((service) => childrenOf(service, 'port', ofWsdl));
    const port = ports.find((each) => names.has(each.names.get('binding')?.local));
    const [address] = port === undefined ? [] : childrenOf(port, 'address', ...ofSoap);
    return address?.attributes['location'];
  }

  #operationsOf(binding: XmlElement): readonly ContractOperation[] {
    const [soap] = childrenOf(binding, 'binding', ...ofSoap);
    const portType = this.#named('portType', binding.names.get('type'));
    if (portType === undefined) {
      this.#left.push(`binding ${binding.attributes['name'] ?? '?'}: its portType is not in the document`);
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
    const said = { documentation: documentation?.text ?? '', action: action || undefined, output: answer };
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
    const faults = childrenOf(operation, 'fault', ofWsdl).map(({ attributes }) => attributes['name'] ?? '?');
    if (faults.length > 0)
      this.#left.push(`operation ${name}: the details of its faults (${faults.join(', ')}) are those of svc`);
  }

  #contentOf(message: XmlElement | undefined, style: string): MessageContent | undefined {
    if (message === undefined) return undefined;
    const parts = childrenOf(message, 'part', ofWsdl);
    if (style === 'rpc') return { kind: 'parts', parts };
    const element = parts.map(({ names }) => names.get('element')).find((each) => each !== undefined);
    return element && { kind: 'element', element };
  }
}
