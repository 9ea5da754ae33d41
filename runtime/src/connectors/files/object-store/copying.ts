import { Failure } from '../../../foundation/errors/failure.ts';
import { textIn } from '../../../platform/aws/answer.ts';
import { single } from '../../../platform/net/client/answer.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';
import type { Entry, Exchange } from '../store.ts';
import { encodeKey } from './client/address.ts';
import { readAnswer } from './client/answer.ts';
import type { S3Client } from './client/client.ts';
import { sendUnder } from './conditional.ts';
import type { ChangedDocument, Headers } from './object-headers.ts';
import { storageHeaders } from './parameters.ts';
import { PartedUpload } from './parts.ts';
import { isReplaced, isThere } from './version.ts';

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
  /** Under which it takes its place. */
  readonly condition: Headers | undefined;
}

/**
 * Has the server copy an object with its media type and metadata, but for what is changed: no byte of it comes here. One
 * that is copied onto itself stays stored as it is. Rejects where the source is another version than the one that was found.
 */
export async function copyObject(
  client: S3Client,
  copying: Copying,
  exchange: Exchange,
  limits: CopyLimits = usualLimits,
): Promise<void> {
  const { etag, modified, path } = copying.source;
  const since: Headers = modified === undefined ? {} : { 'if-unmodified-since': new Date(modified).toUTCString() };
  try {
    await copyWhere(etag === undefined ? {} : { 'if-match': etag }, client, copying, exchange, limits);
  } catch (error) {
    if (!isReplaced(error) || !(await isThere(client, { key: copying.from, path, etag }, exchange))) throw error;
    await copyWhere(since, client, copying, exchange, limits);
  }
}

/** Copies it where a condition holds for the source. */
async function copyWhere(
  sourceCondition: Headers,
  client: S3Client,
  copying: Copying,
  exchange: Exchange,
  limits: CopyLimits,
): Promise<void> {
  const { source, from, to, path, changed, stored, condition } = copying;
  const origin: Headers = { 'x-amz-copy-source': `/${encodeKey(client.bucket)}/${encodeKey(from)}` };
  for (const [name, value] of Object.entries(sourceCondition)) origin[`x-amz-copy-source-${name}`] = value;
  const isAtOnce = source.size <= limits.atOnce;
  const found = isAtOnce && changed === undefined && from !== to ? undefined : await headOf(client, copying, exchange);
  const headers = { ...(found && from === to && takenOver(found, storedNames)), ...stored };
  const own = found && { ...kept(found, changed), ...changed?.headers };
  if (!isAtOnce) return copyParts(client, copying, { ...own, ...headers }, origin, exchange, limits);
  const document = changed === undefined ? {} : { ...own, 'x-amz-metadata-directive': 'REPLACE' };
  const all = { ...document, ...headers, ...origin };
  const ask = { method: 'PUT', key: to, path, source: source.path, headers: all, isLong: true } as const;
  const { body } = await sendUnder(client, ask, condition, exchange);
  if (textIn(await readAnswer(body), 'ETag') === undefined)
    throw new Failure('connector_failed', 'the object store gave no ETag to a copy');
}

function headOf(client: S3Client, { source, from }: Copying, exchange: Exchange): Promise<HttpAnswer> {
  const headers: Headers = source.etag === undefined ? {} : { 'if-match': source.etag };
  return client.send({ method: 'HEAD', key: from, path: source.path, headers, isSafe: true }, exchange);
}

async function copyParts(
  client: S3Client,
  { source, to, path, condition }: Copying,
  headers: Headers,
  origin: Headers,
  exchange: Exchange,
  { partSize }: CopyLimits,
): Promise<void> {
  const parted = await PartedUpload.begin(client, { key: to, path, source: source.path }, headers, exchange);
  try {
    for (let start = 0, number = 1; start < source.size; start += partSize, number++) {
      const end = Math.min(start + partSize, source.size);
      await parted.copy(number, { ...origin, 'x-amz-copy-source-range': `bytes=${start}-${end - 1}` }, exchange);
    }
    await parted.complete(exchange, condition);
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
