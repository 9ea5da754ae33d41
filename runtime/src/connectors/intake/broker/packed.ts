import { promisify } from 'node:util';
import { brotliCompress, deflate, gzip, zstdCompress } from 'node:zlib';
import { Failure } from '../../../foundation/errors/failure.ts';
import { decompress, type PackedProblem } from '../../../platform/net/decompress.ts';
import { bytesPassedOver, tooLarge } from './passed-over.ts';

/** What a message says of its body. */
export interface Packed {
  readonly content: Uint8Array;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** Where the protocol has a place for it beside headers. */
  readonly encoding?: unknown;
}

const header = 'content-encoding';
/** Words that senders write there for bytes that are not packed, beside names of character sets. */
const plain: ReadonlySet<string> = new Set(['identity', 'binary', '7bit', '8bit', 'none']);

/**
 * How the body of a message is packed, the encoding that was applied first at the beginning; undefined: it is not. Throws
 * for more headers than one.
 */
export function encodingOf({ content, headers, encoding = headers && writtenIn(headers) }: Packed): string | undefined {
  if (encoding === undefined || encoding === null || encoding === '' || content.length === 0) return undefined;
  if (typeof encoding !== 'string') {
    const what = Array.isArray(encoding) ? `is there ${encoding.length} times` : 'is not a text';
    throw new Failure(
      'body_undecodable',
      `the header "${header}" ${what}, so that the body of the message is not unpacked`,
    );
  }
  // Some libraries write `gzip:UTF-8`.
  const codings = encoding.split(/[,:]/).filter((coding) => !isPlain(coding.trim().toLowerCase()));
  return codings.length === 0 ? undefined : codings.join(',');
}

/**
 * The body as its sender had it. Rejects with `media_type_unsupported` for an encoding that is not known, with
 * `body_too_large` for one that unpacks to more than `limit` bytes, and with `body_undecodable` for one that is damaged.
 */
export function unpacked(content: Uint8Array, encoding: string, limit: number, refuse = ofMessage): Promise<Buffer> {
  return decompress(bufferOf(content), encoding, limit, refuse);
}

/** The body of a message as its sender had it, packed or not. */
export async function unpackedOf(message: Packed, limit: number, refuse = ofMessage): Promise<Buffer> {
  const content = bufferOf(message.content);
  const over = bytesPassedOver(content);
  if (over !== undefined) throw tooLarge(over, limit);
  const encoding = encodingOf(message);
  return encoding === undefined ? content : unpacked(message.content, encoding, limit, refuse);
}

/** Another body for a message, packed as its own is. */
export async function packedLike(message: Packed, content: Buffer): Promise<Buffer> {
  let packed = content;
  for (const coding of encodingOf(message)?.toLowerCase().split(',') ?? []) {
    const pack = Object.hasOwn(packers, coding.trim()) ? packers[coding.trim()] : undefined;
    if (pack === undefined) return content;
    packed = await pack(packed);
  }
  return packed;
}

function ofMessage(problem: PackedProblem, text: string, cause?: unknown): Failure {
  const hint = problem === 'too large' ? ' when it is unpacked, the most that a message may have' : '';
  return new Failure(codes[problem], `the body of the message ${text}${hint}`, { cause });
}

const codes = {
  damaged: 'body_undecodable',
  'too large': 'body_too_large',
  'unknown encoding': 'media_type_unsupported',
} as const satisfies Record<PackedProblem, string>;

const packers: Readonly<Record<string, (content: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(gzip),
  'x-gzip': promisify(gzip),
  deflate: promisify(deflate),
  br: promisify(brotliCompress),
  zstd: promisify(zstdCompress),
};

function writtenIn(headers: Readonly<Record<string, unknown>>): unknown {
  for (const name in headers) if (name.length === header.length && name.toLowerCase() === header) return headers[name];
  return undefined;
}

function isPlain(coding: string): boolean {
  return coding === '' || plain.has(coding) || isCharacterSet(coding);
}

function isCharacterSet(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

function bufferOf(content: Uint8Array): Buffer {
  return Buffer.isBuffer(content) ? content : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
