import type { DecodingBudget } from '../../../platform/formats/budget.ts';
import { textOf } from '../../../platform/formats/text.ts';
import { charsetOf } from '../../../platform/formats/xml/charset.ts';
import { textsOf } from '../../../platform/formats/xml/texts.ts';
import { type Envelope, EnvelopeReader } from './reader.ts';

/** Bytes that are read in one turn of the event loop, in a few milliseconds. */
const inlineBytes = 16 * 1024;

/**
 * Reads an envelope: at once when it is small, else with turns for other work. `charset` is what its sender says. Throws or
 * rejects as `EnvelopeReader` does.
 */
export function readEnvelope(
  bytes: Uint8Array,
  charset: string | undefined,
  budget: DecodingBudget,
): Envelope | Promise<Envelope> {
  const reader = new EnvelopeReader(budget);
  if (bytes.length > inlineBytes) return readInTurns(bytes, charset, reader);
  reader.write(textOf(bytes, charsetOf(bytes, charset)));
  return reader.end();
}

async function readInTurns(bytes: Uint8Array, charset: string | undefined, reader: EnvelopeReader): Promise<Envelope> {
  for await (const text of textsOf(once(bytes), charset)) reader.write(text);
  return reader.end();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
