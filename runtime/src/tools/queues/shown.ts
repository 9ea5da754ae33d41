import { unpackedOf } from '../../connectors/intake/broker/packed.ts';
import type { QueuedMessage } from '../../foundation/contracts/queue.ts';
import { mask, namesCredential } from '../../foundation/observe/mask.ts';
import { decodeJson } from '../../platform/formats/json.ts';
import { digestOf } from './digest.ts';

type Shown = Omit<QueuedMessage, 'again'>;

/** Characters of a body that people are shown. */
const mostShown = 2_000;

/**
 * A message for programs: what is JSON as `body`, other text as `text`, everything else as `base64`; `digest` names it for
 * `--only`. A body whose integers are beyond what numbers of programs hold is in `written` too, as it is.
 */
export async function shownMessage(message: Shown): Promise<Record<string, unknown>> {
  const { source, position, key, headers, content } = message;
  const digest = digestOf({ source, key, content });
  const shown = contentOf(await readable(message));
  return { source, position, key, digest, headers: withoutCredentials(headers), ...shown };
}

/** A message for people: where it is, then headers and body below. What would control a terminal is written out. */
export async function textOfMessage(message: Shown): Promise<readonly string[]> {
  const { source, position, key, headers } = message;
  const content = await readable(message);
  const shown = contentOf(content);
  const text = 'base64' in shown ? `(${content.length} bytes that are not text)` : content.toString('utf8');
  const cut = text.length > mostShown ? `${text.slice(0, mostShown)}… (${text.length} characters)` : text;
  const written = Object.keys(headers).length === 0 ? [] : [`  headers ${JSON.stringify(withoutCredentials(headers))}`];
  return [
    [source, position, key].filter((part) => part !== '').join(' '),
    ...written,
    ...cut.split('\n').map((line) => `  ${line}`),
  ].map(escaped);
}

/** Bytes that are shown of a packed body. */
const mostUnpacked = 67_108_864;

/** The content as its sender had it, where it can be unpacked. */
export function readable(message: Shown): Promise<Buffer> {
  return unpackedOf(message, mostUnpacked).catch(() => message.content);
}

type Content =
  | { readonly body: unknown; readonly written?: string }
  | { readonly text: string }
  | { readonly base64: string };

function contentOf(content: Buffer): Content {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return { base64: content.toString('base64') };
  }
  try {
    const body = decodeJson(text);
    return holdsBigInteger(body) ? { body, written: text } : { body };
  } catch {
    return { text };
  }
}

function holdsBigInteger(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBigInteger);
}

function withoutCredentials(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, namesCredential(name) ? mask : withoutBytes(value)]),
  );
}

/** Bytes are shown as `0x…`. */
function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  return Array.isArray(value) ? value.map(withoutBytes) : value;
}

export function escaped(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (character) => `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`,
  );
}

/** A result for programs as JSON; integers beyond what a number holds are texts. */
export function jsonOf(result: object): string {
  return JSON.stringify(result, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2);
}
