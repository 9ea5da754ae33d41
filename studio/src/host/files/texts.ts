import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { FileText } from '../../shared/services.ts';

/** Bytes of the largest file that is opened or written. */
export const largestFile = 5 * 1024 * 1024;

/** What a text is known by: changes when the text does. */
export function versionOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Reads a text as it is on disk. Rejects when it is not a file, larger than `largest` bytes, or not UTF-8. */
export async function readText(absolute: string, path: string, largest = largestFile): Promise<FileText> {
  const found = await stat(absolute);
  if (!found.isFile()) throw new Error(`${path} is not a file`);
  if (found.size > largest) throw new Error(`${path} is larger than ${sizeText(largest)}`);
  const bytes = await readFile(absolute);
  const text = textOf(bytes);
  if (text === undefined) throw new Error(`${path} is not text in UTF-8`);
  return { path, text, version: versionOf(bytes) };
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}

/** Undefined when the bytes are not text. A byte order mark is kept, so that writing the text back changes nothing. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
