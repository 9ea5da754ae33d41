import type { IncomingMessage } from 'node:http';
import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../contracts/connector.ts';
import { type Auth, anonymous } from '../contracts/message.ts';
import { Failure } from '../errors/failure.ts';
import { apiKeyCheck } from './api-key.ts';
import type { connectorAuth } from './auth-spec.ts';
import { basicCheck } from './basic.ts';
import { JwtCheck } from './jwt.ts';

export type AuthSettings = Values<typeof connectorAuth>;

/** Why a request may not go on, and headers that say how it could. */
export interface Refused {
  readonly refused: Failure;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Decides about credentials by headers and query alone. */
export interface CredentialCheck {
  /** Loads what is needed; rejects with a Failure that says what of the configuration cannot be used. */
  prepare?(): Promise<void>;
  check(
    request: IncomingMessage,
    query: Readonly<Record<string, string | string[]>>,
  ): Auth | Refused | Promise<Auth | Refused>;
}

/** The `auth` block of a connector at work. */
export interface Verifier {
  /** Names and values in turn, for every response. */
  readonly responseHeaders: readonly string[];
  /** To be awaited before the first request. */
  prepare(): Promise<void>;
  /** Who calls, or why the request is refused. `path` is the path as sent. */
  verify(
    request: IncomingMessage,
    path: string,
    query: Readonly<Record<string, string | string[]>>,
  ): Auth | Refused | Promise<Auth | Refused>;
}

/** Answers 401; the body never says what was wrong with the credential. */
export function unauthorized(challenge?: string): Refused {
  const headers = challenge === undefined ? [] : ['www-authenticate', challenge];
  return { refused: new Failure('authentication_required', 'unauthorized'), headers };
}

/** Makes the verifier of an `auth` block (supplement-flows 2.16). */
export function verifierOf(settings: AuthSettings, services: ConnectorServices, connector: string): Verifier {
  const credentials = checkOf(settings, services, connector);
  const isPublic = publicPaths(settings.public ?? []);
  const required = settings.required_headers ?? [];
  const { recognise } = services.http;
  return {
    responseHeaders: Object.entries(settings.response_headers ?? {}).flat(),
    prepare: async () => credentials.prepare?.(),
    verify(request, path, query) {
      if (isPublic(path)) {
        const caller = recognise?.(request.headers);
        return caller instanceof Promise ? caller.then((late) => late ?? anonymous) : (caller ?? anonymous);
      }
      for (const name of required)
        if (request.headers[name.toLowerCase()] === undefined)
          return { refused: new Failure('input_refused', `missing required header: ${name}`), headers: [] };
      return credentials.check(request, query);
    },
  };
}

function checkOf(settings: AuthSettings, services: ConnectorServices, connector: string): CredentialCheck {
  switch (settings.type) {
    case 'basic':
      return basicCheck(settings);
    case 'api_key':
      return apiKeyCheck(settings, services, connector);
    case 'jwt': {
      const { recognise } = services.http;
      const own = settings.secret ?? settings.public_key ?? settings.jwks_url;
      if (own !== undefined || recognise === undefined) return new JwtCheck(settings, services, connector);
      return { check: async ({ headers }) => (await recognise(headers)) ?? unauthorized('Bearer') };
    }
  }
}

/** Exact paths, and everything below those that end in `/*`. */
function publicPaths(paths: readonly string[]): (path: string) => boolean {
  const exact = new Set(paths.filter((path) => !path.endsWith('/*')));
  const below = paths.filter((path) => path.endsWith('/*')).map((path) => path.slice(0, -1));
  return (path) => exact.has(path) || below.some((prefix) => path.startsWith(prefix) && !climbs(path));
}

/** A path with dot segments is never public: whoever serves it might resolve them. */
function climbs(path: string): boolean {
  return /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
}
