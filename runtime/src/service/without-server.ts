import type { HttpServices } from '../contracts/http.ts';

/** What connectors share of HTTP where nothing is served: they are opened to be asked alone. */
export const withoutServer: HttpServices = {
  builtins: [],
  rateLimiter: undefined,
  observer: { started: () => undefined, finished: () => undefined },
  overloaded: () => false,
  trustedProxies: [],
};
