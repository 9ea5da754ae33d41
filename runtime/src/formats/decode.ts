import { type DecodingBudget, messageBudget } from './budget.ts';
import type { Codec } from './registry.ts';
import { textOf } from './text.ts';

/** How a body is read. */
export interface BodyForm {
  /** Character set that the sender names; default UTF-8. */
  readonly charset?: string | undefined;
  /** Default: that of messages. */
  readonly budget?: DecodingBudget | undefined;
}

/**
 * Decodes a body. Small ones are decoded at once, so that they cost no promise. Throws or rejects with a Failure:
 * `body_undecodable`, `media_type_unsupported` for a character set that is not known, `body_too_large` beyond the budget
 * or the time that a worker has, `overloaded` when too many bodies wait for a worker.
 */
export function decodeBody(codec: Codec, bytes: Buffer, form: BodyForm = {}): unknown | Promise<unknown> {
  const { charset, budget = messageBudget } = form;
  if (bytes.length <= codec.inlineBytes) return codec.decode(textOf(bytes, charset), budget);
  return decodeElsewhere({ format: codec.name, bytes, charset, budget });
}

async function decodeElsewhere(job: import('./decoder-pool.ts').DecodingJob): Promise<unknown> {
  const { decoders } = await import('./decoder-pool.ts');
  return decoders.decode(job);
}
