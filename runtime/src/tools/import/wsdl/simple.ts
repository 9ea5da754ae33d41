import { compileRegex } from '@svc/protocol/cel';
import { quote } from '@svc/protocol/syntax';
import { childrenOf, type XmlElement } from '../../../platform/formats/wsdl/elements.ts';
import { ofSchema, type SchemaParts } from '../../../platform/formats/wsdl/schema-parts.ts';
import { kindOfBuiltIn, type SimpleKind } from '../../../platform/formats/wsdl/simple-kinds.ts';
import type { ExpandedName } from '../../../platform/formats/xml/namespaces.ts';

/** A text of XML as a field: its type and its constraints, as they are written. */
export interface SimpleField {
  readonly word: SimpleKind;
  readonly constraints: readonly string[];
}

const text: SimpleField = { word: 'string', constraints: [] };
const atLeast = (min: number): SimpleField => ({ word: 'integer', constraints: [`min = ${min}`] });
const atMost = (max: number): SimpleField => ({ word: 'integer', constraints: [`max = ${max}`] });

/** The types of XML Schema (part 2) that a field has constraints for. */
const constrained: Readonly<Record<string, SimpleField>> = {
  date: { word: 'string', constraints: ['format = "date"'] },
  dateTime: { word: 'string', constraints: ['format = "datetime"'] },
  ...Object.fromEntries(
    ['nonNegativeInteger', 'unsignedLong', 'unsignedInt', 'unsignedShort', 'unsignedByte'].map((name) => [
      name,
      atLeast(0),
    ]),
  ),
  positiveInteger: atLeast(1),
  nonPositiveInteger: atMost(0),
  negativeInteger: atMost(-1),
};

function builtIn(name: string): SimpleField {
  return Object.hasOwn(constrained, name)
    ? (constrained[name] as SimpleField)
    : { word: kindOfBuiltIn(name), constraints: [] };
}

/** The field of a simple type by its name; undefined where no schema has it. */
export function simpleField(
  name: ExpandedName,
  schemas: SchemaParts,
  place: string,
  left: string[],
  around: readonly XmlElement[] = [],
): SimpleField | undefined {
  if (name.namespace === ofSchema) return name.local === 'anyType' ? undefined : builtIn(name.local);
  const type = schemas.find('simpleType', name);
  return type === undefined || around.includes(type)
    ? undefined
    : simpleTypeField(type, schemas, place, left, [...around, type]);
}

/** The same of the type itself; what no constraint says is added to `left`. */
export function simpleTypeField(
  type: XmlElement,
  schemas: SchemaParts,
  place: string,
  left: string[],
  around: readonly XmlElement[] = [],
): SimpleField {
  const [restriction] = childrenOf(type, 'restriction', ofSchema);
  if (restriction === undefined) {
    left.push(`${place}: lists and unions in one text are not checked`);
    return text;
  }
  const base = restriction.names.get('base');
  const [inner] = childrenOf(restriction, 'simpleType', ofSchema);
  const field =
    inner === undefined
      ? base && simpleField(base, schemas, place, left, around)
      : simpleTypeField(inner, schemas, place, left, around);
  return restricted(field ?? text, restriction, place, left);
}

function restricted(
  { word, constraints }: SimpleField,
  { children }: XmlElement,
  place: string,
  left: string[],
): SimpleField {
  const facets = children.filter(({ namespace, attributes }) => namespace === ofSchema && 'value' in attributes);
  const valuesOf = (name: string) =>
    facets.filter(({ local }) => local === name).map(({ attributes }) => attributes['value'] as string);
  const own: string[] = [];
  const allowed = valuesOf('enumeration');
  if (allowed.length > 0)
    own.push(`enum = [${allowed.map((value) => (word === 'string' ? quote(value) : value.trim())).join(', ')}]`);
  const patterns = valuesOf('pattern');
  const pattern = `^(?:${patterns.join('|')})$`;
  if (patterns.length > 0 && word === 'string' && 'test' in compileRegex(pattern))
    own.push(`pattern = ${quote(pattern)}`);
  else if (patterns.length > 0) left.push(`${place}: its pattern is not checked`);
  for (const { local, attributes } of facets)
    own.push(...bound(local, (attributes['value'] as string).trim(), word, place, left));
  // A narrower bound takes the place of the one before it.
  const named = new Map([...constraints, ...own].map((each) => [each.split(' ', 1)[0] as string, each]));
  return { word, constraints: [...named.values()] };
}

function bound(
  facet: string,
  value: string,
  word: SimpleField['word'],
  place: string,
  left: string[],
): readonly string[] {
  const isNumber = word === 'number' || word === 'integer';
  const isValue = /^[+-]?\d+(?:\.\d+)?$/.test(value) && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER;
  if (['enumeration', 'pattern', 'whiteSpace'].includes(facet)) return [];
  if (word === 'string' && isValue) {
    if (facet === 'length') return [`min_length = ${value}`, `max_length = ${value}`];
    if (facet === 'minLength') return [`min_length = ${value}`];
    if (facet === 'maxLength') return [`max_length = ${value}`];
  }
  if (isNumber && isValue) {
    if (facet === 'minInclusive') return [`min = ${Number(value)}`];
    if (facet === 'maxInclusive') return [`max = ${Number(value)}`];
    if (word === 'integer' && facet === 'minExclusive') return [`min = ${Number(value) + 1}`];
    if (word === 'integer' && facet === 'maxExclusive') return [`max = ${Number(value) - 1}`];
  }
  left.push(`${place}: ${facet} ${value.slice(0, 50)} is not checked`);
  return [];
}
