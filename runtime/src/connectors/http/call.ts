import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Content } from '../../foundation/contracts/content.ts';
import type { CallDescription, CallRequest } from '../../foundation/contracts/target.ts';
import type { FixedWords } from '../../foundation/contracts/words.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { bytesOf } from '../../platform/content/bytes-body.ts';
import { encodeBody } from '../../platform/formats/encode.ts';
import { encodeJson } from '../../platform/formats/json.ts';
import { type Codec, type FormatName, isFormat } from '../../platform/formats/registry.ts';
import { upstreamFailure } from '../../platform/net/client/answer.ts';
import { HedgingSender } from '../../platform/net/client/hedging-sender.ts';
import { sendTried, type Tried } from '../../platform/net/client/send.ts';
import { type FixedHeaders, fixedHeaders, sentHeaders } from '../../platform/net/client/sent-headers.ts';
import type { HttpAnswer } from '../../platform/net/request.ts';
import { asCallValue, asRows, fileOf, keepFile, readAnswer } from './answer.ts';
import type { AnswerCache } from './cache/answer-cache.ts';
import { type Data, dataOf, divide, merged, type Placed, placeData } from './data.ts';
import { compilePath, dynamicPath, type PathTemplate } from './path.ts';
import type { Peer } from './peer.ts';
import { withQuery } from './query.ts';
import type { OperationWords, spokenWords } from './spec.ts';
import { isReading, isRepeatable, type Method, requestLine } from './target.ts';

const withBody = new Set<Method>(['POST', 'PUT', 'PATCH', 'QUERY']);
const logged = new Set<Method>(['POST', 'PUT', 'PATCH']);

/** Everything about a call that no message changes, found with the first execution. */
interface Prepared {
  /** The peer, as this call is sent to it. */
  readonly peer: Peer;
  readonly codec: Codec;
  /** Formats that the answer is read in. */
  readonly readable: ReadonlySet<FormatName>;
  readonly bare: FixedHeaders;
  readonly bodied: FixedHeaders;
}

interface Outgoing {
  readonly path: string;
  readonly body: string | Uint8Array | Content | undefined;
  readonly headers: FixedHeaders;
  /** Headers of the message. */
  readonly brought: CallRequest['headers'];
  readonly request: CallRequest;
}

/** One place that calls an HTTP peer: method, path and headers are prepared once, data is added for each message. */
export class HttpCall {
  readonly #open: () => Peer;
  readonly #basePath: string;
  readonly #description: CallDescription<FixedWords<typeof spokenWords>>;
  readonly #method: Method;
  readonly #path: PathTemplate | undefined;
  #opened: Peer | undefined;
  #prepared: Prepared | undefined;

  /** `open` gives the peer once the connector is open. */
  constructor(open: () => Peer, basePath: string, description: CallDescription<FixedWords<typeof spokenWords>>) {
    this.#open = open;
    this.#basePath = basePath;
    this.#description = description;
    const { method, path } = requestLine(description.verb, description.operation, description.target);
    this.#method = method;
    this.#path = path === undefined ? undefined : compilePath(basePath, path);
  }

  get method(): Method {
    return this.#method;
  }

  get #peer(): Peer {
    return (this.#opened ??= this.#open());
  }

  /** Rejects with `upstream_error` for answers of 400 and more, which carry the answer in `upstream`. */
  async execute(request: CallRequest): Promise<CallResult> {
    const { name } = this.#peer;
    try {
      const prepared = (this.#prepared ??= await this.#prepare());
      return this.#result(await this.#send(await this.#outgoing(request, prepared), prepared));
    } catch (error) {
      throw asFailure(error, { connector: name });
    }
  }

  async #prepare(): Promise<Prepared> {
    const { codecs, headers, bodyFormats } = this.#peer;
    const format = this.#description.words?.format ?? this.#peer.format;
    if (!isFormat(format)) throw new Failure('internal', `there is no format "${format}"`);
    const codec = await codecs.get(format);
    const mediaType = codec.contentType.split(';', 1)[0] as string;
    const bare = new Map([['accept', mediaType], ...headers]);
    const bodied = new Map([['content-type', mediaType], ...bare]);
    return {
      peer: this.#hedged(this.#peer),
      codec,
      readable: new Set([format, this.#peer.format, ...bodyFormats]),
      bare: fixedHeaders(bare),
      bodied: fixedHeaders(bodied),
    };
  }

  /** What changes something is never sent twice at once. */
  #hedged(peer: Peer): Peer {
    const { hedge: own } = (this.#description.named ?? {}) as OperationWords;
    const hedge = own ?? peer.hedge;
    if (hedge === undefined || !isReading(this.#method)) return peer;
    return { ...peer, client: new HedgingSender(peer.client, hedge, peer.services.clock, peer.sentAgain) };
  }

  async #outgoing(request: CallRequest, prepared: Prepared): Promise<Outgoing> {
    const { queryKey, style } = this.#peer;
    const { verb, words: { envelope } = {} } = this.#description;
    const bodiless = !withBody.has(this.#method);
    const { data, values } = dataOf(verb, request, bodiless);
    const template = this.#path;
    const own = template ? divide(template.names, values, data) : data;
    const path = template
      ? template.fill((name) => (values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined))
      : this.#dynamicPath(request.target);
    const { rest, query, body: inBody, headers } = this.#placed(own);
    const declared = headers === undefined ? request.headers : { ...headers, ...request.headers };
    const keyed = queryKey ? withQuery(path, { [queryKey.name]: queryKey.value }, encodeJson) : path;
    const full = withQuery(keyed, bodiless ? merged(rest, query) : query, encodeJson);
    const content = bodiless ? inBody : merged(rest, inBody);
    if (this.#description.binary === true && content !== undefined) {
      const { body, headers: own } = bytesOf(content);
      const brought = { ...own, ...declared };
      return { path: full, body, headers: prepared.bare, brought, request };
    }
    if (content === undefined && (bodiless || envelope === undefined))
      return { path: full, body: undefined, headers: prepared.bare, brought: declared, request };
    const payload = envelope === undefined ? content : { [envelope]: content ?? {} };
    const body = await encodeBody(prepared.codec, payload, style);
    this.#logBody(template?.shown, body, payload ?? {});
    return { path: full, body, headers: prepared.bodied, brought: declared, request };
  }

  /** Data that goes elsewhere than the method says, because its parameters are declared so. */
  #placed(data: Data | undefined): Placed {
    const { places } = this.#description;
    if (places === undefined || places.size === 0)
      return { rest: data, query: undefined, body: undefined, headers: undefined };
    return placeData(data, places, encodeJson);
  }

  #dynamicPath(target: string | undefined): string {
    return target === undefined ? this.#basePath || '/' : dynamicPath(this.#basePath, target);
  }

  /** Sizes and names only, never values. */
  #logBody(path: string | undefined, body: string | Uint8Array, payload: Data): void {
    const { log } = this.#peer.services;
    if (!logged.has(this.#method) || !log.enabled('debug')) return;
    log.debug('http request', {
      connector: this.#peer.name,
      method: this.#method,
      path: path ?? '(from the message)',
      size_bytes: Buffer.byteLength(body),
      top_level_keys: Object.keys(payload),
    });
  }

  #send(outgoing: Outgoing, prepared: Prepared): Promise<unknown> {
    const { peer } = prepared;
    const { cache, services } = peer;
    const tried: Tried<unknown> = {
      method: this.#method,
      path: outgoing.path,
      headers: sentHeaders(outgoing.headers, outgoing.request, outgoing.brought),
      body: outgoing.body,
      timeout: this.#description.timeout,
      signal: outgoing.request.signal,
      isSafe: isRepeatable(this.#method),
      keep: (headers) => keepFile(headers, prepared.readable),
      pass: this.#description.once === true && outgoing.request.passes === true,
      read: (answer) => this.#read(goodOf(answer, services.clock), outgoing, prepared),
    };
    return cache === undefined ? sendTried(peer, tried) : this.#cached(cache, outgoing, prepared, tried);
  }

  async #read(answer: HttpAnswer, { request }: Outgoing, { readable }: Prepared): Promise<unknown> {
    return (await fileOf(answer, request.contents)) ?? readAnswer(answer, readable, this.#peer.codecs);
  }

  /** A GET may be answered by what is kept; what changes something ends that. */
  async #cached(cache: AnswerCache, outgoing: Outgoing, prepared: Prepared, tried: Tried<unknown>): Promise<unknown> {
    const { peer } = prepared;
    const { origin, services } = peer;
    const { headers, path, body } = tried;
    if (this.#method !== 'GET' || body !== undefined) {
      if (isReading(this.#method)) return sendTried(peer, tried);
      return sendTried(peer, tried).finally(() => cache.changed(origin, path));
    }
    const asked = { origin, path, headers, brought: outgoing.brought };
    const answer = await cache.answer(asked, (further) =>
      sendTried(peer, {
        ...tried,
        headers: { ...headers, flat: [...headers.flat, ...further] },
        read: (answer) => goodOf(answer, services.clock),
      }),
    );
    return this.#read(answer, outgoing, prepared);
  }

  #result(value: unknown): CallResult {
    const { verb } = this.#description;
    if (verb === 'call') return { value: asCallValue(value) };
    if (verb === 'read') return { rows: asRows(value) };
    return { rows: asRows(value), affected: 1 };
  }
}

/** Throws `upstream_error` for an answer of 400 and more. */
function goodOf(answer: HttpAnswer, clock: Clock): HttpAnswer {
  if (answer.status >= 400) throw upstreamFailure(answer, clock.now());
  return answer;
}
