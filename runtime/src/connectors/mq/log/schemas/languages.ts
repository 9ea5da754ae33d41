import type { Schema, WrittenSchema } from './format.ts';

/** Reads a schema. Throws an Error that says what is wrong with it. `message` names one of a Protobuf file. */
export async function schemaOf(written: WrittenSchema, message: string | undefined): Promise<Schema> {
  switch (written.type) {
    case 'AVRO':
      return (await import('./avro/schema.ts')).avroSchema(written);
    case 'JSON':
      return (await import('./json-schema.ts')).jsonSchema(written);
    case 'PROTOBUF':
      return (await import('./protobuf/schema.ts')).protobufSchema(written, message);
  }
}
