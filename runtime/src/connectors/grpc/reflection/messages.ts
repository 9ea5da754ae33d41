import protobuf from 'protobufjs';

/** What a caller of the reflection service asks (grpc/reflection/v1/reflection.proto). */
export type ReflectionQuestion =
  | { readonly kind: 'file' | 'symbol' | 'extension' | 'extensions'; readonly name: string }
  | { readonly kind: 'services' };

/** The fields of a `ServerReflectionRequest`. */
const questions: Readonly<Record<number, ReflectionQuestion['kind']>> = {
  3: 'file',
  4: 'symbol',
  5: 'extension',
  6: 'extensions',
  7: 'services',
};

/** What a request asks; undefined for bytes that ask nothing. */
export function questionOf(request: Uint8Array): ReflectionQuestion | undefined {
  try {
    const reader = protobuf.Reader.create(request);
    let question: ReflectionQuestion | undefined;
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      const kind = (tag & 7) === 2 ? questions[tag >>> 3] : undefined;
      if (kind === undefined) reader.skipType(tag & 7);
      else if (kind === 'extension') question = { kind, name: Buffer.from(reader.bytes()).toString('hex') };
      else {
        const name = reader.string();
        question = kind === 'services' ? { kind } : { kind, name };
      }
    }
    return question;
  } catch {
    return undefined;
  }
}

/** A `ServerReflectionResponse` to a request with one field of messages or bytes. */
function answer(request: Uint8Array, field: number, content: protobuf.Writer): Buffer {
  const writer = protobuf.Writer.create().uint32(18).bytes(request);
  return Buffer.from(
    writer
      .uint32((field << 3) | 2)
      .bytes(content.finish())
      .finish(),
  );
}

export function filesAnswer(request: Uint8Array, files: readonly Uint8Array[]): Buffer {
  const content = protobuf.Writer.create();
  for (const file of files) content.uint32(10).bytes(file);
  return answer(request, 4, content);
}

/** A type without extensions: extensions are not served. */
export function extensionsAnswer(request: Uint8Array, name: string): Buffer {
  return answer(request, 5, protobuf.Writer.create().uint32(10).string(name));
}

export function servicesAnswer(request: Uint8Array, services: readonly string[]): Buffer {
  const content = protobuf.Writer.create();
  for (const service of services) content.uint32(10).fork().uint32(10).string(service).ldelim();
  return answer(request, 6, content);
}

export function errorAnswer(request: Uint8Array, code: number, message: string): Buffer {
  return answer(request, 7, protobuf.Writer.create().uint32(8).int32(code).uint32(18).string(message));
}
