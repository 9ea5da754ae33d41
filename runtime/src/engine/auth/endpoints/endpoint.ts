import type { IncomingHttpHeaders } from 'node:http';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Client } from '../client.ts';
import type { LimitName } from '../protection/limits.ts';
import type { Account } from '../store/accounts.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';
import type { EndpointBody } from './body.ts';
import type { EndpointName } from './places.ts';

/** Who is signed in. */
export interface Caller {
  readonly account: Account;
  readonly session: Session;
}

/** A request to a sign-in endpoint, admitted. */
export interface EndpointRequest {
  readonly client: Client;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, decoded; a repeated one is a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Headers of the request. */
  readonly headers: IncomingHttpHeaders;
  /** Fires when the caller has gone. */
  readonly signal: AbortSignal;
  /** The JSON object of the body. Rejects with a Refusal where it is absent. */
  body(): Promise<EndpointBody>;
  /** What a form in the body says; undefined where it is a GET. Rejects with a Refusal. */
  form(): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Who is signed in. Throws for endpoints that are open to all, and a Refusal where no one is who needs to be. */
  caller(): Caller;
}

export interface EndpointAnswer {
  /** Default: 200. */
  readonly status?: number;
  /** JSON; undefined: the answer has no body. */
  readonly body: unknown;
  /** Default: `no-store`. */
  readonly cacheControl?: string;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

/** One endpoint: who may ask, and what it answers. Where it is, `places.ts` says. */
export interface Endpoint {
  readonly name: EndpointName;
  /** What its requests are limited with; undefined: they are not. */
  readonly bucket: LimitName | undefined;
  /** `optional`: who sends no valid access token has no caller, and may be answered all the same. */
  readonly signedIn: boolean | 'optional';
  /** Whether it answers who has an expired password. */
  readonly evenExpired?: boolean;
  /** Whether it answers who must enrol a factor first. */
  readonly evenUnenrolled?: boolean;
  /** Whether a GET of it changes something. */
  readonly acts?: boolean;
  /** What it answers who is known by an external provider, and has neither account nor session here. Absent: 403. */
  answerVouched?(caller: Auth): EndpointAnswer;
  answer(request: EndpointRequest, system: AuthSystem): Promise<EndpointAnswer>;
}
