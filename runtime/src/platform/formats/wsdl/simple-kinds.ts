import type { ExpandedName } from '../xml/namespaces.ts';
import { childrenOf, type XmlElement } from './elements.ts';
import { ofSchema, type SchemaParts } from './schema-parts.ts';

/** What a text of XML is read as. */
export type SimpleKind = 'string' | 'number' | 'integer' | 'boolean';

const integers =
  'integer long int short byte nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger nonPositiveInteger negativeInteger';

/** The types of XML Schema (part 2) that are not read as texts. */
const kinds: ReadonlyMap<string, SimpleKind> = new Map([
  ['boolean', 'boolean'],
  ...(['decimal', 'float', 'double'] as const).map((name) => [name, 'number'] as const),
  ...integers.split(' ').map((name) => [name, 'integer'] as const),
]);

/** What a type of XML Schema is read as. */
export function kindOfBuiltIn(local: string): SimpleKind {
  return kinds.get(local) ?? 'string';
}

/** A simple type, as far as it is compared. */
export interface SimpleType {
  /** What its texts are read as. */
  readonly reads: SimpleKind;
  /** The only values; undefined where there are others. */
  readonly allowed: readonly string[] | undefined;
}

/** Types that restrict each other. */
const mostBases = 50;

const text: SimpleType = { reads: 'string', allowed: undefined };

/** A simple type by its name; undefined where no schema has it, or anything may be there. */
export function simpleTypeNamed(name: ExpandedName, parts: SchemaParts): SimpleType | undefined {
  const seen = new Set<XmlElement>();
  const named = ({ namespace, local }: ExpandedName): SimpleType | undefined => {
    if (namespace === ofSchema)
      return local === 'anyType' ? undefined : { reads: kindOfBuiltIn(local), allowed: undefined };
    const type = parts.find('simpleType', { namespace, local });
    if (type === undefined || seen.has(type) || seen.size >= mostBases) return undefined;
    seen.add(type);
    return written(type);
  };
  const written = (type: XmlElement): SimpleType => simpleTypeWritten(type, parts, named);
  return named(name);
}

/** A simple type where it is written. */
export function simpleTypeWritten(
  type: XmlElement,
  parts: SchemaParts,
  named = (name: ExpandedName) => simpleTypeNamed(name, parts),
): SimpleType {
  const [restriction] = childrenOf(type, 'restriction', ofSchema);
  // Lists and unions are in one text.
  if (restriction === undefined) return text;
  const base = restriction.names.get('base');
  const [inner] = childrenOf(restriction, 'simpleType', ofSchema);
  const of = inner === undefined ? base && named(base) : simpleTypeWritten(inner, parts, named);
  const values = childrenOf(restriction, 'enumeration', ofSchema).map(({ attributes }) => attributes['value'] ?? '');
  return { reads: of?.reads ?? 'string', allowed: values.length > 0 ? values : of?.allowed };
}
