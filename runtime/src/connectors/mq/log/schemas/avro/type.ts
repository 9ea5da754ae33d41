/** A type as the library makes it of a schema; which fields there are, `typeName` says. */
export interface AvroType {
  readonly typeName: string;
  /** Of records, enumerations and fixed types, with their namespace. */
  readonly name: string | undefined;
  readonly fields: readonly AvroField[];
  readonly symbols: readonly string[];
  readonly size: number;
  readonly itemsType: AvroType;
  readonly valuesType: AvroType;
  readonly types: readonly AvroType[];
  /** Of a logical type, what its values are kept in. */
  readonly underlyingType: AvroType;
  /** The bytes of a value as the library knows it. */
  toBuffer(value: unknown): Buffer;
}

export interface AvroField {
  readonly name: string;
  readonly type: AvroType;
  /** As the library knows values; undefined when it is absent. */
  defaultValue(): unknown;
}
