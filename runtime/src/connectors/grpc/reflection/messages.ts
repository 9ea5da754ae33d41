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

/** A `ServerReflectionRequest`. */
export function questionBytes(kind: 'file' | 'symbol' | 'services', name: string): Buffer {
  const field = Number(Object.entries(questions).find(([, each]) => each === kind)?.[0]);
  return Buffer.from(
    protobuf.Writer.create()
      .uint32((field << 3) | 2)
      .string(name)
      .finish(),
  );
}

/** What a server says of itself. */
export type ReflectionAnswer =
  | { readonly kind: 'files'; readonly files: readonly Uint8Array[] }
  | { readonly kind: 'services'; readonly services: readonly string[] }
  | { readonly kind: 'error'; readonly message: string };

/** Reads a `ServerReflectionResponse`. Throws an Error for other bytes. */
export function readAnswer(response: Uint8Array): ReflectionAnswer {
  const contents = new Map<number, Uint8Array>();
  for (const [field, content] of partsOf(response)) contents.set(field, content);
  const [files, services, error] = [4, 6, 7].map((field) => contents.get(field));
  if (files !== undefined) return { kind: 'files', files: valuesOf(files, 1) };
  if (services !== undefined) {
    const names = valuesOf(services, 1).map((each) => Buffer.from(valuesOf(each, 1)[0] ?? []).toString('utf8'));
    return { kind: 'services', services: names };
  }
  if (error !== undefined)
    return {
      kind: 'error',
      message: Buffer.from(valuesOf(error, 2)[0] ?? [])
        .toString('utf8')
        .slice(0, 200),
    };
  throw new Error('it answers nothing');
}

function valuesOf(bytes: Uint8Array, wanted: number): readonly Uint8Array[] {
  return partsOf(bytes).flatMap(([field, content]) => (field === wanted ? [content] : []));
}

/** The fields of bytes, texts or messages in a message. */
function partsOf(bytes: Uint8Array): readonly (readonly [field: number, content: Uint8Array])[] {
  const reader = protobuf.Reader.create(bytes);
  const parts: [number, Uint8Array][] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if ((tag & 7) === 2) parts.push([tag >>> 3, reader.bytes()]);
    else reader.skipType(tag & 7);
  }
  return parts;
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
