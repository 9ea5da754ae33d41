import { Fields } from '@svc/protocol/cel';
import protobuf from 'protobufjs';
import { type WellKnown, wellKnown } from './well-known.ts';
import { wireTypes } from './wire-types.ts';

/** What reading and writing need of a message, decided once: the library finds it by search each time it is asked. */
export class MessageLayout {
  readonly name: string;
  /** Absent for a message whose JSON is an object of its fields. */
  readonly known: WellKnown | undefined;
  /** In the order of the definition. */
  readonly fields: readonly FieldLayout[];
  readonly byNumber: ReadonlyMap<number, FieldLayout>;
  /** The position of a field in `fields`, by its name. */
  readonly byName: ReadonlyMap<string, number>;
  /** The same, by every spelling that a name is taken in. */
  readonly bySpelling: ReadonlyMap<string, number>;
  /** Those of more than one member, of which a message may have one. */
  readonly oneofs: readonly OneofLayout[];
  /** Fields that have a value where they were not sent. */
  readonly standards: readonly Standard[];

  constructor(type: protobuf.Type) {
    this.name = type.name;
    this.known = wellKnown.get(type.fullName);
    this.fields = type.fieldsArray.map((field) => new FieldLayout(field));
    this.byNumber = new Map(type.fieldsArray.map((field, at) => [field.id, this.fields[at] as FieldLayout]));
    this.byName = new Map(type.fieldsArray.map(({ name }, at) => [name, at]));
    this.bySpelling = new Map([
      ...type.fieldsArray.map(({ name }, at) => [protobuf.util.camelCase(name), at] as const),
      ...this.byName,
    ]);
    this.oneofs = type.oneofsArray
      .filter(({ oneof }) => oneof.length > 1)
      .map(({ name, oneof }) => ({ name, members: oneof, at: oneof.map((each) => this.byName.get(each) as number) }));
    this.standards = type.fieldsArray.flatMap(standardOf);
  }
}

export interface OneofLayout {
  readonly name: string;
  readonly members: readonly string[];
  /** The positions of its members. */
  readonly at: readonly number[];
}

export interface Standard {
  readonly name: string;
  /** False: an empty list or map, which counts for nothing. */
  readonly isScalar: boolean;
  /** Each message has its own where it can be changed. */
  make(): unknown;
}

/** A field, or the key or value of an entry of a map. */
export class FieldLayout {
  readonly name: string;
  readonly number: number;
  /** The name of its scalar, or of the type that it refers to. */
  readonly type: string;
  /** How one of its values is written; undefined for a type that there is not. */
  readonly wire: number | undefined;
  /** The type of its keys; absent for what is not a map. */
  readonly key: string | undefined;
  readonly repeated: boolean;
  readonly packed: boolean;
  readonly required: boolean;
  readonly enumeration: protobuf.Enum | undefined;
  /** The other members of its `oneof`. */
  readonly others: readonly string[];
  readonly #message: protobuf.Type | undefined;
  #layout: MessageLayout | undefined;

  constructor(field: protobuf.Field) {
    const { resolvedType } = field;
    this.name = field.name;
    this.number = field.id;
    this.type = field.type;
    this.#message = resolvedType instanceof protobuf.Type ? resolvedType : undefined;
    this.enumeration = resolvedType instanceof protobuf.Enum ? resolvedType : undefined;
    this.wire = resolvedType === null ? wireTypes[field.type] : this.#message === undefined ? 0 : 2;
    this.key = field instanceof protobuf.MapField ? field.keyType : undefined;
    this.repeated = field.repeated;
    this.packed = field.packed;
    this.required = field.required;
    this.others = field.partOf?.oneof.filter((name) => name !== field.name) ?? [];
  }

  /** Of the message that it holds, which may be the one that it belongs to; undefined for scalars and enumerations. */
  get message(): MessageLayout | undefined {
    if (this.#message === undefined) return undefined;
    return (this.#layout ??= layoutOf(this.#message));
  }
}

/** The layout of a message whose references are resolved. */
export function layoutOf(type: protobuf.Type): MessageLayout {
  const kept = layouts.get(type);
  if (kept !== undefined) return kept;
  const layout = new MessageLayout(type);
  layouts.set(type, layout);
  return layout;
}

const layouts = new WeakMap<protobuf.Type, MessageLayout>();

/** What a scalar is when it was not sent. */
export function standardScalar(type: string): unknown {
  if (type === 'bytes') return new Uint8Array();
  return type === 'string' ? '' : type === 'bool' ? false : 0;
}

function standardOf(field: protobuf.Field): Standard[] {
  const { name } = field;
  if (field.map) return [{ name, isScalar: false, make: () => new Fields() }];
  if (field.repeated) return [{ name, isScalar: false, make: () => [] }];
  if (field.hasPresence || field.resolvedType instanceof protobuf.Type) return [];
  if (field.type === 'bytes') return [{ name, isScalar: true, make: () => new Uint8Array() }];
  const value = standardValue(field);
  return [{ name, isScalar: true, make: () => value }];
}

function standardValue({ resolvedType, defaultValue, typeDefault }: protobuf.Field): unknown {
  const value: unknown = defaultValue ?? typeDefault;
  if (resolvedType instanceof protobuf.Enum) return resolvedType.valuesById[Number(value)] ?? value;
  return typeof value === 'object' && value !== null ? Number(value) : value;
}
