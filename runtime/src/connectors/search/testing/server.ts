import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exactJson } from '../../../platform/formats/exact-json.ts';
import { fromJson } from '../../database/values/json.ts';
import { aggregate, Index, inOrder, isObject, type Script, selected, sortField, sortKeys } from './documents.ts';
import type { WrittenMapping } from './mapping.ts';
import { Refusal, ShardRefusal } from './refusal.ts';

type Document = Record<string, unknown>;

/** A request as it reached the server. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What the server answers instead. */
export interface Fault {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only requests whose path contains this. */
  readonly path?: string;
  /** How often; once when absent. */
  times?: number;
}

const page = { size: 10, window: 10_000 };
/** What the body of a search may have. */
const searchKeys: readonly string[] =
  'query from size sort search_after aggs aggregations _source fields highlight track_total_hits min_score timeout'.split(
    ' ',
  );

function refuseUnknown(body: Document): void {
  const unknown = Object.keys(body).find((key) => !searchKeys.includes(key));
  if (unknown !== undefined) throw new Refusal(400, 'parsing_exception', `Unknown key in [${unknown}].`);
  if (Number.isNaN(Number(body['size'] ?? 0)))
    throw new Refusal(400, 'number_format_exception', `For input string: "${body['size']}"`);
}

/**
 * A server that answers as the documented REST API of Elasticsearch and OpenSearch: statuses, bodies, errors, versions,
 * lines of `_bulk`. It proves how the connector speaks, and nothing about search.
 */
export class SearchServer {
  readonly seen: Seen[] = [];
  readonly faults: Fault[] = [];
  /** Requests whose path contains `stuck` wait while this is false. */
  isReleased = false;
  readonly held = new Set<() => void>();
  health: Document = { cluster_name: 'double', status: 'green', timed_out: false, unassigned_shards: 0 };
  /** `Authorization` that requests must have. */
  authorization: string | undefined;
  /** What is changed in the answers of `_search` and `_count`. */
  changed: Document = {};
  /** Aliases of indices, as `_alias` answers them. */
  aliases: Readonly<Record<string, Document>> = {};
  /** Actions of items of the next `_bulk` that are refused, by position. */
  readonly refusedItems = new Map<number, { status: number; type: string }>();
  readonly #indices = new Map<string, Index>();
  readonly #server: ReturnType<typeof createServer>;
  readonly #scheme: 'http' | 'https';

  private constructor(secure: ServerOptions | undefined) {
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response);
    this.#scheme = secure === undefined ? 'http' : 'https';
    this.#server = secure === undefined ? createServer(serve) : createSecureServer(secure, serve);
  }

  /** `secure` are its certificate and what it asks of those of clients; without it, it speaks no TLS. */
  static async start(secure?: ServerOptions): Promise<SearchServer> {
    const server = new SearchServer(secure);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  /** The same by the name that its certificate has. */
  get named(): string {
    return `${this.#scheme}://localhost:${this.port}`;
  }

  /** The index, made when it is missing. */
  index(name: string): Index {
    const known = this.#indices.get(name);
    if (known !== undefined) return known;
    const made = new Index(name, (other) => this.index(other));
    this.#indices.set(name, made);
    return made;
  }

  release(): void {
    this.isReleased = true;
    for (const answer of this.held) answer();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? '/';
    this.seen.push({ method: request.method ?? '', path, headers: request.headers, body });
    if (path.includes('stuck') && !this.isReleased) {
      await new Promise<void>((resolve) => {
        const go = () => {
          this.held.delete(go);
          resolve();
        };
        this.held.add(go);
        response.once('close', go);
      });
    }
    const write = (status: number, content: unknown, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-elastic-product': 'Elasticsearch',
        ...headers,
      });
      response.end(typeof content === 'string' ? content : exactJson(content));
    };
    const fault = this.faults.find(({ path: part = '', times = 1 }) => times > 0 && path.includes(part));
    if (fault !== undefined) {
      fault.times = (fault.times ?? 1) - 1;
      return write(fault.status, fault.body ?? { error: { type: 'fault', reason: 'as asked' } }, fault.headers);
    }
    try {
      const [status, content] = this.#answer(request, path, body);
      write(status, content);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      write(error.status, { error: error.error, status: error.status });
    }
  }

  #answer({ method, headers }: IncomingMessage, path: string, body: string): [number, unknown] {
    if (this.authorization !== undefined && headers.authorization !== this.authorization)
      throw new Refusal(401, 'security_exception', 'unable to authenticate user');
    const url = new URL(path, 'http://here');
    if (url.pathname === '/_cluster/health') return [200, this.health];
    if (url.pathname === '/_alias')
      return [
        200,
        Object.fromEntries([...this.#indices.keys()].map((name) => [name, { aliases: this.aliases[name] ?? {} }])),
      ];
    const [name = '', endpoint = '', id] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    if (endpoint === '_bulk') return [200, this.#bulk(name, body, headers)];
    if (method !== 'GET' && method !== 'DELETE' && headers['content-type'] !== 'application/json')
      throw new Refusal(406, 'media_type_header_exception', 'Content-Type is not supported');
    const sent = (body === '' ? {} : fromJson(body, false)) as Document;
    if ((method === 'POST' || method === 'PUT') && (endpoint === '_doc' || endpoint === '_create')) {
      const stored = this.index(name).put(id, sent, endpoint === '_create');
      const result = stored.version === 1 ? 'created' : 'updated';
      return [stored.version === 1 ? 201 : 200, { _index: name, _id: stored.id, _version: stored.version, result }];
    }
    if (method === 'DELETE' && endpoint === '') {
      this.#known(name);
      this.#indices.delete(name);
      return [200, { acknowledged: true }];
    }
    if (method === 'PUT' && endpoint === '') {
      if (this.#indices.has(name))
        throw new Refusal(400, 'resource_already_exists_exception', `index [${name}] already exists`);
      this.index(name).map((sent['mappings'] ?? {}) as WrittenMapping);
      return [200, { acknowledged: true, shards_acknowledged: true, index: name }];
    }
    // An update makes its index, as a new document does.
    const index = endpoint === '_update' ? this.index(name) : this.#known(name);
    switch (`${method} ${endpoint}`) {
      case 'GET _doc': {
        const stored = index.documents.get(id as string);
        if (stored === undefined) return [404, { _index: name, _id: id, found: false }];
        const fields = url.searchParams.get('_source_includes')?.split(',');
        return [
          200,
          { _index: name, _id: id, _version: stored.version, found: true, _source: selected(stored.source, fields) },
        ];
      }
      case 'DELETE _doc': {
        const isDone = index.delete(id as string);
        return [isDone ? 200 : 404, { _index: name, _id: id, result: isDone ? 'deleted' : 'not_found' }];
      }
      case 'POST _update': {
        const { version } = index.update(id as string, sent as { doc?: Document; script?: Script });
        return [200, { _index: name, _id: id, _version: version, result: 'updated' }];
      }
      case 'POST _search':
        return [200, { ...this.#search(index, sent), ...this.changed }];
      case 'POST _count':
        return [200, { count: index.find(sent['query'] as Document).length, _shards: { failed: 0 }, ...this.changed }];
      case 'POST _delete_by_query': {
        const found = index.find(sent['query'] as Document);
        for (const stored of found) index.delete(stored.id);
        return [200, { took: 1, timed_out: false, deleted: found.length, version_conflicts: 0, failures: [] }];
      }
      case 'POST _update_by_query': {
        const found = index.find(sent['query'] as Document);
        for (const stored of found) index.update(stored.id, { script: sent['script'] as Script });
        return [200, { took: 1, timed_out: false, updated: found.length, version_conflicts: 0, failures: [] }];
      }
      default:
        throw new Refusal(405, 'illegal_argument_exception', `Incorrect HTTP method for uri [${path}]`);
    }
  }

  #known(name: string): Index {
    const index = this.#indices.get(name);
    if (index !== undefined) return index;
    throw new Refusal(404, 'index_not_found_exception', `no such index [${name}]`);
  }

  #search(index: Index, body: Document): Document {
    const {
      from = 0,
      size = page.size,
      sort,
      search_after: after,
      aggs,
    } = body as {
      from?: number;
      size?: number;
      sort?: unknown;
      search_after?: unknown[];
      aggs?: Record<string, Document>;
    };
    refuseUnknown(body);
    const order = sort === undefined ? [] : [sort].flat();
    const found = index.find(body['query'] as Document);
    const refused = (reason: string) => new ShardRefusal(400, 'illegal_argument_exception', reason);
    if (from + size > page.window)
      throw refused(`Result window is too large, from + size must be less than or equal to: [${page.window}]`);
    for (const each of order) index.mapping.refuseUnordered(sortField(each));
    if (after !== undefined && after.length !== order.length)
      throw refused(`search_after has ${after.length} value(s) but sort has ${order.length}.`);
    for (const [at, value] of (after ?? []).entries())
      if (value === null) index.mapping.refuseNothing(sortField(order[at]));
    const compare = inOrder(order);
    const ranked = found
      .map((stored) => ({ stored, keys: sortKeys(stored, order) }))
      .sort((a, b) => compare(a.keys, b.keys))
      .filter(({ keys }) => after === undefined || compare(keys, after) > 0);
    const hits = ranked.slice(from, from + size).map(({ stored, keys }) => ({
      _index: index.name,
      _id: stored.id,
      _score: sort === undefined ? 1 : null,
      _source: selected(stored.source, body['_source']),
      ...(sort !== undefined && { sort: keys }),
    }));
    return {
      took: 1,
      timed_out: false,
      _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
      hits: { ...totalOf(found.length, body['track_total_hits'] ?? 10_000), max_score: 1, hits },
      ...(isObject(aggs) && { aggregations: aggregate(index, found, aggs) }),
    };
  }

  #bulk(of: string, body: string, headers: IncomingMessage['headers']): Document {
    if (headers['content-type'] !== 'application/x-ndjson')
      throw new Refusal(406, 'media_type_header_exception', 'Content-Type is not supported');
    if (!body.endsWith('\n'))
      throw new Refusal(400, 'illegal_argument_exception', 'The bulk request must be terminated by a newline [\\n]');
    const lines = body
      .slice(0, -1)
      .split('\n')
      .map((line) => fromJson(line, false) as Document);
    const items: Document[] = [];
    const refused = new Map(this.refusedItems);
    this.refusedItems.clear();
    for (let at = 0; at < lines.length; at++) {
      const [action, head] = Object.entries(lines[at] as Document)[0] as [string, { _index?: string; _id?: string }];
      const document = action === 'delete' ? {} : (lines[++at] as Document);
      items.push({
        [action]: this.#item(this.index(head._index ?? of), action, head._id, document, refused.get(items.length)),
      });
    }
    const errors = items.some((item) => Object.values(item).some((end) => (end as Document)['error'] !== undefined));
    return { took: 3, errors, items };
  }

  #item(
    index: Index,
    action: string,
    id: string | undefined,
    document: Document,
    refused: { status: number; type: string } | undefined,
  ): Document {
    const place = { _index: index.name, _id: id };
    try {
      if (refused !== undefined) throw new Refusal(refused.status, refused.type, 'as asked');
      if (action === 'delete') {
        const isDone = index.delete(id as string);
        return { ...place, status: isDone ? 200 : 404, result: isDone ? 'deleted' : 'not_found' };
      }
      const stored =
        action === 'update' ? index.update(id as string, document) : index.put(id, document, action === 'create');
      return {
        ...place,
        _id: stored.id,
        _version: stored.version,
        status: stored.version === 1 ? 201 : 200,
        result: stored.version === 1 ? 'created' : 'updated',
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ...place, status: error.status, error: error.reason };
    }
  }
}

/** How many were found, as far as a search counts them: all, none, or up to a number. */
function totalOf(found: number, counted: unknown): Document {
  if (counted === false) return {};
  const most = counted === true ? found : Number(counted);
  return { total: { value: Math.min(found, most), relation: found > most ? 'gte' : 'eq' } };
}
