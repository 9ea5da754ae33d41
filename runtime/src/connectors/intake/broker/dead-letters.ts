import type { Retry, RetryPolicy } from '../driver.ts';

/** How a failed message travels until it is given up, at a broker that takes it back as a new one. */
export interface DeadLetters {
  /** Tries after the first one. */
  readonly maxRetries: number;
  /** Milliseconds that it waits at the broker before each try; undefined: it pauses here. */
  readonly retryDelay: number | undefined;
  /** The header that counts its tries. */
  readonly retryHeader: string;
  /** Whether the dead letters of a source are arranged at the broker, and nothing of them is declared here. */
  readonly isExternal: boolean;
}

/** What is written of dead letters in a `consumer` block. */
export interface WrittenConsumer {
  readonly retry_count?: number | undefined;
  readonly dlq?:
    | {
        readonly enabled: boolean;
        readonly max_retries: number;
        readonly retry_delay?: number | undefined;
        readonly retry_header: string;
        readonly external: boolean;
      }
    | undefined;
}

export const standardRetryHeader = 'x-retry-count';
/** The header that says why the last try failed. */
export const errorHeader = 'x-last-error';
/** The header that counts how often people sent a dead letter back. */
export const replayHeader = 'x-replay-count';

/** The count for a dead letter that is sent back now. Brokers whose headers are texts give the count as one. */
export function replaysWith(headers: Readonly<Record<string, unknown>>): number {
  return triesIn(Number(headers[replayHeader])) + 1;
}

/** Undefined when no message is ever given up. */
export function deadLettersOf({ dlq, retry_count }: WrittenConsumer): DeadLetters | undefined {
  if (dlq === undefined)
    return retry_count === undefined
      ? undefined
      : { maxRetries: retry_count, retryDelay: undefined, retryHeader: standardRetryHeader, isExternal: false };
  if (!dlq.enabled) return undefined;
  const { max_retries, retry_delay, retry_header, external } = dlq;
  return { maxRetries: max_retries, retryDelay: retry_delay, retryHeader: retry_header, isExternal: external };
}

export function retriesOf(deadLetters: DeadLetters | undefined): RetryPolicy {
  if (deadLetters === undefined) return { most: undefined, keepsRejected: false, pause: 'slot' };
  const { maxRetries: most, retryDelay } = deadLetters;
  return { most, keepsRejected: true, pause: retryDelay === undefined ? 'slot' : 'peer' };
}

/** Where rejected messages of a source go, unless the configuration names another place. */
export function deadLetterName(source: string): string {
  return `${source}.dlq`;
}

/** Where messages of a source wait before another try. The delay is part of the name: a broker cannot change one. */
export function delayName(source: string, delay: number): string {
  return `${source}.retry.${delay}`;
}

/** Tries that a header counts; 0 for anything that is not a count. */
export function triesIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

/** The headers of these names, when all of them are texts: where a message was first sent to, if it was sent again since. */
export function originIn(headers: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const origin = names.map((name) => [name, headers[name]] as const);
  if (origin.some(([, value]) => typeof value !== 'string')) return undefined;
  return Object.fromEntries(origin) as Record<string, string>;
}

/** The headers with which a message is sent again for another try. */
export function retryHeaders(
  deadLetters: DeadLetters | undefined,
  { tries, reason }: Retry,
  origin: Readonly<Record<string, string>> = {},
): Record<string, string | number> {
  return { ...origin, [deadLetters?.retryHeader ?? standardRetryHeader]: tries, [errorHeader]: reason };
}
