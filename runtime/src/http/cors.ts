import type { Values } from '@svc/protocol/schema';
import type { cors } from './cors-spec.ts';
import type { Exchange } from './exchange.ts';

type Settings = Pick<Values<typeof cors>, 'origins' | 'methods' | 'headers' | 'allow_credentials'>;

const openSettings: Settings = {
  origins: ['*'],
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS'],
  headers: ['Content-Type', 'Authorization'],
  allow_credentials: false,
};

/** Tells browsers which pages may read answers, and answers their preflights (Fetch standard, CORS protocol). */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #any: boolean;
  readonly #headers: readonly string[];
  readonly #alwaysVaries: boolean;

  constructor(settings: Settings, written = true) {
    this.#origins = new Set(settings.origins);
    this.#any = this.#origins.has('*');
    this.#alwaysVaries = written;
    this.#headers = [
      'access-control-allow-methods',
      settings.methods.join(', '),
      'access-control-allow-headers',
      settings.headers.join(', '),
      ...(settings.allow_credentials && !this.#any ? ['access-control-allow-credentials', 'true'] : []),
    ];
  }

  /** Adds the headers that the origin gets; `answered` when the request was a preflight and is done. */
  admit(exchange: Exchange): 'answered' | 'goes on' {
    const { origin } = exchange.request.headers;
    if (origin === undefined) {
      if (this.#alwaysVaries) exchange.addHeader('vary', 'Origin');
      return 'goes on';
    }
    exchange.addHeader('vary', 'Origin');
    // Sandboxed pages of anybody send `null`: it names no origin.
    if (origin !== 'null' && (this.#any || this.#origins.has(origin))) {
      exchange.addHeader('access-control-allow-origin', origin);
      exchange.addHeaders(this.#headers);
    }
    const { method, headers } = exchange.request;
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return 'goes on';
    exchange.send(200, undefined, '');
    return 'answered';
  }
}

/** What holds without a `cors` block: any origin outside production, none in production (supplement 4.4). */
export function corsOf(settings: Settings | undefined, production: boolean): Cors | undefined {
  if (settings !== undefined) return new Cors(settings);
  return production ? undefined : new Cors(openSettings, false);
}
