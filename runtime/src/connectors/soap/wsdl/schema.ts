import type { ContentShape, ElementShape, ScalarKind, TypeShapes } from './shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

const xsdOf: Readonly<Record<ScalarKind, string>> = {
  text: 'xs:string',
  number: 'xs:double',
  integer: 'xs:integer',
  boolean: 'xs:boolean',
};

/** An element of any content, for flows that say no type. */
const anyContent: Fields = {
  'xs:complexType': {
    'xs:sequence': {
      'xs:any': { '@minOccurs': '0', '@maxOccurs': 'unbounded', '@namespace': '##any', '@processContents': 'skip' },
    },
  },
};

/** An element of the schema (XML Schema 1.0) for a message of a type; any content without a type. */
export function requestElement(name: string, type: string | undefined, types: TypeShapes): Fields {
  const fields = type === undefined ? undefined : types.get(type);
  return { '@name': name, ...(fields === undefined ? anyContent : { 'xs:complexType': sequenceOf(fields) }) };
}

/** The same for an answer: the fields of the type, or a list of such objects as `items`. */
export function responseElement(name: string, type: string | undefined, types: TypeShapes): Fields {
  const fields = type === undefined ? undefined : types.get(type);
  if (type === undefined || fields === undefined) return { '@name': name, ...anyContent };
  if (fields.some((field) => field.name === 'items')) return { '@name': name, 'xs:complexType': sequenceOf(fields) };
  const items = { '@name': 'items', '@type': `tns:${type}`, '@minOccurs': '0', '@maxOccurs': 'unbounded' };
  return {
    '@name': name,
    'xs:complexType': { 'xs:choice': { ...sequenceOf(fields), 'xs:element': items } },
  };
}

/** The named types that messages use, those in them included. */
export function namedTypes(used: readonly string[], types: TypeShapes): readonly Fields[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    const fields = types.get(name);
    if (fields === undefined || found.has(name)) return;
    found.add(name);
    within(fields);
  };
  const within = (fields: readonly ElementShape[]): void => {
    for (const { content } of fields)
      if (content.kind === 'type') add(content.type);
      else if (content.kind === 'fields') within(content.fields);
  };
  for (const name of used) add(name);
  return [...found].map((name) => ({ '@name': name, ...sequenceOf(types.get(name) as readonly ElementShape[]) }));
}

function sequenceOf(fields: readonly ElementShape[]): Fields {
  return { 'xs:sequence': { 'xs:element': fields.map(elementOf) } };
}

function elementOf({ name, content, isRepeated, isRequired, description }: ElementShape): Fields {
  return {
    '@name': name,
    ...(content.kind === 'type' && { '@type': `tns:${content.type}` }),
    ...(content.kind in xsdOf && !isListed(content) && { '@type': xsdOf[content.kind as ScalarKind] }),
    ...(isRepeated ? { '@minOccurs': '0', '@maxOccurs': 'unbounded' } : !isRequired && { '@minOccurs': '0' }),
    ...((isRepeated || !isRequired) && { '@nillable': 'true' }),
    ...(description !== undefined && { 'xs:annotation': { 'xs:documentation': description } }),
    ...(content.kind === 'fields' && { 'xs:complexType': sequenceOf(content.fields) }),
    ...(content.kind === 'open' && { '@type': 'xs:anyType' }),
    ...(isListed(content) && {
      'xs:simpleType': {
        'xs:restriction': {
          '@base': 'xs:string',
          'xs:enumeration': content.allowed.map((value) => ({ '@value': value })),
        },
      },
    }),
  };
}

function isListed(content: ContentShape): content is { kind: 'text'; allowed: readonly string[] } {
  return content.kind === 'text' && content.allowed !== undefined && content.allowed.length > 0;
}
