import protobuf from 'protobufjs';

/** What descriptors say that is needed to read and write messages (google/protobuf/descriptor.proto). */
const text = `syntax = "proto2";
message FileDescriptorProto {
  optional string name = 1;
  optional string package = 2;
  repeated string dependency = 3;
  repeated DescriptorProto message_type = 4;
  repeated EnumDescriptorProto enum_type = 5;
  repeated ServiceDescriptorProto service = 6;
  repeated int32 public_dependency = 10;
  optional string syntax = 12;
}
message DescriptorProto {
  optional string name = 1;
  repeated FieldDescriptorProto field = 2;
  repeated DescriptorProto nested_type = 3;
  repeated EnumDescriptorProto enum_type = 4;
  optional MessageOptions options = 7;
  repeated OneofDescriptorProto oneof_decl = 8;
}
message MessageOptions {
  optional bool map_entry = 7;
}
message FieldDescriptorProto {
  optional string name = 1;
  optional int32 number = 3;
  optional int32 label = 4;
  optional int32 type = 5;
  optional string type_name = 6;
  optional string default_value = 7;
  optional FieldOptions options = 8;
  optional int32 oneof_index = 9;
  optional string json_name = 10;
  optional bool proto3_optional = 17;
}
message FieldOptions {
  optional bool packed = 2;
}
message OneofDescriptorProto {
  optional string name = 1;
}
message EnumDescriptorProto {
  optional string name = 1;
  repeated EnumValueDescriptorProto value = 2;
  optional EnumOptions options = 3;
}
message EnumOptions {
  optional bool allow_alias = 2;
}
message EnumValueDescriptorProto {
  optional string name = 1;
  optional int32 number = 2;
}
message ServiceDescriptorProto {
  optional string name = 1;
  repeated MethodDescriptorProto method = 2;
}
message MethodDescriptorProto {
  optional string name = 1;
  optional string input_type = 2;
  optional string output_type = 3;
  optional bool client_streaming = 5;
  optional bool server_streaming = 6;
}
`;

const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
root.resolveAll();
const file = root.lookupType('FileDescriptorProto');

export interface FieldDescriptor {
  readonly name: string;
  readonly number: number;
  readonly label: number;
  readonly type: number;
  readonly type_name?: string | undefined;
  readonly default_value?: string | undefined;
  readonly options?: { readonly packed?: boolean } | undefined;
  readonly oneof_index?: number | undefined;
  readonly json_name?: string;
  readonly proto3_optional?: boolean;
}

export interface EnumDescriptor {
  readonly name: string;
  readonly value: readonly { readonly name: string; readonly number: number }[];
  readonly options?: { readonly allow_alias: true } | undefined;
}

export interface MessageDescriptor {
  readonly name: string;
  readonly field: readonly FieldDescriptor[];
  readonly nested_type: readonly MessageDescriptor[];
  readonly enum_type: readonly EnumDescriptor[];
  readonly oneof_decl: readonly { readonly name: string }[];
  readonly options?: { readonly map_entry?: boolean } | undefined;
}

export interface MethodDescriptor {
  readonly name: string;
  readonly input_type: string;
  readonly output_type: string;
  readonly client_streaming: boolean;
  readonly server_streaming: boolean;
}

export interface FileDescriptor {
  readonly name: string;
  readonly package: string;
  readonly dependency: readonly string[];
  /** Places in `dependency`. */
  readonly public_dependency: readonly number[];
  readonly message_type: readonly MessageDescriptor[];
  readonly enum_type: readonly EnumDescriptor[];
  readonly service: readonly { readonly name: string; readonly method: readonly MethodDescriptor[] }[];
  readonly syntax: string;
}

/** The numbers of types other than messages and enumerations, by their names. */
export const scalarTypes: Readonly<Record<string, number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};

export const messageType = 11;
export const enumType = 14;
export const labels = { optional: 1, required: 2, repeated: 3 } as const;

/** What is absent has its default, and is not an own property. Throws an Error for bytes that are not a descriptor of a file. */
export function decodeFile(bytes: Uint8Array): FileDescriptor {
  return file.decode(bytes) as unknown as FileDescriptor;
}

export function encodeFile(descriptor: FileDescriptor): Uint8Array {
  return file.encode(file.fromObject(descriptor)).finish();
}
