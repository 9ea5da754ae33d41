import { childrenOf, type XmlElement } from './elements.ts';
import { ReadOnce } from './read-once.ts';
import { ofSchema, type SchemaParts } from './schema-parts.ts';

/** One element that a type of a schema has. */
export interface Particle {
  readonly name: string;
  /** Undefined: it is in no namespace. */
  readonly namespace: string | undefined;
  /** As the type has it. */
  readonly written: XmlElement;
  /** What says its type: what is written, or what that refers to; undefined where no schema has this. */
  readonly declared: XmlElement | undefined;
  /** The part of a schema that it is declared in. */
  readonly owner: XmlElement;
  /** Whether it may be absent, be there more than once, and comes in its place among the others. */
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
  readonly isOrdered: boolean;
}

/** The elements of a type, with those of its groups and of what it extends, in their order. */
export interface Particles {
  readonly elements: readonly Particle[];
  /** Whether a schema allows others too, or says nothing of them. */
  readonly isOpen: boolean;
  /** Whether there are more groups and bases than are read. */
  readonly isBeyond: boolean;
}

/** Levels of groups and bases of one type, and parts of schemas in all of them. */
const deepest = 50;
const mostParts = 10_000;

/** `owner` is the part of a schema that the type is written in. */
export function particlesOf(type: XmlElement, owner: XmlElement, parts: SchemaParts): Particles {
  const reading = new Reading(parts);
  reading.within(type, owner, once, 0);
  return reading;
}

type Occurrence = Pick<Particle, 'isOptional' | 'isRepeated' | 'isOrdered'>;

const once: Occurrence = { isOptional: false, isRepeated: false, isOrdered: true };

class Reading implements Particles {
  readonly elements: Particle[] = [];
  isOpen = false;
  isBeyond = false;
  readonly #parts: SchemaParts;
  readonly #once = new ReadOnce();
  #left = mostParts;

  constructor(parts: SchemaParts) {
    this.#parts = parts;
  }

  within(part: XmlElement, owner: XmlElement, around: Occurrence, depth: number): void {
    if (depth > deepest) this.isOpen = this.isBeyond = true;
    if (this.isBeyond) return;
    for (const child of part.children) {
      if (child.namespace !== ofSchema) continue;
      if (--this.#left < 0) this.isOpen = this.isBeyond = true;
      if (this.isBeyond) return;
      this.#particle(child, owner, around, depth + 1);
    }
  }

  #particle(child: XmlElement, owner: XmlElement, around: Occurrence, depth: number): void {
    switch (child.local) {
      case 'element':
        this.elements.push(this.#element(child, owner, occurring(child, around)));
        return;
      case 'sequence':
      case 'all':
      case 'choice':
      case 'complexContent':
      case 'restriction':
        this.within(child, owner, occurring(child, around), depth);
        return;
      case 'extension':
        this.#referred('complexType', child.names.get('base'), around, depth);
        this.within(child, owner, around, depth);
        return;
      case 'group':
        this.#referred('group', child.names.get('ref'), occurring(child, around), depth);
        return;
      case 'any':
      case 'simpleContent':
        this.isOpen = true;
        return;
      default:
        return;
    }
  }

  #referred(
    kind: 'complexType' | 'group',
    name: Parameters<SchemaParts['find']>[1] | undefined,
    around: Occurrence,
    depth: number,
  ): void {
    const part = name && this.#parts.find(kind, name);
    if (part === undefined) this.isOpen = true;
    else if (this.#once.isNew(part, around)) this.within(part, part, around, depth);
  }

  #element(written: XmlElement, owner: XmlElement, occurrence: Occurrence): Particle {
    const ref = written.names.get('ref');
    if (ref !== undefined) {
      const declared = this.#parts.find('element', ref);
      const own = { name: ref.local, namespace: ref.namespace || undefined, written, declared };
      return { ...own, owner: declared ?? owner, ...occurrence };
    }
    const { name = '', form } = written.attributes;
    const isQualified = form === undefined ? this.#parts.isQualified(owner) : form === 'qualified';
    const namespace = isQualified ? this.#parts.targetOf(owner) : undefined;
    return { name, namespace, written, declared: written, owner, ...occurrence };
  }
}

function occurring({ local, attributes }: XmlElement, around: Occurrence): Occurrence {
  const { minOccurs, maxOccurs } = attributes;
  return {
    isOptional: around.isOptional || minOccurs === '0' || local === 'choice',
    isRepeated: around.isRepeated || (maxOccurs !== undefined && maxOccurs !== '1' && maxOccurs !== '0'),
    isOrdered: around.isOrdered && local !== 'all' && local !== 'choice',
  };
}

/** The complex type of an element, by name or inside of it, with the part of a schema that it is written in. */
export function complexTypeOf(
  element: XmlElement,
  owner: XmlElement,
  parts: SchemaParts,
): { readonly type: XmlElement; readonly owner: XmlElement } | undefined {
  const named = element.names.get('type');
  const type = named === undefined ? childrenOf(element, 'complexType', ofSchema)[0] : parts.find('complexType', named);
  return type && { type, owner: named === undefined ? owner : type };
}
