import { Failure } from '../../../errors/failure.ts';
import { single } from '../../../net/client/answer.ts';
import type { HttpAnswer } from '../../../net/request.ts';
import type { Entry, Exchange } from '../store.ts';
import { encodeKey } from './client/address.ts';
import type { S3Client } from './client/client.ts';
import type { ChangedDocument, Headers } from './object-headers.ts';
import { storageHeaders } from './parameters.ts';
import { PartedUpload } from './parts.ts';

const gibibyte = 1024 ** 3;

/** How much is copied at once. */
export interface CopyLimits {
  /** Bytes of an object that is copied by one request. */
  readonly atOnce: number;
  /** Bytes of a part of a larger one. */
  readonly partSize: number;
}

/** What Amazon S3 takes ("CopyObject": up to 5 GB); 10,000 parts are more than the largest object. */
const usualLimits: CopyLimits = { atOnce: 5 * gibibyte, partSize: gibibyte };

export interface Copying {
  /** As it was found: a version that came since is not copied. */
  readonly source: Entry;
  readonly from: string;
  readonly to: string;
  /** Of the copy, as flows call it. */
  readonly path: string;
  /** What the copy has that its source does not. */
  readonly changed: ChangedDocument | undefined;
  /** How the copy is stored. */
  readonly stored: Headers;
}

/**
 * Has the server copy an object with its media type and metadata, but for what is changed: no byte of it comes here. One
 * that is copied onto itself stays stored as it is.
 */
export async function copyObject(
  client: S3Client,
  copying: Copying,
  exchange: Exchange,
  limits: CopyLimits = usualLimits,
): Promise<void> {
  const { source, from, to, path, changed, stored } = copying;
  const origin = {
    'x-amz-copy-source': `/${encodeKey(client.bucket)}/${encodeKey(from)}`,
    ...(source.etag !== undefined && { 'x-amz-copy-source-if-match': source.etag }),
  };
  const isAtOnce = source.size <= limits.atOnce;
  try {
    const found =
      isAtOnce && changed === undefined && from !== to ? undefined : await headOf(client, copying, exchange);
    const headers = { ...(found && from === to && takenOver(found, storedNames)), ...stored };
    const own = found && { ...kept(found, changed), ...changed?.headers };
    if (!isAtOnce) return await copyParts(client, copying, { ...own, ...headers }, origin, exchange, limits);
    const document = changed === undefined ? {} : { ...own, 'x-amz-metadata-directive': 'REPLACE' };
    const all = { ...document, ...headers, ...origin };
    await client.send({ method: 'PUT', key: to, path, headers: all, isSafe: true, isLong: true }, exchange);
  } catch (error) {
    // What is not there is the source, whatever the request was about.
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    throw new Failure('not_found', `there is no file "${source.path}"`, { cause: error });
  }
}

function headOf(client: S3Client, { source, from }: Copying, exchange: Exchange): Promise<HttpAnswer> {
  const headers: Headers = source.etag === undefined ? {} : { 'if-match': source.etag };
  return client.send({ method: 'HEAD', key: from, path: source.path, headers, isSafe: true }, exchange);
}

async function copyParts(
  client: S3Client,
  { source, to, path }: Copying,
  headers: Headers,
  origin: Headers,
  exchange: Exchange,
  { partSize }: CopyLimits,
): Promise<void> {
  const parted = await PartedUpload.begin(client, to, path, headers, exchange);
  try {
    for (let start = 0, number = 1; start < source.size; start += partSize, number++) {
      const end = Math.min(start + partSize, source.size);
      await parted.copy(number, { ...origin, 'x-amz-copy-source-range': `bytes=${start}-${end - 1}` }, exchange);
    }
    await parted.complete(exchange);
  } catch (error) {
    await parted.abort();
    throw error;
  }
}

/** Headers that an object has when it is read. */
const documentNames = [
  'content-type',
  'content-encoding',
  'content-language',
  'content-disposition',
  'cache-control',
  'expires',
];

/** How an object is stored, which a copy does not take over by itself. */
const storedNames = Object.values(storageHeaders).filter((name) => name !== 'x-amz-acl');

/** What a copy does not take over by itself when it is made in parts, or is changed. */
function kept(answer: HttpAnswer, changed: ChangedDocument | undefined): Headers {
  const names = Object.keys(answer.headers).filter((name) => name.startsWith('x-amz-meta-'));
  return takenOver(answer, [...documentNames, ...(changed?.hasMetadata === true ? [] : names)]);
}

function takenOver({ headers }: HttpAnswer, names: readonly string[]): Headers {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = single(headers[name]);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}
