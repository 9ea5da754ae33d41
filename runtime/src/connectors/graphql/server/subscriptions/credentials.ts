import { Fields } from '@svc/protocol/cel';
import type { Values } from '@svc/protocol/schema';
import type { AuthenticationRequest } from '../../../../foundation/contracts/http.ts';
import type { connectorAuth } from '../../../../platform/identity/auth-spec.ts';

type AuthSettings = Values<typeof connectorAuth>;

/** Where callers put their credentials, by the `auth` block of a connector. */
export class CredentialPlaces {
  /** Headers that carry a credential, their names in lower case. */
  readonly #headers: ReadonlySet<string>;
  /** Headers that must be there besides. */
  readonly #required: ReadonlySet<string>;
  /** The parameter of the query string that may carry one. */
  readonly parameter: string | undefined;

  constructor(settings: AuthSettings | undefined) {
    const usual = settings?.type === 'api_key' ? 'X-API-Key' : 'Authorization';
    this.#headers = new Set([(settings?.header ?? usual).toLowerCase(), 'authorization']);
    this.#required = new Set((settings?.required_headers ?? []).map((name) => name.toLowerCase()));
    this.parameter = settings?.query_param;
  }

  /** Whether a request carries no credential, so that it may come over its connection. */
  readonly areMissing = ({ request: { headers }, query }: AuthenticationRequest): boolean =>
    [...this.#headers].every((name) => headers[name] === undefined) &&
    (this.parameter === undefined || query[this.parameter] === undefined);

  /** What a client said when it connected: headers with its credentials, and the rest, which filters may read. */
  read(said: Readonly<Record<string, unknown>>): {
    readonly headers: Readonly<Record<string, string>>;
    readonly hasCredential: boolean;
    readonly params: Readonly<Record<string, unknown>>;
  } {
    const headers: Record<string, string> = {};
    const params: Record<string, unknown> = new Fields() as Record<string, unknown>;
    let hasCredential = false;
    for (const [written, value] of Object.entries(said)) {
      const name = written.toLowerCase();
      const isCredential = this.#headers.has(name);
      if (typeof value === 'string' && (isCredential || this.#required.has(name))) headers[name] = value;
      if (isCredential) hasCredential ||= typeof value === 'string';
      else params[written] = value;
    }
    return { headers, hasCredential, params };
  }
}
