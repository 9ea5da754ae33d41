import { type BodyForm, messageBudget } from './budget.ts';
import type { Codec } from './registry.ts';

/**
 * Decodes a body. Small ones are decoded at once, so that they cost no promise. Throws or rejects with a Failure:
 * `body_undecodable`, `media_type_unsupported` for a character set that is not known, `body_too_large` beyond the budget
 * or the time that a worker has, `overloaded` when too many bodies wait for a worker.
 */
export function decodeBody(codec: Codec, bytes: Uint8Array, form: BodyForm = {}): unknown | Promise<unknown> {
  if (bytes.length <= codec.inlineBytes) return codec.decode(bytes, form);
  const { charset, budget = messageBudget, doubles } = form;
  return decodeElsewhere({ format: codec.name, bytes, charset, budget, doubles });
}

async function decodeElsewhere(job: import('./decoder-pool.ts').DecodingJob): Promise<unknown> {
  const { decoders } = await import('./decoder-pool.ts');
  return decoders.decode(job);
}
