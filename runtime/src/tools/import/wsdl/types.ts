import { quote } from '@svc/protocol/syntax';
import type { MessageContent } from '../../../platform/formats/wsdl/contract.ts';
import { childrenOf, type XmlElement } from '../../../platform/formats/wsdl/elements.ts';
import { ReadOnce } from '../../../platform/formats/wsdl/read-once.ts';
import { ofSchema, type SchemaParts } from '../../../platform/formats/wsdl/schema-parts.ts';
import type { ImportedFile } from '../contract.ts';
import { type SimpleField, simpleField, simpleTypeField } from './simple.ts';

/** How often an element may occur, seen from the type that has it. */
interface Occurrence {
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
}

/** The type that fields are of. */
interface Owner {
  readonly name: string;
  /** Its groups and bases. */
  readonly once: ReadOnce;
}

const once: Occurrence = { isOptional: false, isRepeated: false };

/** Levels of types without a name in each other, and of groups and bases. */
const deepest = 50;

/** The types that messages use, a file for each; those in them included. */
export class ImportedTypes {
  readonly #schemas: SchemaParts;
  readonly #namespace: string | undefined;
  readonly #left: string[];
  /** Names by the part of a schema that they are made of. */
  readonly #names = new Map<XmlElement, string>();
  readonly #texts = new Map<string, string>();

  /** `namespace` is that of the elements in answers. */
  constructor(schemas: SchemaParts, namespace: string | undefined, left: string[]) {
    this.#schemas = schemas;
    this.#namespace = namespace;
    this.#left = left;
  }

  get files(): readonly ImportedFile[] {
    return [...this.#texts].map(([name, text]) => ({ path: `types/${name}.hcl`, text }));
  }

  /** The name of the type of a message; undefined where a configuration has no type for it, or it has no fields. */
  ofMessage(content: MessageContent, name: string): string | undefined {
    if (content.kind === 'parts')
      return this.#made(name, undefined, (own) => content.parts.flatMap((part) => this.#field(part, own.name, once)));
    const element = this.#schemas.find('element', content.element);
    if (element === undefined) {
      this.#left.push(`${content.element.local}: its element is not in the schemas of the file`);
      return undefined;
    }
    const type = this.#complexOf(element);
    if (type === undefined) {
      this.#left.push(`${content.element.local}: it is not an element with fields, which input.value has as a text`);
      return undefined;
    }
    return this.#typeOf(type, type.attributes['name'] ?? content.element.local);
  }

  /** The complex type of an element, by name or inside of it. */
  #complexOf(element: XmlElement): XmlElement | undefined {
    const named = element.names.get('type');
    const [inner] = childrenOf(element, 'complexType', ofSchema);
    const type = named === undefined ? inner : this.#schemas.find('complexType', named);
    return type !== undefined && childrenOf(type, 'simpleContent', ofSchema).length > 0 ? undefined : type;
  }

  #typeOf(type: XmlElement, suggested: string): string | undefined {
    const known = this.#names.get(type);
    if (known !== undefined) return this.#texts.get(known) === '' ? undefined : known;
    const namespace = this.#schemas.namespaceWithin(type);
    if (namespace !== undefined && namespace !== this.#namespace)
      this.#left.push(
        `${suggested}: its elements are of ${namespace}, and those in answers of the namespace of the service`,
      );
    return this.#made(suggested, type, (own) => this.#content(type, own, once, 0));
  }

  /** Writes a type once; one whose fields are all left out is not written. */
  #made(
    suggested: string,
    of: XmlElement | undefined,
    fields: (owner: Owner) => readonly string[],
  ): string | undefined {
    const name = this.#free(suggested);
    if (of !== undefined) this.#names.set(of, name);
    // It may contain itself: its name is known before its fields are.
    this.#texts.set(name, 'type');
    const lines = new Map(
      fields({ name, once: new ReadOnce() }).map((line) => [line.split(' ', 1)[0] as string, line]),
    );
    if (lines.size === 0) {
      this.#texts.delete(name);
      return undefined;
    }
    const about = of === undefined ? '' : documentationOf(of);
    const description = about === '' ? '' : `_description = ${quote(about)}\n`;
    this.#texts.set(name, `type ${quote(name)} {\n${description}${[...lines.values()].join('')}}`);
    return name;
  }

  #free(suggested: string): string {
    const plain = suggested.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(?![A-Za-z])_*/, 'T');
    let name = plain;
    for (let count = 2; this.#texts.has(name); count++) name = `${plain}_${count}`;
    return name;
  }

  /** The fields of a complex type, of its groups and of what it extends. */
  #content(part: XmlElement, owner: Owner, occurrence: Occurrence, depth: number): readonly string[] {
    if (depth > deepest) {
      this.#left.push(`${owner.name}: what is in more than ${deepest} groups is left out`);
      return [];
    }
    return part.children
      .filter(({ namespace }) => namespace === ofSchema)
      .flatMap((child): readonly string[] => this.#particle(child, owner, occurrence, depth + 1));
  }

  #particle(child: XmlElement, owner: Owner, around: Occurrence, depth: number): readonly string[] {
    const occurrence = within(around, child);
    switch (child.local) {
      case 'element':
        return this.#field(child, owner.name, around);
      case 'sequence':
      case 'all':
        return this.#content(child, owner, occurrence, depth);
      case 'choice':
        this.#left.push(`${owner.name}: how many alternatives of a choice are there is not checked`);
        return this.#content(child, owner, { ...occurrence, isOptional: true }, depth);
      case 'complexContent':
      case 'restriction':
        return this.#content(child, owner, occurrence, depth);
      case 'extension': {
        const base = child.names.get('base');
        const extended = base && this.#schemas.find('complexType', base);
        return [
          ...this.#referred(extended, owner, occurrence, depth),
          ...this.#content(child, owner, occurrence, depth),
        ];
      }
      case 'group': {
        const name = child.names.get('ref');
        const group = name && this.#schemas.find('group', name);
        return this.#referred(group, owner, occurrence, depth);
      }
      case 'any':
        this.#left.push(`${owner.name}: further elements (xs:any) are not checked in requests and left out of answers`);
        return [];
      case 'attribute':
      case 'attributeGroup':
      case 'anyAttribute':
        this.#left.push(`${owner.name}: attributes are passed over`);
        return [];
      default:
        return [];
    }
  }

  #referred(part: XmlElement | undefined, owner: Owner, occurrence: Occurrence, depth: number): readonly string[] {
    const isNew = part !== undefined && owner.once.isNew(part, occurrence);
    return isNew ? this.#content(part, owner, occurrence, depth) : [];
  }

  /** A field for an element, or for a part of a message. */
  #field(written: XmlElement, owner: string, around: Occurrence): readonly string[] {
    const referred = written.names.get('ref') ?? (written.local === 'part' ? written.names.get('element') : undefined);
    const element = referred === undefined ? written : this.#schemas.find('element', referred);
    const name = element?.attributes['name'] ?? referred?.local ?? '';
    const place = `${owner}.${name}`;
    if (element === undefined) {
      this.#left.push(`${place}: its element is not in the schemas of the file`);
      return [];
    }
    if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
      this.#left.push(`${place}: no field of a type can have this name, so that its type leaves the field out`);
      return [];
    }
    if (element.attributes['default'] !== undefined || element.attributes['fixed'] !== undefined)
      this.#left.push(`${place}: its value where it is empty is not filled in`);
    const occurrence = within(around, written);
    const isNillable = element.attributes['nillable'] === 'true' || element.attributes['nillable'] === '1';
    const text = this.#fieldText(
      element,
      place,
      { ...occurrence, isOptional: occurrence.isOptional || isNillable },
      written,
    );
    return text === undefined ? [] : [`${name} = ${text}\n`];
  }

  #fieldText(element: XmlElement, place: string, occurrence: Occurrence, written: XmlElement): string | undefined {
    const { isOptional, isRepeated } = occurrence;
    const about = documentationOf(element);
    const said = about === '' ? [] : [`description = ${quote(about)}`];
    const absent = isOptional ? ['required = false'] : [];
    const complex = this.#complexOf(element);
    const simple = complex === undefined ? this.#simpleOf(element, place) : undefined;
    const type = complex && this.#typeOf(complex, complex.attributes['name'] ?? place.replace('.', '_'));
    if (complex === undefined && simple === undefined) {
      this.#left.push(`${place}: what it holds is not said, so that its type leaves the field out`);
      return undefined;
    }
    if (isRepeated) {
      if (simple !== undefined && simple.constraints.length > 0)
        this.#left.push(`${place}: each element is checked to be of type ${simple.word}, and nothing further`);
      const items = simple?.word ?? type ?? 'object';
      return worded('array', [`items = ${quote(items)}`, ...countsOf(written), ...absent, ...said]);
    }
    if (simple !== undefined) return worded(simple.word, [...simple.constraints, ...absent, ...said]);
    if (type === undefined) return worded('object', [...absent, ...said]);
    if (!isOptional) return quote(type);
    this.#left.push(`${place}: a ${type} that may be absent is an object whose fields no type checks`);
    return worded('object', [...absent, ...said]);
  }

  #simpleOf(element: XmlElement, place: string): SimpleField | undefined {
    const named = element.names.get('type');
    const [inner] = childrenOf(element, 'simpleType', ofSchema);
    if (inner !== undefined) return simpleTypeField(inner, this.#schemas, place, this.#left);
    const mixed = this.#mixedOf(element, named);
    if (mixed === undefined) return named && simpleField(named, this.#schemas, place, this.#left);
    this.#left.push(`${place}: attributes are passed over`);
    const base = mixed.children.map(({ names }) => names.get('base')).find((each) => each !== undefined);
    return base && simpleField(base, this.#schemas, place, this.#left);
  }

  /** A text with attributes. */
  #mixedOf(
    element: XmlElement,
    named: XmlElement['names'] extends ReadonlyMap<string, infer N> ? N | undefined : never,
  ) {
    const type =
      named === undefined ? childrenOf(element, 'complexType', ofSchema)[0] : this.#schemas.find('complexType', named);
    return type && childrenOf(type, 'simpleContent', ofSchema)[0];
  }
}

function within({ isOptional, isRepeated }: Occurrence, { attributes }: XmlElement): Occurrence {
  const { minOccurs, maxOccurs } = attributes;
  return {
    isOptional: isOptional || minOccurs === '0',
    isRepeated: isRepeated || (maxOccurs !== undefined && maxOccurs !== '1' && maxOccurs !== '0'),
  };
}

/** How many elements a list has. */
function countsOf({ attributes: { minOccurs = '1', maxOccurs = '1' } }: XmlElement): readonly string[] {
  const isCount = (value: string) => /^[1-9]\d{0,8}$/.test(value);
  return [
    ...(isCount(minOccurs) && maxOccurs !== '1' ? [`min_length = ${minOccurs}`] : []),
    ...(isCount(maxOccurs) && maxOccurs !== '1' ? [`max_length = ${maxOccurs}`] : []),
  ];
}

function worded(word: string, constraints: readonly string[]): string {
  return constraints.length === 0 ? word : `${word}({ ${constraints.join(', ')} })`;
}

function documentationOf(element: XmlElement): string {
  const notes = childrenOf(element, 'annotation', ofSchema).flatMap((note) =>
    childrenOf(note, 'documentation', ofSchema),
  );
  return notes
    .map(({ text }) => text.replace(/\s+/g, ' '))
    .join(' ')
    .trim();
}
