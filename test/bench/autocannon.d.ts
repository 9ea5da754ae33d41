/** What is used of the load generator; the package brings no types. */
declare module 'autocannon' {
  export interface Request {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }
  export interface Options extends Request {
    readonly url: string;
    readonly connections: number;
    /** Requests altogether, in place of a time. */
    readonly amount?: number;
    /** Seconds. */
    readonly duration?: number;
    /** Sent in turn on every connection; absent, the options are the one request. */
    readonly requests?: readonly Request[];
  }
  export interface Result {
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
    /** Seconds. */
    readonly duration: number;
    /** Of the seconds of the run. */
    readonly requests: { readonly average: number; readonly total: number };
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
