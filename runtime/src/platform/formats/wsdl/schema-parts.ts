import type { ExpandedName } from '../xml/namespaces.ts';
import { keyOf, type XmlElement } from './elements.ts';

/** The namespace of XML Schema. */
export const ofSchema = 'http://www.w3.org/2001/XMLSchema';

/** The elements, types and groups of schemas by kind and name. */
export class SchemaParts {
  readonly #byName = new Map<string, XmlElement>();
  readonly #schemaOf = new Map<XmlElement, XmlElement>();

  constructor(schemas: readonly XmlElement[]) {
    for (const schema of schemas)
      for (const part of schema.children) {
        const { name } = part.attributes;
        if (name === undefined) continue;
        const namespace = schema.attributes['targetNamespace'] ?? '';
        this.#byName.set(`${part.local} ${keyOf({ namespace, local: name })}`, part);
        this.#schemaOf.set(part, schema);
      }
  }

  find(kind: 'element' | 'complexType' | 'simpleType' | 'group', name: ExpandedName): XmlElement | undefined {
    return this.#byName.get(`${kind} ${keyOf(name)}`);
  }

  /** The namespace of the elements inside a part; undefined where they are in no namespace. */
  namespaceWithin(part: XmlElement): string | undefined {
    return this.isQualified(part) ? this.targetOf(part) : undefined;
  }

  /** The namespace of the schema of a part; undefined for none. */
  targetOf(part: XmlElement): string | undefined {
    return this.#schemaOf.get(part)?.attributes['targetNamespace'] || undefined;
  }

  /** Whether the elements inside a part are in the namespace of its schema. */
  isQualified(part: XmlElement): boolean {
    return this.#schemaOf.get(part)?.attributes['elementFormDefault'] === 'qualified';
  }
}
