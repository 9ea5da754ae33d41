import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Failure } from '../../foundation/errors/failure.ts';

/** Headers that frame the message or name the connection: data may not set them. */
const framing = new Set([
  'connection',
  'content-length',
  'date',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers from a flow as names and values in turn. Throws `internal` for any that could be read as something else. */
export function headerPairs(headers: Readonly<Record<string, string>>): string[] {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (framing.has(name.toLowerCase())) throw new Failure('internal', `the answer may not set the header ${name}`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (cause) {
      throw new Failure('internal', `the header ${JSON.stringify(name)} of the answer cannot be sent`, { cause });
    }
    pairs.push(name, value);
  }
  return pairs;
}

/** Content-Disposition with a file name that every browser reads (RFC 6266, RFC 8187). */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const quoted = `${kind}; filename="${plain}"`;
  if (plain === filename) return quoted;
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${quoted}; filename*=UTF-8''${encoded}`;
}

/** Headers of an exchange without those that its answer has, and these; all are names and values in turn. */
export function overridden(added: readonly string[], headers: readonly string[]): string[] {
  const names = new Set<string>();
  for (let index = 0; index < headers.length; index += 2) names.add((headers[index] as string).toLowerCase());
  // What an answer depends on adds up: without the word of another part, caches would mix answers up.
  names.delete('vary');
  const kept: string[] = [];
  for (let index = 0; index < added.length; index += 2)
    if (!names.has((added[index] as string).toLowerCase()))
      kept.push(added[index] as string, added[index + 1] as string);
  kept.push(...headers);
  return kept;
}
