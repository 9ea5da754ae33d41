import type { Values } from '@svc/protocol/schema';
import type { CorsPolicy, HttpExchange } from '../../../foundation/contracts/http.ts';
import type { cors } from './cors-spec.ts';

type Settings = Pick<Values<typeof cors>, 'origins' | 'methods' | 'headers' | 'allow_credentials'>;

/** What holds without a block, for pages of this machine alone. */
const unwritten: Omit<Settings, 'origins'> = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS'],
  headers: ['Content-Type', 'Authorization'],
  allow_credentials: false,
};

/** Tells browsers which pages may read answers, and answers their preflights (Fetch standard, CORS protocol). */
export class Cors implements CorsPolicy {
  readonly #allows: (origin: string) => boolean;
  readonly #headers: readonly string[];
  /** Whether a `cors` block says which pages may call. */
  readonly #isWritten: boolean;

  constructor(settings: Omit<Settings, 'origins'>, allows: (origin: string) => boolean, isWritten: boolean) {
    this.#allows = allows;
    this.#isWritten = isWritten;
    this.#headers = [
      'access-control-allow-methods',
      settings.methods.join(', '),
      'access-control-allow-headers',
      settings.headers.join(', '),
      ...(settings.allow_credentials ? ['access-control-allow-credentials', 'true'] : []),
    ];
  }

  /** Adds the headers that the origin gets to whatever is answered. */
  addHeaders(exchange: HttpExchange): void {
    const { origin } = exchange.request.headers;
    if (origin === undefined) {
      if (this.#isWritten) exchange.addHeader('vary', 'Origin');
      return;
    }
    exchange.addHeader('vary', 'Origin');
    if (!this.permits(origin)) return;
    exchange.addHeader('access-control-allow-origin', origin);
    exchange.addHeaders(this.#headers);
  }

  /**
   * Whether a request is not to be carried out. Browsers send a simple request of any page without asking
   * first: without a `cors` block one that changes something comes from this machine or from the server's own pages.
   */
  refuses({ request: { method = '', headers } }: HttpExchange): boolean {
    const { origin } = headers;
    if (this.#isWritten || origin === undefined || reading.has(method)) return false;
    return !this.permits(origin) && !isOfHost(origin, headers.host);
  }

  permits(origin: string): boolean {
    // Sandboxed pages of any site send `null`: it names no origin.
    return origin !== 'null' && this.#allows(origin);
  }

  /** Answers a preflight; whether the request was one. */
  answerPreflight(exchange: HttpExchange): boolean {
    const { method, headers } = exchange.request;
    if (method !== 'OPTIONS' || headers.origin === undefined) return false;
    if (headers['access-control-request-method'] === undefined) return false;
    exchange.send(200, undefined, '');
    return true;
  }
}

/** Methods that change nothing (RFC 9110, 9.2.1). */
const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

function isOfHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && origin.toLowerCase().replace(/^https?:\/\//, '') === host.toLowerCase();
}

/** What a `cors` block says. Without one: pages of this machine outside production, none in production. */
export function corsOf(settings: Settings | undefined, production: boolean): Cors | undefined {
  if (settings === undefined) return production ? undefined : new Cors(unwritten, isLoopback, false);
  const origins = new Set(settings.origins);
  const any = origins.has('*');
  const allow_credentials = settings.allow_credentials && !any;
  return new Cors({ ...settings, allow_credentials }, (origin) => any || origins.has(origin), true);
}

/** Where no page but the server's own may change or read anything, in production too. */
export function ownPagesOnly(): CorsPolicy {
  return new Cors({ ...unwritten, methods: [], headers: [] }, () => false, false);
}

/** Whether a page was loaded from this machine: others could do here whatever its visitor can. */
function isLoopback(origin: string): boolean {
  return /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\]|[a-z0-9-]+\.localhost)(:\d{1,5})?$/i.test(origin);
}
