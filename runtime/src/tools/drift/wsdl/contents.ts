import type { MessageContent, SoapContract } from '../../../platform/formats/wsdl/contract.ts';
import { childrenOf, type XmlElement } from '../../../platform/formats/wsdl/elements.ts';
import { complexTypeOf, type Particle, type Particles, particlesOf } from '../../../platform/formats/wsdl/particles.ts';
import { ofSchema, SchemaParts } from '../../../platform/formats/wsdl/schema-parts.ts';
import { type SimpleType, simpleTypeNamed, simpleTypeWritten } from '../../../platform/formats/wsdl/simple-kinds.ts';

/** What may be in an element. */
export type Content = OpenContent | ({ readonly kind: 'simple' } & SimpleType) | FieldsContent;

/** Anything. */
interface OpenContent {
  readonly kind: 'open';
  /** Whether it has more groups and bases than are read. */
  readonly isBeyond?: boolean;
}

export interface FieldsContent {
  readonly kind: 'fields';
  readonly fields: readonly Particle[];
  /** Two are one where this is one. */
  readonly type: XmlElement;
  /** The name that a schema gives it. */
  readonly name: string | undefined;
}

const open: Content = { kind: 'open' };

/** What is in the messages of a description. */
export class Contents {
  readonly #parts: SchemaParts;
  readonly #ofTypes = new Map<XmlElement, Content>();

  constructor({ schemas }: Pick<SoapContract, 'schemas'>) {
    this.#parts = new SchemaParts(schemas);
  }

  /** `operation` is what a body of parts is written in: each part is an element without a namespace. */
  ofMessage(content: MessageContent, operation: XmlElement): Content {
    if (content.kind === 'element') {
      const element = this.#parts.find('element', content.element);
      return element === undefined ? open : this.#inside(element, element);
    }
    const fields = content.parts.map((part): Particle => {
      const occurrence = { isOptional: false, isRepeated: false, isOrdered: true };
      const name = part.attributes['name'] ?? '';
      return { name, namespace: undefined, written: part, declared: part, owner: part, ...occurrence };
    });
    return { kind: 'fields', fields, type: content.parts[0] ?? operation, name: undefined };
  }

  ofField({ declared, owner }: Particle): Content {
    return declared === undefined ? open : this.#inside(declared, owner);
  }

  /** The element of an answer, which is either its fields or a list of such objects: its fields, and those as a list. */
  ofAnswer(content: MessageContent): { readonly content: Content; readonly list: Particle | undefined } {
    const element = content.kind === 'element' ? this.#parts.find('element', content.element) : undefined;
    const found = element && complexTypeOf(element, element, this.#parts);
    const [choice] = found === undefined ? [] : childrenOf(found.type, 'choice', ofSchema);
    const [sequence] = choice === undefined ? [] : childrenOf(choice, 'sequence', ofSchema);
    if (found === undefined || choice === undefined || sequence === undefined)
      return { content: element === undefined ? open : this.#inside(element, element), list: undefined };
    const { elements } = particlesOf(choice, found.owner, this.#parts);
    const own = particlesOf(sequence, found.owner, this.#parts).elements;
    const list = elements.find(({ name, isRepeated }) => name === 'items' && isRepeated);
    const name = list?.declared?.names.get('type')?.local;
    return { content: { kind: 'fields', fields: unique(own), type: sequence, name }, list };
  }

  #inside(element: XmlElement, owner: XmlElement): Content {
    const complex = complexTypeOf(element, owner, this.#parts);
    if (complex !== undefined) return this.#ofComplex(complex.type, complex.owner);
    const named = element.names.get('type');
    const [written] = childrenOf(element, 'simpleType', ofSchema);
    const simple =
      named === undefined ? written && simpleTypeWritten(written, this.#parts) : simpleTypeNamed(named, this.#parts);
    return simple === undefined ? open : { kind: 'simple', ...simple };
  }

  #ofComplex(type: XmlElement, owner: XmlElement): Content {
    const known = this.#ofTypes.get(type) ?? this.#made(type, owner);
    this.#ofTypes.set(type, known);
    return known;
  }

  #made(type: XmlElement, owner: XmlElement): Content {
    const [mixed] = childrenOf(type, 'simpleContent', ofSchema);
    if (mixed !== undefined) {
      const base = mixed.children.map(({ names }) => names.get('base')).find((each) => each !== undefined);
      const simple = base && simpleTypeNamed(base, this.#parts);
      return simple === undefined ? open : { kind: 'simple', ...simple };
    }
    const { elements, isOpen, isBeyond }: Particles = particlesOf(type, owner, this.#parts);
    if (isBeyond) return { kind: 'open', isBeyond };
    if (isOpen && elements.length === 0) return open;
    return { kind: 'fields', fields: unique(elements), type, name: type.attributes['name'] };
  }
}

/** An element that several alternatives have is one field. */
function unique(particles: readonly Particle[]): readonly Particle[] {
  const found = new Map<string, Particle>();
  for (const particle of particles) if (!found.has(particle.name)) found.set(particle.name, particle);
  return [...found.values()];
}
