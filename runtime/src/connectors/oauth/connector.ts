import type { Values } from '@svc/protocol/schema';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { CallDescription, Execute, Target } from '../../foundation/contracts/target.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { cancelled } from '../../platform/net/answered.ts';
import { CallsUnderWay } from '../../platform/net/calls-under-way.ts';
import { fired } from '../../platform/net/fired.ts';
import { readTls } from '../../platform/net/tls.ts';
import { withinTime } from '../../platform/net/within-time.ts';
import type { OpenIdClient } from '../../platform/oidc/client.ts';
import { OpenIdFailure } from '../../platform/oidc/failure.ts';
import { openIdClient } from '../../platform/oidc/providers/open.ts';
import type { ProviderDescription } from '../../platform/oidc/providers/provider.ts';
import { connectedAccount, tokensOf } from './answers.ts';
import { Attempts, memoryOfProcess } from './attempts.ts';
import { type OAuthOperation, oauthOperation } from './operations.ts';
import { type Given, givenIn, optionalText, textOf } from './request.ts';
import type { anyProvider } from './spec.ts';

export interface OAuthParts {
  readonly config: Values<typeof anyProvider>;
  readonly services: ConnectorServices;
  /** Its settings have the name of the connector. */
  readonly described: ProviderDescription;
  /** What `callback` answers as `provider`. */
  readonly provider: string;
}

/** Lets flows ask an identity provider: to begin and end what connects an account, for profiles and for new tokens. */
export class OAuthConnector implements Connector, Target {
  readonly name: string;
  readonly target: Target = this;
  readonly #parts: OAuthParts;
  readonly #attempts: Attempts;
  readonly #calls = new CallsUnderWay();
  #client: OpenIdClient | undefined;
  /** Those that calls still use after a close. */
  readonly #clients = new Set<OpenIdClient>();

  constructor(parts: OAuthParts) {
    const { config, services, described } = parts;
    const { name } = described.settings;
    this.name = name;
    this.#parts = parts;
    const { storage } = config;
    const kept = storage === undefined ? memoryOfProcess(services.clock) : () => services.storage(storage);
    this.#attempts = new Attempts(name, kept, services.clock);
  }

  /** Waits for no provider: what it publishes of itself is read in the background. */
  async open(): Promise<void> {
    if (this.#client !== undefined) return;
    const { config, services, described } = this.#parts;
    const tls = await readTls(config.tls, services);
    const client = await openIdClient(described, { tls, timeout: config.timeout }, services);
    client.open();
    this.#clients.add(client);
    this.#client = client;
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#client = undefined;
    await Promise.race([this.#calls.settled(), fired(cut)]);
    await Promise.all([...this.#clients].map((client) => client.close(cut)));
    await this.#calls.settled();
    this.#clients.clear();
  }

  /** Any answer means that the provider is available; it is degraded while nothing could be read of what it publishes. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const client = this.#open();
    try {
      await client.reach(signal);
    } catch (error) {
      throw asFailure(error, { connector: this.name });
    }
    return client.problem;
  }

  prepare({ operation: word, target, timeout }: CallDescription): Execute {
    const operation = oauthOperation(word ?? target);
    return (request) => {
      const client = this.#open();
      if (operation === undefined)
        throw new Failure('connector_failed', `"${word ?? target ?? ''}" is not an operation`, {
          at: { connector: this.name },
          retriable: false,
        });
      const given = givenIn(operation, request);
      return this.#calls.track(this.#call(client, operation, given, request.signal, timeout));
    };
  }

  async #call(
    client: OpenIdClient,
    operation: OAuthOperation,
    given: Given,
    signal: AbortSignal | undefined,
    timeout: number | undefined,
  ): Promise<CallResult> {
    try {
      if (signal?.aborted) throw cancelled();
      const ask = (stop: AbortSignal | undefined) => this.#operations[operation](client, given, stop);
      if (timeout === undefined) return { value: await ask(signal) };
      const within = (late: AbortSignal) => ask(signal === undefined ? late : AbortSignal.any([signal, late]));
      return { value: await withinTime(timeout, within) };
    } catch (error) {
      throw asFailure(error, { connector: this.name });
    }
  }

  readonly #operations: Readonly<
    Record<OAuthOperation, (client: OpenIdClient, given: Given, signal: AbortSignal | undefined) => Promise<unknown>>
  > = {
    authorize: async (client, given, signal) => {
      const binding = optionalText(given, 'binding');
      const { described, config } = this.#parts;
      const { parameters } = described;
      const { url, attempt } = await client.authorizationUrl({ redirectUri: config.redirect_uri, parameters, signal });
      await this.#attempts.keep(attempt, binding);
      return { auth_url: url, state: attempt.state };
    },
    callback: async (client, given, signal) => {
      const state = textOf(given, 'state');
      if (given['error'] === undefined) textOf(given, 'code');
      const binding = optionalText(given, 'binding');
      // While the provider cannot be used, the sign-in is not over: it can be ended later.
      await client.available(signal);
      const attempt = await this.#attempts.take(state, binding);
      const { described, provider } = this.#parts;
      return unrepeated(async () => {
        const grant = await client.exchange({ answer: given, attempt, signal });
        const profile = await described.profile(grant, client, given, signal);
        if (profile.subject === '' && Object.keys(profile.claims).length > 0)
          throw new Failure('connector_failed', 'the profile of the person names no subject', { retriable: false });
        return connectedAccount(provider, profile, grant);
      });
    },
    userinfo: (client, given, signal) => {
      const subject = optionalText(given, 'provider_id');
      return signedIn(() => client.userinfo({ accessToken: textOf(given, 'access_token'), subject, signal }));
    },
    refresh: (client, given, signal) => {
      const subject = optionalText(given, 'provider_id');
      const refreshToken = textOf(given, 'refresh_token');
      return signedIn(async () => tokensOf(await client.refresh({ refreshToken, subject, signal })));
    },
  };

  #open(): OpenIdClient {
    if (this.#client !== undefined) return this.#client;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}

/** Errors of a provider that say that the person has to sign in there again (RFC 6749, 5.2; RFC 6750, 3.1). */
const ended = new Set(['invalid_grant', 'invalid_token']);

/** A grant that has ended is another matter than a provider that refuses this service. */
async function signedIn<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OpenIdFailure) || !ended.has(error.providerError ?? '')) throw error;
    throw new Failure('authentication_required', error.message, { cause: error, retriable: false });
  }
}

/** State and code are good once: another try would fail for that reason. */
async function unrepeated<T>(end: () => Promise<T>): Promise<T> {
  try {
    return await signedIn(end);
  } catch (error) {
    const { code, message, retriable, retryAfter, upstream } = asFailure(error);
    if (!retriable) throw error;
    throw new Failure(code, `${message}; the sign-in has to begin again`, {
      cause: error,
      retriable: false,
      retryAfter,
      upstream,
    });
  }
}
