import { Fields } from '@svc/protocol/cel';

/** The fields of an object; of anything else, itself as `data`. */
export function fieldsOf(data: unknown): Record<string, unknown> {
  const fields = new Fields() as Record<string, unknown>;
  if (typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof Uint8Array))
    return Object.assign(fields, data);
  fields['data'] = data;
  return fields;
}
