import { Fields as OwnFields } from '@svc/protocol/cel';

/** Whether a value has fields, which become elements. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || prototype === OwnFields.prototype;
}
