import type { ExpandedName } from '../xml/namespaces.ts';
import type { XmlElement } from './elements.ts';
import { complexTypeOf, particlesOf } from './particles.ts';
import type { SchemaParts } from './schema-parts.ts';

/** How an element is written. */
export interface ElementForm {
  readonly name: string;
  /** Undefined: it is in no namespace. */
  readonly namespace: string | undefined;
  /** The elements inside, in their order; undefined where a schema allows others too, or says nothing of them. */
  readonly inside: () => readonly ElementForm[] | undefined;
}

/** The elements that the types of schemas have. A type may contain itself: what is inside is looked up when it is asked for. */
export class ElementForms {
  readonly #parts: SchemaParts;
  readonly #ofTypes = new Map<XmlElement, readonly ElementForm[] | undefined>();

  constructor(parts: SchemaParts) {
    this.#parts = parts;
  }

  /** What is inside an element of a message. */
  ofElement(name: ExpandedName): readonly ElementForm[] | undefined {
    const element = this.#parts.find('element', name);
    return element && this.#inside(element, element);
  }

  /** What is in a part of a message that has a type. */
  ofType(name: ExpandedName | undefined): readonly ElementForm[] | undefined {
    const type = name && this.#parts.find('complexType', name);
    return type && this.#ofType(type, type);
  }

  /** `owner` is the part of a schema that an element is written in. */
  #inside(element: XmlElement, owner: XmlElement): readonly ElementForm[] | undefined {
    const found = complexTypeOf(element, owner, this.#parts);
    return found && this.#ofType(found.type, found.owner);
  }

  #ofType(type: XmlElement, owner: XmlElement): readonly ElementForm[] | undefined {
    if (!this.#ofTypes.has(type)) {
      const { elements, isOpen } = particlesOf(type, owner, this.#parts);
      const byName = new Map<string, ElementForm>();
      for (const { name, namespace, declared, owner } of elements)
        if (!byName.has(name))
          byName.set(name, { name, namespace, inside: () => declared && this.#inside(declared, owner) });
      this.#ofTypes.set(type, isOpen ? undefined : [...byName.values()]);
    }
    return this.#ofTypes.get(type);
  }
}
