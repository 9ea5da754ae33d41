import { AwsV4Signer } from 'aws4fetch';
import type { Credentials } from './credentials/credentials.ts';

/** What is signed of a request. */
export interface Signable {
  readonly method: string;
  /** With path and query, both encoded. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Keys are derived once for a day, a region and a secret; those of rotated credentials are forgotten. */
const mostKeys = 8;

/** Signs requests of one region (AWS Signature Version 4). */
export class Signer {
  readonly #region: string;
  readonly #service: string;
  readonly #isPathKept: boolean;
  readonly #keys = new Map<string, ArrayBuffer>();

  /**
   * `isPathKept`: what is signed is the path as it is sent, in which `.` and `..` may be names, as of objects. Else it is
   * resolved as in addresses.
   */
  constructor(region: string, service: string, isPathKept = false) {
    this.#region = region;
    this.#service = service;
    this.#isPathKept = isPathKept;
  }

  /** The headers of a request with its signature. `hash` is that of its body, SHA-256 in hexadecimal. `now`: milliseconds since 1970. */
  async headers({ method, url, headers }: Signable, hash: string, credentials: Credentials, now: number) {
    const signer = this.#signer(credentials, now, {
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': hash },
    });
    const { headers: signed } = await signer.sign();
    return signed;
  }

  /** A link with its signature in the query, valid for so many seconds; every header is bound to it. */
  async link(request: Signable, seconds: number, credentials: Credentials, now: number): Promise<string> {
    const url = new URL(request.url);
    const path = pathIn(request.url);
    url.searchParams.set('X-Amz-Expires', String(seconds));
    const { method, headers } = request;
    const signer = this.#signer(credentials, now, {
      method,
      url: `${url.origin}${path}${url.search}`,
      headers: { ...headers },
      signQuery: true,
      allHeaders: true,
    });
    const signed = (await signer.sign()).url;
    // A blank is signed as %20; some servers do not read + as a blank.
    return `${signed.origin}${path}${signed.search.replaceAll('+', '%20')}`;
  }

  #signer(
    { accessKey, secretKey, sessionToken }: Credentials,
    now: number,
    request: Omit<ConstructorParameters<typeof AwsV4Signer>[0], 'accessKeyId' | 'secretAccessKey'>,
  ): AwsV4Signer {
    if (this.#keys.size >= mostKeys) this.#keys.clear();
    const signer = new AwsV4Signer({
      ...request,
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: this.#service,
      region: this.#region,
      cache: this.#keys,
      datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    if (this.#isPathKept) signer.encodedPath = pathIn(request.url);
    return signer;
  }
}

/** The path of an address as it is written. */
function pathIn(url: string): string {
  return /^[a-z]+:\/\/[^/?]*([^?]*)/i.exec(url)?.[1] || '/';
}
