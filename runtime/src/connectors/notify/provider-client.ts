import type { Capture, Medium, Shown } from '../../foundation/contracts/capture.ts';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { answerBudget } from '../../platform/formats/budget.ts';
import { decodeJson } from '../../platform/formats/json.ts';
import type { Access } from '../../platform/net/client/access.ts';
import { retryAfterOf, shownOf, single, upstreamFailure } from '../../platform/net/client/answer.ts';
import type { RetryPolicy } from '../../platform/net/client/retry.ts';
import { sendTried } from '../../platform/net/client/send.ts';
import type { TokenSource } from '../../platform/net/client/token.ts';
import { acceptEncoding } from '../../platform/net/decompress.ts';
import { headerProblem } from '../../platform/net/headers.ts';
import {
  documentLimit,
  type HttpAnswer,
  HttpClient,
  HttpFailure,
  type HttpSender,
} from '../../platform/net/request.ts';
import { longestRetryAfter } from '../../platform/net/retry-after.ts';
import type { Limits } from './channel.ts';

/** What is left of a message that is captured instead of sent. */
export interface Captured {
  readonly provider: string;
  readonly medium: Medium;
  readonly shown: Shown;
  /** What the provider would answer to the message of this name. Absent: a good answer without a body. */
  readonly answer?: (name: string) => { readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
}

/** One request to a provider. Its body is the same with each try. */
export interface Outgoing {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Begins with `/`; already encoded. */
  readonly path: string;
  /** By lower-case name; values may have come with a message. */
  readonly headers: Readonly<Record<string, string>>;
  /** Further ones, made for each try. */
  readonly fresh?: (() => Readonly<Record<string, string>>) | undefined;
  readonly body: string;
  /** Absent: POST. */
  readonly method?: string | undefined;
  /** Milliseconds for one try. Absent: those for the message. */
  readonly timeout?: number | undefined;
  /** Absent: it is sent a second time where the provider takes no more for now. */
  readonly retry?: RetryPolicy | undefined;
  /** Gives the access token that is sent along. */
  readonly tokens?: TokenSource | undefined;
  /** What is shown of its answer does not contain these either. */
  readonly secrets?: readonly string[] | undefined;
  /** Called where messages are captured. */
  readonly captured: () => Captured;
  /** Whether an answer that refuses asks for less although its status is another one than 429. */
  readonly asksForLess?: ((answer: HttpAnswer) => boolean) | undefined;
}

/** Credentials as they are sent in a header, which a provider may repeat. */
const sentCredentials = /\b(Bearer|Basic|Bot) [\w.~+/=-]+/gi;

/** Milliseconds before the second try, where the provider asks for less or does not say. */
const shortestWait = 1_000;

/** A provider that takes no more for now has not taken the message: it is sent once again. Nothing else is repeated. */
const afterRefusal = {
  attempts: 2,
  delay: shortestWait,
  maxDelay: longestRetryAfter,
  kind: 'constant',
  unsafe: false,
  repeats: ({ upstream }: HttpFailure) => upstream?.status === 429,
} as const;

/** A request whose answer says whether messages would be taken. */
export type Question = Omit<Outgoing, 'captured' | 'retry' | 'body'> & Partial<Pick<Outgoing, 'body'>>;

const asked: RetryPolicy = { ...afterRefusal, attempts: 1 };

/** Sends requests of a channel: within their time, once unless the provider asks for less, following no redirect. */
export class ProviderClient {
  readonly http: HttpSender;
  readonly #services: Pick<ConnectorServices, 'clock' | 'log'>;
  readonly #capture: Capture | undefined;
  readonly #userAgent: string;
  readonly #secrets: readonly string[];

  /** What is shown of answers does not contain `secrets`. */
  constructor(
    services: ConnectorServices,
    secrets: readonly (string | undefined)[],
    http: HttpSender = new HttpClient({ maxResponse: documentLimit }),
  ) {
    const { clock, log, userAgent, capture } = services;
    this.http = capture === undefined ? http : silent;
    this.#capture = capture;
    this.#services = { clock, log };
    this.#userAgent = userAgent;
    const given = secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
    // One may contain another.
    this.#secrets = given.sort((a, b) => b.length - a.length);
  }

  /**
   * Resolves with what `read` makes of a good answer. Rejects with `value_refused` for a header that cannot be sent, with
   * `upstream_error` where the provider refuses, permanently or not by its status, and with `outcome_unknown` where the message may
   * have been taken.
   */
  async post<T>(outgoing: Outgoing, limits: Limits, read: (answer: HttpAnswer) => T): Promise<T> {
    return this.#capture === undefined
      ? this.#send(outgoing, limits, read)
      : this.#captured(this.#capture, outgoing, limits, read);
  }

  /** One request that changes nothing, with credentials. Resolves and rejects as `post` does; it is not sent again. */
  async question<T>(question: Question, limits: Limits, read: (answer: HttpAnswer) => T): Promise<T> {
    return this.#send({ body: '', retry: asked, ...question }, limits, read);
  }

  async #send<T>(outgoing: Omit<Outgoing, 'captured'>, limits: Limits, read: (answer: HttpAnswer) => T): Promise<T> {
    const {
      origin,
      path,
      body,
      tokens,
      fresh,
      method = 'POST',
      timeout = limits.timeout,
      retry = afterRefusal,
    } = outgoing;
    const access: Access = {
      client: this.http,
      origin,
      timeout,
      retry,
      headers: new Map(),
      queryKey: undefined,
      tokens,
      services: this.#services,
    };
    try {
      return await sendTried(access, {
        method,
        path,
        headers: { flat: this.#headers(outgoing), keyed: false, authorized: false },
        fresh: fresh && (() => flat(fresh())),
        body,
        timeout: limits.timeout,
        signal: limits.signal,
        isSafe: false,
        redirects: false,
        read: (answer) => {
          if (answer.status < 200 || answer.status >= 300) throw this.#refusal(answer, outgoing);
          return read(answer);
        },
      });
    } catch (error) {
      throw unknown(error);
    }
  }

  /** Resolves with any answer to a question that changes nothing and shows no credentials. */
  async ask(origin: string, timeout: number, signal?: AbortSignal | undefined): Promise<void> {
    const headers = ['user-agent', this.#userAgent];
    await this.http.send({ method: 'HEAD', origin, path: '/', headers, deadline: timeout, signal, redirects: false });
  }

  /** The failure of a good answer that says itself that it failed; `code` is the word of the provider. */
  refused(message: string, answer: HttpAnswer, retriable: boolean): HttpFailure {
    const upstream = { status: answer.status, body: this.#shown(answer.body) };
    return new HttpFailure('upstream_error', this.#without(message, []), true, { upstream, retriable });
  }

  /** The fields of an answer of JSON. Throws where it is anything else: whether the message was taken is not known then. */
  json(answer: HttpAnswer): Readonly<Record<string, unknown>> {
    try {
      const value = decodeJson(answer.body.toString(), answerBudget);
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return value as Readonly<Record<string, unknown>>;
    } catch {
      // What it is instead is said below.
    }
    throw this.unreadable(answer, 'an object of JSON');
  }

  unreadable(answer: HttpAnswer, wanted: string): HttpFailure {
    const type = single(answer.headers['content-type']) ?? 'a body without type';
    return new HttpFailure(
      'connector_failed',
      `the provider answered ${type.slice(0, 100)} instead of ${wanted}`,
      true,
    );
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.http.close(cut);
  }

  /** Credentials are not kept; everything else is as its receiver would get it. */
  async #captured<T>(
    capture: Capture,
    outgoing: Outgoing,
    { place }: Limits,
    read: (answer: HttpAnswer) => T,
  ): Promise<T> {
    const { origin, path, method = 'POST', body, secrets = [], captured, fresh } = outgoing;
    const headers = { ...outgoing.headers, ...fresh?.() };
    this.#headers(outgoing);
    const shown = (text: string) => this.#without(text, secrets);
    const request = {
      method,
      url: shown(origin + path),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shown(value)])),
      body: shown(body),
    };
    const { provider, medium, shown: seen, answer } = captured();
    const name = await capture.keep({ provider, medium, place, shown: { ...seen, to: seen.to.map(shown) }, request });
    const { headers: answered = {}, body: said = '' } = answer?.(name) ?? {};
    return read({ status: 200, statusText: 'OK', headers: answered, body: Buffer.from(said) });
  }

  #headers({ headers }: Pick<Outgoing, 'headers'>): readonly string[] {
    const own = headers['user-agent'] === undefined ? ['user-agent', this.#userAgent] : [];
    return ['accept-encoding', acceptEncoding, ...own, ...flat(headers)];
  }

  #refusal(answer: HttpAnswer, outgoing: Identified & Pick<Outgoing, 'asksForLess'>): HttpFailure {
    const status = outgoing.asksForLess?.(answer) ? 429 : answer.status;
    const shown = { ...answer, status, body: Buffer.from(this.#shown(answer.body, secretsOf(outgoing))) };
    const failure = upstreamFailure(shown, this.#services.clock.now());
    const { message, upstream, retriable } = failure;
    // A redirect leads elsewhere with every try.
    if (status < 400) return new HttpFailure(failure.code, message, true, { upstream, retriable: false });
    if (status !== 429) return failure;
    const asked = retryAfterOf(answer, this.#services.clock.now()) ?? shortestWait;
    const retryAfter = Math.min(Math.max(asked, shortestWait), longestRetryAfter);
    return new HttpFailure(failure.code, message, true, { upstream, retriable, retryAfter });
  }

  #shown(body: Buffer, secrets: readonly string[] = []): string {
    return shownOf(Buffer.from(this.#without(body.subarray(0, 65_536).toString(), secrets)));
  }

  #without(text: string, secrets: readonly string[]): string {
    let shown = text.replace(sentCredentials, '$1 ***');
    for (const secret of [...this.#secrets, ...secrets]) shown = shown.replaceAll(secret, '***');
    return shown;
  }
}

/** Names and values in turn. Throws `value_refused` for what cannot be sent. */
function flat(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw new Failure('value_refused', problem);
    return [name, value];
  });
}

/** Nothing goes out where messages are captured, whatever asks for it. */
const silent: HttpSender = {
  send: async () => {
    throw new Failure('internal', 'messages are captured: nothing is sent');
  },
  ended: new AbortController().signal,
  close: async () => undefined,
};

type Identified = Pick<Outgoing, 'secrets' | 'headers' | 'tokens'>;

/** What was sent to identify the sender, which an answer may repeat without saying what it is. */
function secretsOf({ secrets = [], headers, tokens }: Identified): readonly string[] {
  const sent = [headers['authorization']?.split(' ').at(-1), tokens?.current];
  return [...secrets, ...sent.filter((secret): secret is string => secret !== undefined && secret !== '')];
}

/** A message that may have been taken is said to be one that may have been. */
function unknown(error: unknown): unknown {
  if (!(error instanceof HttpFailure) || !error.sent || error.upstream !== undefined || error.code === 'cancelled')
    return error;
  return new Failure('outcome_unknown', `${error.message}; whether the message was sent is not known`, {
    cause: error,
  });
}
