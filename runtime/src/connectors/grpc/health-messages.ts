import protobuf from 'protobufjs';

/** The service that says whether a server serves (grpc/health/v1/health.proto). */
export const checkPath = '/grpc.health.v1.Health/Check';
export const watchPath = '/grpc.health.v1.Health/Watch';

/** `grpc.health.v1.HealthCheckResponse.ServingStatus`. */
export const servingStatus = { serving: 1, notServing: 2, serviceUnknown: 3 } as const;

/** The question about the whole server. */
export const wholeServer = Buffer.alloc(0);

/** A `HealthCheckResponse`. */
export function healthAnswer(value: number): Buffer {
  return Buffer.from([8, value]);
}

/** The service of a `HealthCheckRequest`; undefined for bytes that are not one. */
export function healthServiceOf(request: Buffer): string | undefined {
  return firstField(request, 10, '', (reader) => reader.string());
}

/** The status of a `HealthCheckResponse`; undefined for bytes that are not one. */
export function healthStatusOf(answer: Buffer): number | undefined {
  return firstField(answer, 8, 0, (reader) => reader.int32());
}

function firstField<T>(bytes: Buffer, wanted: number, absent: T, read: (reader: protobuf.Reader) => T): T | undefined {
  try {
    const reader = protobuf.Reader.create(bytes);
    let found = absent;
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === wanted) found = read(reader);
      else reader.skipType(tag & 7);
    }
    return found;
  } catch {
    return undefined;
  }
}
