/** A type as a value: what `type(x)` gives and what `int`, `string` … name. */
export class CelTypeValue {
  /** The name the language gives it, such as `int` or `google.protobuf.Timestamp`. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const named = (name: string): readonly [string, CelTypeValue] => [name, new CelTypeValue(name)];

/** The types that an expression may name. */
export const typeValues: ReadonlyMap<string, CelTypeValue> = new Map(
  [
    'int',
    'uint',
    'double',
    'bool',
    'string',
    'bytes',
    'list',
    'map',
    'null_type',
    'type',
    'google.protobuf.Timestamp',
    'google.protobuf.Duration',
    'optional_type',
  ].map(named),
);
