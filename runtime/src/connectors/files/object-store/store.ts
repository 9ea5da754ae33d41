import { Failure } from '../../../foundation/errors/failure.ts';
import { single } from '../../../platform/net/client/answer.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';
import type { Entry, Exchange, FileStore, Listing, OpenFile, Writing, Written } from '../store.ts';
import { refusedParameter } from '../style.ts';
import { notFound, sameFile } from '../tree.ts';
import { KeyBeginnings } from './beginnings.ts';
import type { Ask, S3Client } from './client/client.ts';
import { type CopyLimits, copyObject } from './copying.ts';
import { checkedKey, keyNaming } from './key.ts';
import { entriesIn, sizeIn, timeIn } from './listing.ts';
import {
  changedDocument,
  conditionFailed,
  conditionOf,
  documentOf,
  type Headers,
  holds,
  required,
  type StorageDefaults,
  storageOf,
} from './object-headers.ts';
import { headerValueProblem, isLength, isTooLong, lengthSays, longestLinkSays } from './parameters.ts';
import { ObjectFile } from './reading.ts';
import { type UploadLimits, upload } from './upload.ts';
import { isReplaced, isThere } from './version.ts';

export interface StoreSettings extends UploadLimits {
  /** What every key begins with: empty, or with `/` at its end. */
  readonly root: string;
  readonly storage: StorageDefaults;
  readonly copying?: CopyLimits | undefined;
  /** See `Listed`. */
  readonly pageKeys?: number | undefined;
}

/** The objects of a bucket whose keys begin with a prefix. Keys are flat: a folder is what several keys begin with. */
export class ObjectStore implements FileStore {
  readonly #client: S3Client;
  readonly #settings: StoreSettings;
  readonly #beginnings: KeyBeginnings;

  constructor(client: S3Client, settings: StoreSettings) {
    this.#client = client;
    this.#beginnings = new KeyBeginnings(client);
    this.#settings = settings;
  }

  async stat(path: string, exchange: Exchange): Promise<Entry | undefined> {
    try {
      return await this.#head(path, exchange);
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  list(path: string, { recursive, prefix }: Listing, exchange: Exchange): AsyncIterable<Entry> {
    const { root, pageKeys } = this.#settings;
    const begins = checkedKey(keyNaming.within(path) + (prefix ?? ''), root, 'prefix');
    return entriesIn(this.#client, { root, prefix: begins, recursive, pageKeys }, exchange);
  }

  async open(path: string, exchange: Exchange): Promise<OpenFile> {
    return new ObjectFile(this.#client, await this.#key(path, exchange), await this.#head(path, exchange), exchange);
  }

  async write(path: string, source: AsyncIterable<Uint8Array>, writing: Writing, exchange: Exchange): Promise<Written> {
    const { contentType, params, size } = writing;
    const headers = {
      ...documentOf({ ...params, content_type: contentType }),
      ...storageOf(params, this.#settings.storage),
    };
    const key = await this.#key(path, exchange);
    const asked = { key, path, source, size, headers, condition: conditionOf(params) };
    const { bytes, etag } = await upload(this.#client, asked, this.#settings, exchange);
    return { path, bytes, details: { bucket: this.#client.bucket, etag } };
  }

  async remove(entry: Entry, exchange: Exchange, params: Writing['params'] = {}): Promise<void> {
    const condition = conditionOf(params, ['if_match']);
    if (condition !== undefined && !holds(condition, entry)) throw conditionFailed(entry.path);
    await this.#delete(entry.path, { headers: condition, isConditional: condition !== undefined }, exchange);
  }

  async copy(source: Entry, destination: string, exchange: Exchange, params: Writing['params'] = {}): Promise<number> {
    const { storage, copying } = this.#settings;
    const [from, to] = [await this.#key(source.path, exchange), await this.#key(destination, exchange)];
    const [changed, stored] = [changedDocument(params), storageOf(params, storage)];
    const condition = conditionOf(params);
    if (from === to && changed === undefined && Object.keys(storageOf(params, {})).length === 0) throw sameFile();
    if (condition !== undefined) await this.#checkDestination(destination, condition, exchange);
    const asked = { source, from, to, path: destination, changed, stored, condition };
    await copyObject(this.#client, asked, exchange, copying);
    return source.size;
  }

  /** Copies it, then deletes what was copied: a store has no such step. What fails between leaves both. */
  async move(source: Entry, destination: string, exchange: Exchange, params: Writing['params'] = {}): Promise<void> {
    await this.copy(source, destination, exchange, params);
    const { path, etag } = source;
    try {
      // A version that came since was not copied.
      await this.#delete(path, { headers: etag === undefined ? {} : { 'if-match': etag } }, exchange);
    } catch (error) {
      const isUnknown = error instanceof Failure && error.upstream?.status === 501;
      if (!isUnknown && !isReplaced(error)) throw error;
      const version = { key: await this.#key(path, exchange), path, etag };
      if (!(await isThere(this.#client, version, exchange))) throw error;
      await this.#delete(path, {}, exchange);
    }
  }

  async presign(path: string, method: 'GET' | 'PUT', expires: number, params: Writing['params']): Promise<string> {
    if (isTooLong(expires)) throw refusedParameter('expires', longestLinkSays);
    const signal = new AbortController().signal;
    const link = {
      method,
      key: await this.#key(path, { signal }),
      query: linkQuery(method, params),
      headers: linkHeaders(method, params),
    };
    return this.#client.link(link, expires, signal);
  }

  /** The key of an object. Rejects with `value_refused` for one that the store cannot address. */
  async #key(path: string, exchange: Exchange): Promise<string> {
    const { root } = this.#settings;
    const key = root + checkedKey(path, root, 'key');
    if (key.startsWith('/') && !(await this.#beginnings.areKept(exchange)))
      throw new Failure(
        'value_refused',
        `"${path}" cannot be addressed: the object store takes / away at the beginning of keys`,
      );
    return key;
  }

  async #delete(path: string, given: Pick<Ask, 'headers' | 'isConditional'>, exchange: Exchange): Promise<void> {
    try {
      const key = await this.#key(path, exchange);
      await this.#client.send({ ...given, method: 'DELETE', key, path, isSafe: true }, exchange);
    } catch (error) {
      // Another client removed it meanwhile.
      if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
    }
  }

  /** Looks whether a condition of a copy holds: there are stores that know conditions of writes, and pass over those of copies. */
  async #checkDestination(path: string, condition: Headers, exchange: Exchange): Promise<void> {
    const found = await this.stat(path, exchange);
    if (holds(condition, found)) return;
    throw found === undefined ? notFound(path) : conditionFailed(path);
  }

  async #head(path: string, exchange: Exchange): Promise<Entry> {
    if (path === '') throw notFound(path);
    const key = await this.#key(path, exchange);
    const answer = await this.#client.send({ method: 'HEAD', key, path, isSafe: true }, exchange);
    return entryOf(path, answer);
  }
}

function entryOf(path: string, { headers }: HttpAnswer): Entry {
  const metadata: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith('x-amz-meta-')) metadata[name.slice('x-amz-meta-'.length)] = single(value) ?? '';
  const details = {
    content_type: single(headers['content-type']),
    storage_class: single(headers['x-amz-storage-class']),
    metadata,
  };
  const size = sizeIn(single(headers['content-length']));
  const modified = timeIn(single(headers['last-modified']));
  return { path, isFolder: false, size, modified, etag: single(headers['etag']), details };
}

function linkQuery(method: 'GET' | 'PUT', { filename }: Writing['params']): Readonly<Record<string, string>> {
  if (method !== 'GET' || filename === undefined || filename === null) return {};
  if (typeof filename !== 'string' || filename === '')
    throw refusedParameter('filename', 'must be a text that is not empty');
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return { 'response-content-disposition': `attachment; filename*=UTF-8''${encoded}` };
}

/** Headers that anyone who uses the link must send with these values. */
function linkHeaders(method: 'GET' | 'PUT', params: Writing['params']): Readonly<Record<string, string>> {
  if (method !== 'PUT') return {};
  const [type, length] = [required(params, 'content_type'), required(params, 'content_length')];
  const headers: Record<string, string> = {};
  if (type !== undefined) {
    const problem = headerValueProblem(type);
    if (problem !== undefined) throw refusedParameter('content_type', problem);
    headers['content-type'] = type as string;
  }
  if (length !== undefined) {
    if (!isLength(length)) throw refusedParameter('content_length', lengthSays);
    headers['content-length'] = String(length);
  }
  return headers;
}
