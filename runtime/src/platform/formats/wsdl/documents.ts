import { posix } from 'node:path';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { ExpandedName } from '../xml/namespaces.ts';
import { childrenOf, readElements, type XmlElement } from './elements.ts';
import { NoContract } from './no-contract.ts';
import { ofSchema } from './schema-parts.ts';

/** The namespace of WSDL 1.1. */
export const ofWsdl = 'http://schemas.xmlsoap.org/wsdl/';

/** Where a description is read from. */
export interface DescriptionFile {
  readonly text: string;
  /** Below the folder that `read` reads, with `/`. */
  readonly path: string;
  /** The text of a file of that folder by its path. Throws an Error that says why it cannot be read. */
  readonly read: (path: string) => string;
}

/** A description with everything that it imports. */
export interface Documents {
  /** The document that was given, and those of WSDL that it imports. */
  readonly definitions: readonly XmlElement[];
  /** The schemas of XML (`xs:schema`) in all of them. */
  readonly schemas: readonly XmlElement[];
  /** What is imported and was not read, a sentence each. */
  readonly unread: readonly string[];
}

/** Files that one description may consist of, and characters in all of them. */
export const mostDocuments = 100;
export const mostCharacters = 16 * 1024 * 1024;

/** Namespaces of attributes and types that come with XML: their schemas are named by address, and say nothing of messages. */
const known: readonly string[] = [
  'http://www.w3.org/XML/1998/namespace',
  ofSchema,
  ofWsdl,
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
  'http://www.w3.org/2005/05/xmlmime',
];

/**
 * Reads a description and the files beside it that it imports: nothing is fetched. Throws NoContract for what is not XML, and
 * for more than `mostDocuments` or `mostCharacters`.
 */
export function readDocuments({ text, path, read }: DescriptionFile): Documents {
  const reading = new Reading(read);
  reading.document(text, posix.normalize(path), undefined);
  return reading;
}

class Reading implements Documents {
  readonly definitions: XmlElement[] = [];
  readonly schemas: XmlElement[] = [];
  readonly unread: string[] = [];
  readonly #read: DescriptionFile['read'];
  readonly #roots = new Map<string, { readonly root: XmlElement; readonly characters: number }>();
  /** Schemas of files that were taken, by namespace and path. */
  readonly #included = new Set<string>();
  #characters = 0;

  constructor(read: DescriptionFile['read']) {
    this.#read = read;
  }

  /** Takes the root of a document of WSDL, or of a schema that is imported as one. */
  document(text: string, path: string, importer: string | undefined): void {
    const root = this.#parsed(text, path, importer);
    if (importer !== undefined && isSchema(root)) return this.#schema(root, path);
    if (importer === undefined || (root.namespace === ofWsdl && root.local === 'definitions')) {
      this.definitions.push(root);
      for (const types of childrenOf(root, 'types', ofWsdl))
        for (const schema of childrenOf(types, 'schema', ofSchema)) this.#schema(schema, path);
      for (const imported of childrenOf(root, 'import', ofWsdl)) this.#definitions(imported, path);
      return;
    }
    throw new NoContract(
      `its root is ${shown(root.local)}, not the definitions of a WSDL 1.1 document`,
      undefined,
      path,
    );
  }

  #definitions({ attributes }: XmlElement, path: string): void {
    const { location, namespace = '' } = attributes;
    if (location === undefined) {
      this.unread.push(`import of ${shown(namespace || '?')}: it does not say a location`);
      return;
    }
    const found = this.#located('import', location, path);
    if (found !== undefined && !this.#roots.has(found)) this.document(this.#text(found, path), found, path);
  }

  #schema(schema: XmlElement, path: string): void {
    this.schemas.push(schema);
    for (const child of schema.children) {
      if (child.namespace !== ofSchema || !['import', 'include', 'redefine'].includes(child.local)) continue;
      const { schemaLocation: location, namespace = '' } = child.attributes;
      // A schema may be imported by its namespace alone, where it is in the same description.
      if (location === undefined || (child.local === 'import' && known.includes(namespace))) continue;
      if (child.local === 'redefine') this.unread.push(`redefine of ${shown(location)}: redefined types are not read`);
      else this.#beside(child.local as 'import' | 'include', location, schema, path);
    }
  }

  /** A schema in a file of its own; one without a namespace takes that of the schema that includes it. */
  #beside(kind: 'import' | 'include', location: string, schema: XmlElement, path: string): void {
    const found = this.#located(kind, location, path);
    if (found === undefined) return;
    const root = this.#roots.get(found)?.root ?? this.#parsed(this.#text(found, path), found, path);
    if (!isSchema(root))
      throw new NoContract(`its root is ${shown(root.local)}, not a schema of XML`, undefined, found);
    const own = root.attributes['targetNamespace'] ?? '';
    const target = schema.attributes['targetNamespace'] ?? '';
    if (kind === 'include' && own !== '' && own !== target)
      throw new NoContract(`${path} includes it, and its namespace is another one: ${shown(own)}`, undefined, found);
    const key = `${kind === 'include' ? target : own} ${found}`;
    if (this.#included.has(key)) return;
    this.#included.add(key);
    if (kind === 'import' || own === target) return this.#schema(root, found);
    this.#count(this.#roots.get(found)?.characters ?? 0);
    this.#schema(adopted(root, target), found);
  }

  /** The path of a file that may be read; undefined for another place, which is noted. */
  #located(kind: string, location: string, path: string): string | undefined {
    const why = /^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(location)
      ? 'nothing is fetched'
      : /[?#]/.test(location)
        ? 'it names no file'
        : undefined;
    const found = why === undefined ? posix.join(posix.dirname(path), decoded(location)) : '';
    if (why === undefined && found !== '..' && !found.startsWith('../')) return found;
    this.unread.push(
      `${kind} of ${shown(location)} in ${path}: ${why ?? 'it is outside of the folder'}; save it beside ${path}, and write its path relative to that`,
    );
    return undefined;
  }

  #text(path: string, importer: string): string {
    try {
      return this.#read(path);
    } catch (error) {
      throw new NoContract(`of what it imports, ${(error as Error).message}`, undefined, importer);
    }
  }

  #parsed(text: string, path: string, importer: string | undefined): XmlElement {
    if (this.#roots.size >= mostDocuments) throw new NoContract(`it imports more than ${mostDocuments} documents`);
    this.#count(text.length);
    const root = rootOf(text, path, importer === undefined);
    this.#roots.set(path, { root, characters: text.length });
    return root;
  }

  #count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > mostCharacters)
      throw new NoContract(`it and what it imports are larger than ${mostCharacters / 1024 / 1024} MiB`);
  }
}

function isSchema({ namespace, local }: XmlElement): boolean {
  return namespace === ofSchema && local === 'schema';
}

function rootOf(text: string, path: string, isGiven: boolean): XmlElement {
  try {
    return readElements(text, path);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const [, says = error.message, line] = /^the body is (.*?)(?: \(line (\d+)\))?$/s.exec(error.message) ?? [];
    throw new NoContract(`it is ${says}`, line === undefined ? undefined : Number(line), isGiven ? undefined : path);
  }
}

/** The schema with the namespace of another one: what has no namespace in it has that one. */
function adopted(schema: XmlElement, namespace: string): XmlElement {
  const within = ({ names, children, ...rest }: XmlElement): XmlElement => ({
    ...rest,
    names: new Map([...names].map(([word, name]) => [word, ofNamespace(name, namespace)])),
    children: children.map(within),
  });
  const { attributes, ...root } = within(schema);
  return { ...root, attributes: { ...attributes, targetNamespace: namespace } };
}

function ofNamespace(name: ExpandedName, namespace: string): ExpandedName {
  return name.namespace === '' ? { ...name, namespace } : name;
}

function decoded(location: string): string {
  try {
    return decodeURIComponent(location);
  } catch {
    return location;
  }
}

function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
