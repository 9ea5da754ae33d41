import protobuf from 'protobufjs';
import {
  type EnumDescriptor,
  enumType,
  type FieldDescriptor,
  type FileDescriptor,
  labels,
  type MessageDescriptor,
  type MethodDescriptor,
  messageType,
  scalarTypes,
} from './descriptor-types.ts';

/** A file of definitions, and what it defines. */
export interface DefinitionFile {
  /** As it is imported. */
  readonly name: string;
  readonly package: string;
  readonly imports: readonly string[];
  /** Those of them that are also imported by who imports it. */
  readonly shared: readonly string[];
  readonly syntax: 'proto2' | 'proto3';
}

/** The descriptor of a file whose definitions are `defined`: those of its package that are in no other. */
export function describeFile(file: DefinitionFile, defined: readonly protobuf.ReflectionObject[]): FileDescriptor {
  return {
    name: file.name,
    package: file.package,
    dependency: file.imports,
    public_dependency: file.shared.map((name) => file.imports.indexOf(name)),
    message_type: defined.filter((each) => each instanceof protobuf.Type).map((each) => describeMessage(each, file)),
    enum_type: defined.filter((each) => each instanceof protobuf.Enum).map(describeEnum),
    service: defined
      .filter((each) => each instanceof protobuf.Service)
      .map(({ name, methodsArray }) => ({ name, method: methodsArray.map(describeMethod) })),
    syntax: file.syntax,
  };
}

function describeMessage(type: protobuf.Type, file: DefinitionFile): MessageDescriptor {
  // What says the presence of one field comes after those that are written.
  const oneofs = [...type.oneofsArray].sort((a, b) => Number(isImplied(a)) - Number(isImplied(b)));
  const { fieldsArray, nestedArray } = type;
  const maps: protobuf.FieldBase[] = fieldsArray.filter((field) => field instanceof protobuf.MapField);
  return {
    name: type.name,
    field: fieldsArray.map((field) => describeField(field, oneofs, file)),
    nested_type: [
      ...nestedArray.filter((each) => each instanceof protobuf.Type).map((each) => describeMessage(each, file)),
      ...maps.map((map) => describeEntry(map as protobuf.MapField)),
    ],
    enum_type: nestedArray.filter((each) => each instanceof protobuf.Enum).map(describeEnum),
    oneof_decl: oneofs.map(({ name }) => ({ name })),
  };
}

function describeField(
  field: protobuf.Field,
  oneofs: readonly protobuf.OneOf[],
  { syntax }: DefinitionFile,
): FieldDescriptor {
  const map: protobuf.FieldBase | undefined = field instanceof protobuf.MapField ? field : undefined;
  const name = ownName(field);
  const { partOf } = field;
  return {
    name,
    number: field.id,
    label: field.repeated || map ? labels.repeated : field.required ? labels.required : labels.optional,
    ...(map
      ? { type: messageType, type_name: `${map.parent?.fullName}.${entryName(name)}` }
      : typeOf(field.type, field.resolvedType)),
    ...defaultOf(field),
    ...(field.repeated && packing(field, syntax)),
    ...(partOf && { oneof_index: oneofs.indexOf(partOf) }),
    json_name: jsonName(name),
    ...(partOf && isImplied(partOf) && { proto3_optional: true }),
  };
}

/** A map is a repeated message of its keys and values. */
function describeEntry(field: protobuf.MapField): MessageDescriptor {
  const part = (name: string, number: number, type: ReturnType<typeof typeOf>): FieldDescriptor => ({
    name,
    number,
    label: labels.optional,
    ...type,
    json_name: name,
  });
  return {
    name: entryName(ownName(field)),
    field: [part('key', 1, typeOf(field.keyType, null)), part('value', 2, typeOf(field.type, field.resolvedType))],
    nested_type: [],
    enum_type: [],
    oneof_decl: [],
    options: { map_entry: true },
  };
}

function describeEnum({ name, values }: protobuf.Enum): EnumDescriptor {
  const value = Object.entries(values).map(([own, number]) => ({ name: own, number }));
  const isAliased = new Set(Object.values(values)).size < value.length;
  return { name, value, ...(isAliased && { options: { allow_alias: true as const } }) };
}

function describeMethod(method: protobuf.Method): MethodDescriptor {
  return {
    name: method.name,
    input_type: method.resolvedRequestType?.fullName ?? '',
    output_type: method.resolvedResponseType?.fullName ?? '',
    client_streaming: method.requestStream === true,
    server_streaming: method.responseStream === true,
  };
}

function typeOf(type: string, resolved: protobuf.Type | protobuf.Enum | null): { type: number; type_name?: string } {
  if (resolved === null) return { type: scalarTypes[type] as number };
  return { type: resolved instanceof protobuf.Enum ? enumType : messageType, type_name: resolved.fullName };
}

function defaultOf({ options }: protobuf.Field): { default_value?: string } {
  const written: unknown = options?.['default'];
  return written === undefined || written === null ? {} : { default_value: String(written) };
}

/** Whether numbers of a list are packed, where that is not what the syntax says. */
function packing({ options }: protobuf.Field, syntax: string): { options?: { packed: boolean } } {
  const packed: unknown = options?.['packed'];
  return packed === undefined || packed === (syntax === 'proto3') ? {} : { options: { packed: packed === true } };
}

function isImplied({ fieldsArray: [only], name }: protobuf.OneOf): boolean {
  return only?.options?.['proto3_optional'] === true && name === `_${only.name}`;
}

/** Google's own files are known by names that are not theirs. */
function ownName(field: protobuf.FieldBase): string {
  const { name, parent } = field;
  return parent?.fullName.startsWith('.google.protobuf.') ? name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`) : name;
}

function entryName(name: string): string {
  return `${name.replace(/(?:^|_+)(.?)/g, (_, first: string) => first.toUpperCase())}Entry`;
}

function jsonName(name: string): string {
  return name.replace(/_+(.?)/g, (_, next: string) => next.toUpperCase());
}
