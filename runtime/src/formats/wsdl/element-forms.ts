import type { ExpandedName } from '../xml/namespaces.ts';
import { childrenOf, type XmlElement } from './elements.ts';
import { ofSchema, type SchemaParts } from './schema-parts.ts';

/** How an element is written. */
export interface ElementForm {
  readonly name: string;
  /** Undefined: it is in no namespace. */
  readonly namespace: string | undefined;
  /** The elements inside, in their order; undefined where a schema allows others too, or says nothing of them. */
  readonly inside: () => readonly ElementForm[] | undefined;
}

/** Levels of groups and bases of one type. */
const deepest = 50;

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
    const named = element.names.get('type');
    if (named !== undefined) return this.ofType(named);
    const [type] = childrenOf(element, 'complexType', ofSchema);
    return type && this.#ofType(type, owner);
  }

  #ofType(type: XmlElement, owner: XmlElement): readonly ElementForm[] | undefined {
    if (!this.#ofTypes.has(type)) {
      const found = this.#within(type, owner, 0);
      const byName = new Map<string, ElementForm>();
      for (const form of found ?? []) if (!byName.has(form.name)) byName.set(form.name, form);
      this.#ofTypes.set(type, found && [...byName.values()]);
    }
    return this.#ofTypes.get(type);
  }

  /** Elements that a part of a type allows; undefined where it allows any. */
  #within(part: XmlElement, owner: XmlElement, depth: number): readonly ElementForm[] | undefined {
    if (depth > deepest) return undefined;
    const forms: ElementForm[] = [];
    for (const child of part.children) {
      if (child.namespace !== ofSchema) continue;
      const found = this.#of(child, owner, depth + 1);
      if (found === undefined) return undefined;
      for (const form of found) forms.push(form);
    }
    return forms;
  }

  #of(child: XmlElement, owner: XmlElement, depth: number): readonly ElementForm[] | undefined {
    switch (child.local) {
      case 'element':
        return [this.#element(child, owner)];
      case 'sequence':
      case 'all':
      case 'choice':
      case 'complexContent':
      case 'restriction':
        return this.#within(child, owner, depth);
      case 'extension': {
        const base = child.names.get('base');
        const extended = base && this.#parts.find('complexType', base);
        const inherited = extended && this.#within(extended, extended, depth);
        const own = this.#within(child, owner, depth);
        return inherited && own && [...inherited, ...own];
      }
      case 'group': {
        const name = child.names.get('ref');
        const group = name && this.#parts.find('group', name);
        return group && this.#within(group, group, depth);
      }
      case 'any':
      case 'simpleContent':
        return undefined;
      default:
        return [];
    }
  }

  #element(element: XmlElement, owner: XmlElement): ElementForm {
    const ref = element.names.get('ref');
    if (ref !== undefined)
      return { name: ref.local, namespace: ref.namespace || undefined, inside: () => this.ofElement(ref) };
    const { name = '', form } = element.attributes;
    const isQualified = form === undefined ? this.#parts.isQualified(owner) : form === 'qualified';
    const namespace = isQualified ? this.#parts.targetOf(owner) : undefined;
    return { name, namespace, inside: () => this.#inside(element, owner) };
  }
}
