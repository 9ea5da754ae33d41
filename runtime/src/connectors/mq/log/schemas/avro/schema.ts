import avro from 'avsc';
import type { Schema, WrittenSchema } from '../format.ts';
import { logicalTypes } from './logical-types.ts';
import { readAvro } from './read.ts';
import type { AvroType } from './type.ts';
import { writeAvro } from './write.ts';

/**
 * A schema of Avro. The library reads the schema alone: it would read lists of any length behind the end of the bytes, so
 * that values are read and written here. Throws an Error for what is not a schema.
 */
export function avroSchema({ text, referred }: WrittenSchema): Schema {
  const registry = {};
  const options = { registry, logicalTypes, wrapUnions: true } as Parameters<typeof avro.Type.forSchema>[1];
  for (const { text: other } of referred) avro.Type.forSchema(parsed(other), options);
  const type = avro.Type.forSchema(parsed(text), options) as unknown as AvroType;
  return {
    name: type.name,
    read: (bytes) => readAvro(type, bytes),
    write: (value) => writeAvro(type, value),
  };
}

type WrittenType = Parameters<typeof avro.Type.forSchema>[0];

/** A primitive type may be written without quotes. */
function parsed(text: string): WrittenType {
  if (/^\s*[a-z]+\s*$/.test(text)) return text.trim() as WrittenType;
  return JSON.parse(text) as WrittenType;
}
