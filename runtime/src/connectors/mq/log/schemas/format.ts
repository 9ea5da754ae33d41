import type { Failure } from '../../../../foundation/errors/failure.ts';

/** Languages that schemas are written in, as the registry calls them. */
export type SchemaType = 'AVRO' | 'JSON' | 'PROTOBUF';

/** A schema that another one names, with its text. */
export interface ReferredSchema {
  /** What the other one calls it: a type, a file, an address. */
  readonly name: string;
  readonly text: string;
}

/** A schema as it is written. */
export interface WrittenSchema {
  readonly type: SchemaType;
  readonly text: string;
  /** Those that it needs, each before those that need it. */
  readonly referred: readonly ReferredSchema[];
}

/** A schema that values are read and written with. */
export interface Schema {
  /** What it calls its values: `shop.Order`; undefined where it gives them no name. */
  readonly name: string | undefined;
  /** The value of these bytes. Throws a Failure: `body_undecodable` when they are not of this schema, `body_too_large`. */
  read(bytes: Buffer): unknown | Promise<unknown>;
  /** The bytes of a value. Throws a Failure `value_refused` that names the place where it does not fit. */
  write(value: unknown): Buffer;
}

/** Why a value is not of its schema, for those who wrote it. */
export type Refuse = (path: string, says: string) => Failure;
