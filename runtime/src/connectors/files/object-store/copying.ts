import { Failure } from '../../../errors/failure.ts';
import type { Entry, Exchange } from '../store.ts';
import { encodeKey } from './client/address.ts';
import type { S3Client } from './client/client.ts';
import type { Headers } from './object-headers.ts';
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
  /** How the copy is stored. */
  readonly headers: Headers;
}

/** Has the server copy an object with its media type and metadata: no byte of it comes here. */
export async function copyObject(
  client: S3Client,
  { source, from, to, path, headers }: Copying,
  exchange: Exchange,
  limits: CopyLimits = usualLimits,
): Promise<void> {
  const origin = {
    'x-amz-copy-source': `/${encodeKey(client.bucket)}/${encodeKey(from)}`,
    ...(source.etag !== undefined && { 'x-amz-copy-source-if-match': source.etag }),
  };
  try {
    if (source.size <= limits.atOnce) {
      const all = { ...headers, ...origin };
      await client.send({ method: 'PUT', key: to, path, headers: all, isSafe: true, isLong: true }, exchange);
    } else
      await copyParts(
        client,
        { source, from, to, path, headers: { ...kept(source), ...headers } },
        origin,
        exchange,
        limits,
      );
  } catch (error) {
    // What is not there is the source, whatever the request was about.
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    throw new Failure('not_found', `there is no file "${source.path}"`, { cause: error });
  }
}

async function copyParts(
  client: S3Client,
  { source, to, path, headers }: Copying,
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

/** What a copy in parts does not take over by itself. */
function kept({ details = {} }: Entry): Headers {
  const { content_type: type, metadata } = details;
  const headers: Headers = {};
  if (typeof type === 'string') headers['content-type'] = type;
  for (const [name, value] of Object.entries((metadata ?? {}) as Record<string, string>))
    if (value !== '') headers[`x-amz-meta-${name}`] = value;
  return headers;
}
