/** How scalars are written: 0 with variable length, 1 in eight bytes, 2 after their length, 5 in four bytes. */
export const wireTypes: Readonly<Record<string, number>> = {
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  sint32: 0,
  sint64: 0,
  bool: 0,
  fixed64: 1,
  sfixed64: 1,
  double: 1,
  string: 2,
  bytes: 2,
  fixed32: 5,
  sfixed32: 5,
  float: 5,
};
