/** What this folder uses of the package, which brings no types of its own. */
declare module 'http-cache-semantics' {
  interface Options {
    readonly shared: boolean;
    readonly cacheHeuristic: number;
    readonly immutableMinTimeToLive: number;
  }

  export default class CachePolicy {
    constructor(
      request: { readonly method: string; readonly headers: Readonly<Record<string, string>> },
      answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
      options: Options,
    );
    storable(): boolean;
    /** Seconds. */
    maxAge(): number;
    /** Seconds. */
    age(): number;
  }
}
