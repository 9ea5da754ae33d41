import { bytesOf } from '../../content/bytes-body.ts';
import { Content } from '../../contracts/content.ts';
import type { CallDescription, CallRequest, CallResult } from '../../contracts/target.ts';
import type { FixedWords } from '../../contracts/words.ts';
import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import { encodeJson } from '../../formats/json.ts';
import { type Codec, type FormatName, isFormat } from '../../formats/registry.ts';
import { type HttpAnswer, HttpFailure } from '../../net/request.ts';
import { asCallValue, asRows, fileOf, keepFile, readAnswer, upstreamFailure } from './answer.ts';
import { type Data, dataOf, divide, merged, type Placed, placeData } from './data.ts';
import { compilePath, dynamicPath, type PathTemplate } from './path.ts';
import type { Peer } from './peer.ts';
import { withQuery } from './query.ts';
import { retryAfter } from './retry.ts';
import { type FixedHeaders, fixedHeaders, type SentHeaders, sentHeaders } from './sent-headers.ts';
import type { spokenWords } from './spec.ts';
import { type Method, requestLine } from './target.ts';

const withBody = new Set<Method>(['POST', 'PUT', 'PATCH', 'QUERY']);
const logged = new Set<Method>(['POST', 'PUT', 'PATCH']);

/** Everything about a call that no message changes, found with the first execution. */
interface Prepared {
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
      const answer = await this.#send(this.#outgoing(request, prepared));
      const { codecs } = this.#peer;
      return this.#result(
        (await fileOf(answer, request.contents)) ?? (await readAnswer(answer, prepared.readable, codecs)),
      );
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
      codec,
      readable: new Set([format, this.#peer.format, ...bodyFormats]),
      bare: fixedHeaders(bare),
      bodied: fixedHeaders(bodied),
    };
  }

  #outgoing(request: CallRequest, prepared: Prepared): Outgoing {
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
    const body = prepared.codec.encode(payload, style);
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

  async #send(outgoing: Outgoing): Promise<HttpAnswer> {
    const { client, origin, retry, timeout, tokens, services } = this.#peer;
    const { clock } = services;
    const { signal } = outgoing.request;
    const end = clock.elapsed() + (this.#description.timeout ?? Number.POSITIVE_INFINITY);
    const { path, body } = outgoing;
    const own = sentHeaders(outgoing.headers, outgoing.request, outgoing.brought);
    for (let tried = 1, renewed = false; ; tried++) {
      const got = this.#token(own, end, signal);
      const token = got instanceof Promise ? await got : got;
      const headers = token === undefined ? own.flat : [...own.flat, 'authorization', `Bearer ${token}`];
      let failure: HttpFailure;
      try {
        const deadline = Math.min(timeout, Math.max(end - clock.elapsed(), 1));
        const answer = await client.send({
          method: this.#method,
          origin,
          path,
          headers,
          body,
          deadline,
          signal,
          keep: keepFile,
          pass: this.#description.once === true && outgoing.request.passes === true,
        });
        if (answer.status < 400) return answer;
        if (answer.status === 401 && token !== undefined && !renewed) {
          tokens?.refused(token);
          renewed = true;
          tried--;
          continue;
        }
        failure = upstreamFailure(answer, clock.now());
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        failure = error;
      }
      // What is forwarded as it came cannot be sent a second time.
      if (body instanceof Content && body.bytes.once) throw failure;
      const { ended } = client;
      const wait = ended.aborted ? undefined : retryAfter(failure, tried, retry, this.#method, own.keyed);
      if (wait === undefined || clock.elapsed() + wait >= end) throw failure;
      await clock.sleep(wait, signal === undefined ? ended : AbortSignal.any([signal, ended])).catch(() => {
        if (signal?.aborted !== true) throw failure;
        throw new Failure('cancelled', 'the request was cancelled', { cause: failure });
      });
    }
  }

  /** The access token of one attempt; undefined when none is needed. */
  #token(headers: SentHeaders, end: number, signal: AbortSignal | undefined): string | undefined | Promise<string> {
    const { tokens } = this.#peer;
    if (tokens === undefined || headers.authorized) return undefined;
    const got = tokens.get();
    return typeof got === 'string' ? got : this.#awaitToken(got, end, signal);
  }

  /** Many calls share one fetch of a token, so each waits with its own deadline and signal. */
  async #awaitToken(fetch: Promise<string>, end: number, signal: AbortSignal | undefined): Promise<string> {
    const { clock } = this.#peer.services;
    const remaining = end - clock.elapsed();
    if (remaining === Number.POSITIVE_INFINITY && signal === undefined) return fetch;
    const stop = new AbortController();
    const until = AbortSignal.any(signal ? [signal, stop.signal] : [stop.signal]);
    const late = clock.sleep(Math.min(remaining, 2 ** 31 - 1), until).then(
      () => Promise.reject(new Failure('connector_timeout', 'no access token in time')),
      () => Promise.reject(new Failure('cancelled', 'the request was cancelled')),
    );
    try {
      return await Promise.race([fetch, late]);
    } finally {
      late.catch(() => {});
      stop.abort();
    }
  }

  #result(value: unknown): CallResult {
    const { verb } = this.#description;
    if (verb === 'call') return { value: asCallValue(value) };
    if (verb === 'read') return { rows: asRows(value) };
    return { rows: asRows(value), affected: 1 };
  }
}
