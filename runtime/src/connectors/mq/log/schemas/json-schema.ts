import type { Ajv as Validator } from 'ajv';
import { decodeBody } from '../../../../platform/formats/decode.ts';
import { json } from '../../../../platform/formats/registry.ts';
import { doesNotFit, unreadable } from '../../../../platform/formats/typed/problem.ts';
import type { Schema, WrittenSchema } from './format.ts';

/** A JSON Schema (draft 6, 7, 2019-09 or 2020-12). Throws an Error for what is not a schema. */
export async function jsonSchema({ text, referred }: WrittenSchema): Promise<Schema> {
  const schema = JSON.parse(text) as object | boolean;
  const validator = await validatorOf(schema);
  for (const { name, text: other } of referred) validator.addSchema(JSON.parse(other) as object, name);
  const isValid = validator.compile(schema);
  const problem = (value: unknown): readonly [path: string, says: string] | undefined => {
    if (isValid(doubled(value))) return undefined;
    const [error] = isValid.errors ?? [];
    const path = (error?.instancePath ?? '').slice(1).replaceAll('/', '.');
    return [path, error?.message ?? 'does not fit'];
  };
  return {
    name: typeof schema === 'object' && 'title' in schema ? String(schema.title) : undefined,
    read: async (bytes) => {
      const value = await decodeBody(json, bytes);
      const wrong = problem(value);
      if (wrong !== undefined) throw unreadable(wrong.filter((part) => part !== '').join(' '));
      return value;
    },
    write: (value) => {
      // What is checked is what is sent: an encoder may turn a value into another one.
      const bytes = Buffer.from(json.encode(value));
      const wrong = problem(JSON.parse(bytes.toString()));
      if (wrong !== undefined) throw doesNotFit(...wrong);
      return bytes;
    },
  };
}

/** The library has a class for each generation of the language. */
async function validatorOf(schema: object | boolean): Promise<Validator> {
  const written = typeof schema === 'object' && '$schema' in schema ? String(schema.$schema) : '';
  const { default: formats } = await import('ajv-formats');
  const options = { strict: false, allErrors: false, logger: false, validateSchema: true } as const;
  const made = await (async () => {
    if (written.includes('2020-12')) return new (await import('ajv/dist/2020.js')).Ajv2020(options);
    if (written.includes('2019-09')) return new (await import('ajv/dist/2019.js')).Ajv2019(options);
    const validator = new (await import('ajv')).Ajv(options);
    if (written.includes('draft-06')) {
      const { default: draft } = await import('ajv/dist/refs/json-schema-draft-06.json', { with: { type: 'json' } });
      validator.addMetaSchema(draft);
    }
    return validator;
  })();
  formats.default(made);
  return made;
}

/** Whole numbers beyond 2^53 are numbers to the library, which only measures them. */
function doubled(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.some(isLarge) ? value.map(doubled) : value;
  if (typeof value !== 'object' || value === null || !isLarge(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, doubled(each)]));
}

function isLarge(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(isLarge);
}
