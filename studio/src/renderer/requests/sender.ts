import type { Bridge, HttpAnswer, ServiceParams } from '../../shared/services.ts';
import { Store } from '../state/store.ts';
import type { FilledRequest } from './fill.ts';

/** A thread may be paused for long while its caller waits. */
const longestWait = 60 * 60_000;
const keptExchanges = 20;

/** Whom a request is sent as. */
export interface SentAs {
  readonly id: string;
  readonly name: string;
  /** Where the service has its sign-in endpoints; see `http.send`. */
  readonly signIn: Readonly<Record<string, string>>;
  /** Asks the person for a second factor; false when they do not show one. */
  readonly prove: (methods: readonly string[]) => Promise<boolean>;
}

/** A request that was sent, and what came of it. */
export interface Exchange {
  readonly id: string;
  /** The file that it was written in. */
  readonly path: string;
  /** By `Date.now()`. */
  readonly at: number;
  /** Without the token of an identity, which the host adds. */
  readonly sent: FilledRequest;
  /** The name of the identity. */
  readonly as: string | undefined;
  /** Undefined while it is under way, and when none came. */
  readonly answer: HttpAnswer | undefined;
  /** Why no answer came; undefined while it is under way. */
  readonly problem: string | undefined;
}

/**
 * Sends requests through the host, one of each file at a time, and remembers the last answers while the window lives.
 */
export class Sender {
  /** Under way, by the path of its file. */
  readonly underWay = new Store<ReadonlyMap<string, Exchange>>(new Map());
  /** What ended, latest first. */
  readonly history = new Store<readonly Exchange[]>([]);
  readonly #bridge: Pick<Bridge, 'call'>;
  readonly #now: () => number;
  #lastId = 0;

  constructor(bridge: Pick<Bridge, 'call'>, now: () => number = Date.now) {
    this.#bridge = bridge;
    this.#now = now;
  }

  /** Resolves when it ended, one way or the other. Does nothing while one of the same file is under way. */
  async send(path: string, sent: FilledRequest, as?: SentAs): Promise<void> {
    if (this.underWay.value.has(path)) return;
    const id = `request ${this.#now()} ${++this.#lastId}`;
    const exchange: Exchange = { id, path, at: this.#now(), sent, as: as?.name, answer: undefined, problem: undefined };
    this.underWay.update((all) => new Map(all).set(path, exchange));
    const ended = await this.#answered({ id, ...sent, timeoutMs: longestWait }, as).then(
      (answer) => ({ ...exchange, answer }),
      (error: unknown) => ({ ...exchange, problem: error instanceof Error ? error.message : String(error) }),
    );
    this.underWay.update((all) => new Map([...all].filter(([each]) => each !== path)));
    this.history.update((all) => [ended, ...all].slice(0, keptExchanges));
  }

  /** A second factor is asked for once. */
  async #answered(request: ServiceParams<'http.send'>, as: SentAs | undefined): Promise<HttpAnswer> {
    if (as === undefined) return this.#bridge.call('http.send', request);
    const whole = { ...request, identity: as.id, signIn: as.signIn };
    const answer = await this.#bridge.call('http.send', whole);
    if (answer.factor === undefined) return answer;
    const again = (await as.prove(answer.factor)) ? await this.#bridge.call('http.send', whole) : answer;
    if (again.factor === undefined) return again;
    throw new Error(`${as.name} did not show its second factor, so nothing was sent`);
  }

  /** Ends the request of a file that is under way. */
  async cancel(path: string): Promise<void> {
    const exchange = this.underWay.value.get(path);
    if (exchange !== undefined) await this.#bridge.call('http.cancel', { id: exchange.id });
  }
}

/** The body of an answer as JSON; undefined when it is not JSON. */
export function jsonOf({ headers, body, encoding, truncated }: HttpAnswer): { readonly value: unknown } | undefined {
  if (encoding !== 'text' || truncated || !/\bjson\b/i.test(headers['content-type'] ?? '')) return undefined;
  try {
    return { value: JSON.parse(body) as unknown };
  } catch {
    return undefined;
  }
}

/** Bytes of the body. */
export function sizeOfBody({ body, encoding }: HttpAnswer): number {
  if (encoding === 'text') return new TextEncoder().encode(body).length;
  return (body.length / 4) * 3 - (body.endsWith('==') ? 2 : body.endsWith('=') ? 1 : 0);
}

export function shownSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
