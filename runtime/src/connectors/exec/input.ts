import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { Content } from '../../foundation/contracts/content.ts';
import type { CallRequest } from '../../foundation/contracts/target.ts';
import { bytesOf } from '../../platform/content/bytes-body.ts';
import { encodeJson } from '../../platform/formats/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a program reads from its standard input; undefined: nothing. */
export type Input = string | Uint8Array | Content | undefined;

/** The fields of a call: filters, parameters and payload together, the later winning; those of its address are below them. */
export function fieldsOf({ filters, params, payload, address }: CallRequest): Fields {
  const named = Array.isArray(params) ? undefined : (params as Fields | undefined);
  return { ...address, ...filters, ...named, ...payload };
}

/** The fields as a program reads them: JSON, or the bytes of `_binary` where the configuration names that field. */
export function inputOf(fields: Fields, isBinary: boolean): Input {
  if (isBinary) return bytesOf(fields).body;
  for (const _ in fields) return encodeJson(fields);
  return undefined;
}

/** What the word `stdin` gives: texts and bytes as they are, anything else as JSON, null nothing. */
export function givenInput(value: unknown): Input {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string' || value instanceof Uint8Array || value instanceof Content) return value;
  return encodeJson(value);
}

/**
 * Writes it no faster than it is read. A program need not read all of it. Rejects only when the source of the bytes fails:
 * the program must be ended before it sees the end of them.
 */
export async function feed(stdin: Writable, input: Input): Promise<void> {
  if (!(input instanceof Content)) return void stdin.end(input ?? '');
  const { inMemory } = input.bytes;
  if (inMemory !== undefined) return void stdin.end(inMemory);
  const source: Readable = input.bytes.stream();
  const close = () => source.destroy();
  stdin.once('close', close);
  try {
    for await (const piece of source) {
      if (stdin.destroyed || !stdin.writable) return;
      if (!stdin.write(piece)) await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]);
    }
    stdin.end();
  } catch (error) {
    if (!stdin.destroyed && stdin.writable) throw error;
  } finally {
    stdin.off('close', close);
    source.destroy();
  }
}
