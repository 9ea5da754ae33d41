import { decodeJson } from '../../formats/json.ts';
import type { Addressee } from './addressee.ts';
import { isEventId } from './event-id.ts';
import type { Posted, Push } from './push.ts';

const kinds: ReadonlySet<unknown> = new Set(['all', 'room', 'user']);

/** What is sent, as an entry of a stream of Redis: names and values in turn. */
export function wordsOf({ to, text, bytes, filter }: Push): string[] {
  const words = ['to', to.kind, 'data', bytes?.toString('base64') ?? text];
  if (to.kind !== 'all') words.push('name', to.name);
  if (bytes !== undefined) words.push('binary', '1');
  if (filter !== undefined) words.push('filter', filter);
  return words;
}

/** Reads an entry; undefined for one of another form. */
export function postedOf(id: string, words: readonly string[]): Posted | undefined {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < words.length; at += 2) fields.set(words[at] as string, words[at + 1] as string);
  const to = addresseeOf(fields.get('to'), fields.get('name'));
  const data = fields.get('data');
  if (to === undefined || data === undefined || !isEventId(id)) return undefined;
  const filter = fields.get('filter');
  if (fields.has('binary'))
    return { id, push: { to, text: '', bytes: Buffer.from(data, 'base64'), filter, value: () => ({}) } };
  const value = decoderOf(data);
  // A line break would begin another field of an event.
  if (value === undefined || /[\r\n]/.test(data)) return undefined;
  return { id, push: { to, text: data, filter, value } };
}

function addresseeOf(kind: string | undefined, name: string | undefined): Addressee | undefined {
  if (!kinds.has(kind)) return undefined;
  if (kind === 'all') return { kind };
  return name === undefined ? undefined : ({ kind, name } as Addressee);
}

/** What filters read, decoded when one asks for it; undefined when it is not JSON. */
function decoderOf(text: string): (() => unknown) | undefined {
  if (!text.startsWith('{')) return undefined;
  let value: unknown;
  return () => (value ??= decodeJson(text));
}
