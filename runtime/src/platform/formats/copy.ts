import { Fields } from '@svc/protocol/cel';
import { Content } from '../../foundation/contracts/content.ts';

/** A copy of decoded data, as deep as it goes; files and bytes are the same ones. Maps have no prototype. */
export function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Content || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const map = new Fields() as Record<string, unknown>;
  for (const name of Object.keys(value)) map[name] = copyOf((value as Record<string, unknown>)[name]);
  return map;
}
