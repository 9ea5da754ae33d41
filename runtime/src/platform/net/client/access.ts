import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { acceptEncoding } from '../decompress.ts';
import { headerProblem, isFraming } from '../headers.ts';
import { HttpClient, type HttpSender } from '../request.ts';
import type { TlsMaterial } from '../tls.ts';
import type { AuthConfig, HeadersConfig } from './access-spec.ts';
import { type BreakerObserver, type BreakerSettings, type BreakerState, PeerBreaker } from './breaker.ts';
import { credentials } from './credentials.ts';
import { DigestSender } from './digest/digest-sender.ts';
import { GuardedSender } from './guarded-sender.ts';
import type { RetryPolicy } from './retry.ts';
import { TokenSource } from './token.ts';

/** How the requests of one connector reach its peer, and identify themselves there. */
export interface Access {
  readonly client: HttpSender;
  /** Scheme, host and port: no path and no data can change them. */
  readonly origin: string;
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  readonly retry: RetryPolicy;
  /** Headers of every request by lower-case name, fixed credentials among them. */
  readonly headers: ReadonlyMap<string, string>;
  /** Query parameter that carries a key. */
  readonly queryKey: { readonly name: string; readonly value: string } | undefined;
  readonly tokens: TokenSource | undefined;
  readonly services: Pick<ConnectorServices, 'clock' | 'log'>;
}

/** What a connector is given for what it says. */
export interface OpenAccess extends Access {
  /** Sends whatever the circuit breaker says, for what asks whether the peer is there. */
  readonly direct: HttpSender;
  readonly breaker: PeerBreaker | undefined;
}

/** What a connector says of its requests. */
export interface WrittenAccess {
  /** Name of the connector. */
  readonly name: string;
  readonly base: URL;
  readonly auth: AuthConfig | undefined;
  readonly headers: HeadersConfig | undefined;
  readonly tls: TlsMaterial | undefined;
  readonly timeout: number;
  readonly maxResponse: number;
  readonly retry: RetryPolicy;
  /** Absent: everything is sent. */
  readonly breaker?: BreakerSettings | undefined;
  /** HTTP/2 is spoken where the peer chooses it. */
  readonly http2?: boolean | undefined;
}

const shownState: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** Opens nothing and fetches no token. Rejects with a Failure for credentials and headers that cannot be sent. */
export async function accessOf(written: WrittenAccess, services: ConnectorServices): Promise<OpenAccess> {
  const { name, base, auth, tls, timeout, maxResponse, retry } = written;
  const { clock, log, userAgent, directory } = services;
  const given = await credentials(auth, base, directory);
  const direct = new HttpClient({ tls, maxResponse, http2: written.http2 });
  const tokens = given?.kind === 'token' ? new TokenSource(given.grant, direct, clock, timeout, userAgent) : undefined;
  const headers = new Map([
    ['user-agent', userAgent],
    ['accept-encoding', acceptEncoding],
  ]);
  if (given?.kind === 'header') headers.set(given.name, given.value);
  for (const [field, value] of fixedFields(written.headers)) headers.set(field, value);
  const queryKey = given?.kind === 'query' ? given : undefined;
  const breaker =
    written.breaker && new PeerBreaker(base.origin, written.breaker, clock, breakerObserver(name, services));
  const { origin } = base;
  const known = given?.kind === 'digest' ? new DigestSender(direct, origin, given.user) : direct;
  const client = breaker === undefined ? known : new GuardedSender(known, breaker);
  return { client, direct, breaker, origin, timeout, retry, headers, queryKey, tokens, services: { clock, log } };
}

/** A line of the log and a metric for each change. */
function breakerObserver(name: string, { log, families }: ConnectorServices): BreakerObserver {
  const shown = families?.peerBreakerState.of(name);
  const refusals = families?.peerBreakerRefusals.of(name);
  if (shown !== undefined) shown.value = shownState.closed;
  return {
    changed: (state) => {
      if (shown !== undefined) shown.value = shownState[state];
      log[state === 'open' ? 'warn' : 'info']('the circuit breaker changed its state', { state });
    },
    refused: () => {
      if (refusals !== undefined) refusals.value++;
    },
  };
}

function* fixedFields(headers: HeadersConfig | undefined): Generator<[string, string]> {
  for (const { name, value } of headers?.fields ?? []) {
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw new Failure('connector_failed', `headers: ${problem}`);
    if (name.toLowerCase() !== 'host' && isFraming(name)) {
      throw new Failure('connector_failed', `headers: "${name}" is set by the connection itself`);
    }
    yield [name.toLowerCase(), value];
  }
}

/** Credentials in an address are never part of a message. Throws `connector_failed`; `attribute` is its name. */
export function baseAddress(text: string, attribute: string): URL {
  const base = URL.parse(text);
  if (base?.protocol === 'http:' || base?.protocol === 'https:') return base;
  throw new Failure('connector_failed', `"${attribute}" is not an http:// or https:// address`, { retriable: false });
}
