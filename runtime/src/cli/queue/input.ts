import { resolve } from 'node:path';
import { regularFile } from '../../foundation/disk/regular-file.ts';
import { decodeJson } from '../../platform/formats/json.ts';
import { type Streams, UsageError } from '../command.ts';

type Message = Readonly<Record<string, unknown>>;

/** Bytes of all messages of one call. */
const mostBytes = 16 * 1024 * 1024;

/** The text of a file, or of standard input for `-`. Throws UsageError when it cannot be read, or is too much. */
export async function readInput(
  option: string,
  name: string,
  workingDirectory: string,
  { input }: Streams,
): Promise<string> {
  try {
    const bytes =
      name === '-'
        ? await wholeOf(input ?? process.stdin)
        : await regularFile(resolve(workingDirectory, name), mostBytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${option} ${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function wholeOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece as Uint8Array | string));
    bytes += (pieces.at(-1) as Buffer).length;
    if (bytes > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
  }
  return Buffer.concat(pieces);
}

/** The messages of a text: one JSON object, a list of objects, or an object in each line. Throws UsageError for another text. */
export function messagesOf(text: string): readonly Message[] {
  const whole = attempt(text);
  const values = whole === undefined ? linesOf(text) : Array.isArray(whole.value) ? whole.value : [whole.value];
  if (values.length === 0) throw new UsageError('--input has no message');
  for (const [at, value] of values.entries())
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new UsageError(`message ${at + 1} of --input is not a JSON object`);
  return values as readonly Message[];
}

function linesOf(text: string): readonly unknown[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const read = attempt(line);
    if (read === undefined)
      throw new UsageError(
        `line ${at + 1} of --input is not JSON: write an object in each line, or one list of objects`,
      );
    return [read.value];
  });
}

function attempt(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: decodeJson(text) };
  } catch {
    return undefined;
  }
}
