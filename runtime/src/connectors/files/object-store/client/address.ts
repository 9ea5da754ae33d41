import { isIP } from 'node:net';
import { Failure } from '../../../../foundation/errors/failure.ts';

/** Where the objects of a bucket are. */
export interface BucketAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What paths begin with: `/bucket`, or nothing where the host names the bucket. */
  readonly root: string;
  readonly bucket: string;
  readonly region: string;
}

export interface WrittenAddress {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint: string | undefined;
  readonly pathStyle: boolean;
}

/** Names of buckets that are a label of a host name, and that a certificate for `*.host` covers. */
const hostLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * The address of a bucket: that of AWS in a region, or below an endpoint. The host names the bucket, unless paths are asked
 * to, or the name of the bucket or the address of the endpoint cannot be part of a host name.
 */
export function bucketAddress({ bucket, region, endpoint, pathStyle }: WrittenAddress): BucketAddress {
  const url = endpointOf(endpoint, region);
  const before = encodedPath(url).replace(/\/+$/, '');
  const isHost = !pathStyle && hostLabel.test(bucket) && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0;
  if (!isHost) return { origin: url.origin, root: `${before}/${encodeKey(bucket)}`, bucket, region };
  return { origin: `${url.protocol}//${bucket}.${url.host}`, root: before, bucket, region };
}

/** The path of an endpoint, encoded as keys are: what is signed is what is sent. */
function encodedPath({ pathname }: URL): string {
  try {
    return pathname.split('/').map(decodeURIComponent).map(encodePart).join('/');
  } catch {
    throw malformed('endpoint has a % in its path that encodes nothing');
  }
}

function endpointOf(endpoint: string | undefined, region: string): URL {
  if (!/^[a-z0-9-]+$/i.test(region)) throw malformed(`region "${region}" is not the name of a region`);
  if (endpoint === undefined)
    return new URL(`https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw malformed('endpoint is not an http:// or https:// address');
  if (url.username !== '' || url.password !== '')
    throw malformed('endpoint has credentials in it: write access_key and secret_key');
  return url;
}

function malformed(message: string): Failure {
  return new Failure('connector_failed', message, { retriable: false });
}

/** A key as it is written in a path: every byte that is not unreserved is encoded (RFC 3986, 2.3), `/` aside. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodePart).join('/');
}

/** A name or value as it is written in a query. */
export function encodePart(text: string): string {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${hex(character)}`);
  } catch {
    throw new Failure('value_refused', 'the name has a character in it that is not text (a lone surrogate)');
  }
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase();
}
