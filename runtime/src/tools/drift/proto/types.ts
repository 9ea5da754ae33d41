import protobuf from 'protobufjs';
import { nameOf } from './differences.ts';

/** Types whose values are written in the same form: one can be read as another, and may lose a part of it. */
const families: Readonly<Record<string, string>> = {
  int32: 'variable',
  int64: 'variable',
  uint32: 'variable',
  uint64: 'variable',
  bool: 'variable',
  sint32: 'zigzag',
  sint64: 'zigzag',
  fixed32: 'four bytes',
  sfixed32: 'four bytes',
  fixed64: 'eight bytes',
  sfixed64: 'eight bytes',
  float: 'float',
  double: 'double',
  string: 'text',
  bytes: 'text',
};

/** The form in which the values of a field are written. */
export function familyOf({ type, resolvedType, delimited }: protobuf.Field): string {
  if (resolvedType instanceof protobuf.Enum) return 'variable';
  if (resolvedType !== null) return delimited ? 'group' : 'message';
  return familyOfScalar(type);
}

export function familyOfScalar(type: string): string {
  return families[type] ?? type;
}

/** How often a field may be there, and whether it is a map. */
export function kindOf(field: protobuf.Field): 'map' | 'repeated' | 'single' {
  if (field instanceof protobuf.MapField) return 'map';
  return field.repeated ? 'repeated' : 'single';
}

/** The type of a field as a file of definitions writes it. */
export function describedType(field: protobuf.Field): string {
  const type = field.resolvedType === null ? field.type : nameOf(field.resolvedType);
  if (field instanceof protobuf.MapField) return `map<${field.keyType}, ${type}>`;
  return field.repeated ? `repeated ${type}` : type;
}

/** Whether a message or an enum reserves a number. The library leaves out the last one of a range. */
export function reserves({ reserved }: protobuf.Type | protobuf.Enum, number: number): boolean {
  const ranges: readonly (number[] | string)[] = reserved ?? [];
  return ranges.some((range) => {
    const [first = Infinity, last = -Infinity] = typeof range === 'string' ? [] : range;
    return first <= number && number <= last;
  });
}
