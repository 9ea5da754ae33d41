import { Failure } from '../../../foundation/errors/failure.ts';
import { type Answer, allIn, readXml, textIn } from '../../../platform/aws/answer.ts';
import type { Entry, Exchange } from '../store.ts';
import type { S3Client } from './client/client.ts';
import { keyProblem } from './key.ts';

/** Keys that one answer has at most. */
const mostKeys = 1000;
/** Answers without a key that may follow each other. */
const mostEmpty = 100;

/** What is listed: keys that begin with `root` and then `prefix`. */
export interface Listed {
  /** What the keys of the connector begin with; no part of the paths that flows see. */
  readonly root: string;
  readonly prefix: string;
  /** Keys with a further `/` too. */
  readonly recursive: boolean;
  /** Keys of one answer; absent: as many as there can be. */
  readonly pageKeys?: number | undefined;
}

/** The objects of a prefix, page by page; what they have in common up to the next `/` is a folder where it is not recursive. */
export async function* entriesIn(client: S3Client, listed: Listed, exchange: Exchange): AsyncGenerator<Entry> {
  const { root, recursive, pageKeys = mostKeys } = listed;
  const prefix = root + listed.prefix;
  const page = {
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(pageKeys),
    prefix,
    ...(!recursive && { delimiter: '/' }),
  };
  let token: string | undefined;
  for (let empty = 0; empty < mostEmpty; ) {
    const query = { ...page, ...(token !== undefined && { 'continuation-token': token }) };
    const ask = { method: 'GET', key: undefined, path: listed.prefix, query, isSafe: true } as const;
    const answer = await readXml((await client.send(ask, exchange)).body);
    let count = 0;
    for (const entry of pageOf(answer)) {
      const { path } = entry;
      // A server that answers more than was asked for gains nothing.
      if (!path.startsWith(prefix) || path.length === root.length) continue;
      const own = path.slice(root.length);
      const problem = keyProblem(own, root);
      if (problem !== undefined) {
        client.log.warn(`an object is passed over: its key ${problem}`, { bucket: client.bucket, key: path });
        continue;
      }
      count++;
      yield { ...entry, path: own };
    }
    const next = textIn(answer, 'NextContinuationToken');
    if (textIn(answer, 'IsTruncated') !== 'true') return;
    if (next === undefined || next === token) break;
    token = next;
    empty = count === 0 ? empty + 1 : 0;
  }
  throw new Failure('connector_failed', 'the object store does not end a list');
}

function* pageOf(answer: Answer): Generator<Entry> {
  // A server that does not know the encoding gives keys as they are, where + and % mean themselves.
  const isEncoded = textIn(answer, 'EncodingType') === 'url';
  for (const { Prefix: prefix } of allIn(answer, 'CommonPrefixes')) {
    const key = keyIn(prefix, isEncoded);
    if (key !== undefined) yield { path: key, isFolder: true, size: 0, modified: undefined };
  }
  for (const content of allIn(answer, 'Contents')) {
    const key = keyIn(content['Key'], isEncoded);
    if (key === undefined) continue;
    const modified = timeIn(textIn(content, 'LastModified'));
    const etag = textIn(content, 'ETag');
    const details = { storage_class: textIn(content, 'StorageClass') };
    yield { path: key, isFolder: false, size: sizeIn(textIn(content, 'Size')), modified, etag, details };
  }
}

/** A key as it is: lists have it encoded, since XML has no control characters. */
function keyIn(written: unknown, isEncoded: boolean): string | undefined {
  if (typeof written !== 'string' || !isEncoded) return written as string | undefined;
  try {
    return decodeURIComponent(written.replaceAll('+', ' '));
  } catch {
    throw new Failure('connector_failed', 'the object store gives a key that is not encoded as it says');
  }
}

export function timeIn(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Bytes as a server says them. Throws `connector_failed` where it says none. */
export function sizeIn(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure('connector_failed', 'the object store does not say the size of an object');
}
