import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync } from 'node:zlib';
import { toJson } from '@svc/protocol/cel';
import type { KeptAnswer as Stored } from '../../../../foundation/contracts/kept-answers.ts';
import { answerBudget } from '../../../../platform/formats/budget.ts';
import { decodeBody } from '../../../../platform/formats/decode.ts';
import { json } from '../../../../platform/formats/registry.ts';
import type { codecs } from './spec.ts';

type Codec = (typeof codecs)[number];

/**
 * Turns answers into texts and back. `decode` throws or rejects when the text is not what `encode` makes; what is long is
 * decoded by other threads.
 */
export interface Encoding {
  encode(stored: Stored): string;
  decode(text: string): Stored | Promise<Stored>;
}

/** Decoded answers are at most this large, whatever size a packed entry declares. */
const mostBytes = 64 * 1024 * 1024;
/** Characters of a text that is parsed at once: a few milliseconds, fewer than those that handing it over would take. */
const inlineText = 256 * 1024;
/** Characters of a packed text that is unpacked at once: it becomes at most a thousand times as much. */
const inlinePacked = 4 * 1024;

const unpack = promisify(gunzip);

/** A chain of codecs that begins with `json`; the text that is stored is binary only when it ends with `gzip`, then in base64. */
export function encodingOf(chain: readonly Codec[]): Encoding {
  const codecs = chain.slice(1);
  if (codecs.length === 0) return { encode: textOf, decode: fromJson };
  const packs = codecs.at(-1) === 'gzip';
  const bytesOf = (text: string) => (packs ? fromBase64(text) : Buffer.from(text));
  const isPacked = codecs.includes('gzip');
  return {
    encode: (stored) => {
      let bytes = Buffer.from(textOf(stored));
      for (const codec of codecs) bytes = codec === 'gzip' ? gzipSync(bytes) : Buffer.from(bytes.toString('base64'));
      return packs ? bytes.toString('base64') : bytes.toString();
    },
    decode: (text) => {
      if (isPacked && text.length > inlinePacked) return fromPacked(bytesOf(text), codecs);
      let bytes = bytesOf(text);
      for (const codec of codecs.toReversed())
        bytes = codec === 'gzip' ? gunzipSync(bytes, { maxOutputLength: mostBytes }) : fromBase64(bytes.toString());
      return fromJson(bytes.toString());
    },
  };
}

async function fromPacked(packed: Buffer<ArrayBuffer>, codecs: readonly Codec[]): Promise<Stored> {
  let bytes = packed;
  for (const codec of codecs.toReversed())
    bytes = codec === 'gzip' ? await unpack(bytes, { maxOutputLength: mostBytes }) : fromBase64(bytes.toString());
  return fromJson(bytes.toString());
}

function fromBase64(text: string): Buffer<ArrayBuffer> {
  if (!/^[A-Za-z0-9+/_\s-]*=*\s*$/.test(text)) throw new Error('the entry is not base64');
  return Buffer.from(text, 'base64');
}

/** Marks an answer that has a status beside its value. */
const statusKey = '$status';

function textOf({ value, status }: Stored): string {
  const plain = toJson(value);
  return JSON.stringify(status === undefined ? plain : { [statusKey]: status, value: plain });
}

function fromJson(text: string): Stored | Promise<Stored> {
  if (text.length > inlineText) return fromLongJson(text);
  return storedIn(JSON.parse(text));
}

async function fromLongJson(text: string): Promise<Stored> {
  return storedIn(await decodeBody(json, Buffer.from(text), { budget: answerBudget, doubles: true }));
}

function storedIn(value: unknown): Stored {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, statusKey)) {
    const { value: inner, [statusKey]: status } = value as { value: unknown; [statusKey]: number };
    return { value: inner, status };
  }
  return { value, status: undefined };
}
