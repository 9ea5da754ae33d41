import { createHash } from 'node:crypto';
import { type Answer, errorXml, type Seen } from './stand-in.ts';

interface Kept {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
  readonly modified: number;
}

/** Objects of the bucket `box` that a stand-in keeps in memory: one request writes, reads, lists, copies or removes. */
export class KeptObjects {
  readonly #objects = new Map<string, Kept>();
  /** Keys of one answer of a list. */
  readonly #pageKeys: number;

  constructor(pageKeys = 1000) {
    this.#pageKeys = pageKeys;
  }

  /** Puts an object there as another program does. */
  put(key: string, body: Buffer | string, type = 'application/octet-stream'): void {
    const bytes = Buffer.from(body);
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
    this.#objects.set(key, { body: bytes, type, etag, modified: Date.now() });
  }

  /** Every key, ordered. */
  keys(): readonly string[] {
    return [...this.#objects.keys()].sort();
  }

  /** What the stand-in answers. */
  readonly answer = ({ method, url, headers, body }: Seen): Answer => {
    const [pathname = '', query] = url.split('?');
    const searchParams = new URLSearchParams(query);
    const key = decodeURIComponent(pathname.replace(/^\/box\/?/, ''));
    if (key === '') return this.#list(searchParams);
    if (method === 'PUT') return this.#write(key, headers, body);
    if (method === 'DELETE') {
      this.#objects.delete(key);
      return { status: 204 };
    }
    return this.#read(key, method, headers);
  };

  #write(key: string, headers: Seen['headers'], body: Buffer): Answer {
    const [there, expectedTag] = [this.#objects.get(key), headers['if-match']];
    if (expectedTag !== undefined && there === undefined) return { status: 404, body: errorXml('NoSuchKey') };
    const isMet = headers['if-none-match'] !== '*' || there === undefined;
    if (!isMet || (expectedTag !== undefined && expectedTag !== there?.etag))
      return { status: 412, body: errorXml('PreconditionFailed') };
    const source = headers['x-amz-copy-source'];
    if (source === undefined) {
      this.put(key, body, headers['content-type']);
      return { headers: { etag: this.#objects.get(key)?.etag ?? '' } };
    }
    const found = this.#objects.get(decodeURIComponent(String(source)).replace('/box/', ''));
    if (found === undefined) return { status: 404, body: errorXml('NoSuchKey') };
    const expected = headers['x-amz-copy-source-if-match'];
    if (expected !== undefined && expected !== found.etag) return { status: 412, body: errorXml('PreconditionFailed') };
    this.put(key, found.body, found.type);
    return { body: `<CopyObjectResult><ETag>${found.etag}</ETag></CopyObjectResult>` };
  }

  #read(key: string, method: string, headers: Seen['headers']): Answer {
    const found = this.#objects.get(key);
    if (found === undefined) return { status: 404, body: method === 'HEAD' ? '' : errorXml('NoSuchKey') };
    const { etag, type, modified } = found;
    const expected = headers['if-match'];
    if (expected !== undefined && expected !== etag) return { status: 412, body: errorXml('PreconditionFailed') };
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const body = first === undefined ? found.body : found.body.subarray(Number(first), Number(last) + 1);
    const said = {
      etag,
      'content-type': type,
      'last-modified': new Date(modified).toUTCString(),
      'content-length': String(body.length),
      ...(first !== undefined && { 'content-range': `bytes ${first}-${last}/${found.body.length}` }),
    };
    return { status: first === undefined ? 200 : 206, headers: said, body: method === 'HEAD' ? '' : body };
  }

  #list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    const delimiter = query.get('delimiter');
    const after = query.get('continuation-token') ?? '';
    const most = Math.min(this.#pageKeys, Number(query.get('max-keys') ?? this.#pageKeys));
    const folders = new Set<string>();
    const found: string[] = [];
    for (const key of this.keys()) {
      if (!key.startsWith(prefix)) continue;
      const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      if (end >= 0) folders.add(key.slice(0, end + 1));
      else if (key > after) found.push(key);
    }
    const page = found.slice(0, most);
    const contents = page.map((key) => {
      const { body, etag, modified } = this.#objects.get(key) as Kept;
      const time = new Date(modified).toISOString();
      const tag = etag.replaceAll('"', '&quot;');
      return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${time}</LastModified><ETag>${tag}</ETag><Size>${body.length}</Size></Contents>`;
    });
    const common = [...folders].map(
      (each) => `<CommonPrefixes><Prefix>${encodeURIComponent(each)}</Prefix></CommonPrefixes>`,
    );
    const next = page.length === found.length ? '' : `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`;
    const isTruncated = `<IsTruncated>${next !== ''}</IsTruncated>`;
    return {
      body: `<ListBucketResult><EncodingType>url</EncodingType>${isTruncated}${next}${common.join('')}${contents.join('')}</ListBucketResult>`,
    };
  }
}
