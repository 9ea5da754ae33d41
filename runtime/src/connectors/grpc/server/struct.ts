import protobuf from 'protobufjs';

/** JSON as `google.protobuf.Struct`; another value is its field `value`. */
export function writeStruct(json: unknown): Uint8Array {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return struct(isObject ? json : { value: json }).finish();
}

function struct(fields: object): protobuf.Writer {
  const writer = protobuf.Writer.create();
  for (const [name, item] of Object.entries(fields))
    writer.uint32(10).fork().uint32(10).string(name).uint32(18).bytes(value(item).finish()).ldelim();
  return writer;
}

/** `google.protobuf.Value`. */
function value(item: unknown): protobuf.Writer {
  const writer = protobuf.Writer.create();
  if (typeof item === 'number') return writer.uint32(17).double(item);
  if (typeof item === 'boolean') return writer.uint32(32).bool(item);
  if (Array.isArray(item)) return writer.uint32(50).bytes(list(item));
  if (typeof item === 'object' && item !== null) return writer.uint32(42).bytes(struct(item).finish());
  if (item === null || item === undefined) return writer.uint32(8).int32(0);
  return writer.uint32(26).string(String(item));
}

function list(items: readonly unknown[]): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const item of items) writer.uint32(10).bytes(value(item).finish());
  return writer.finish();
}
