import { toJson } from '@svc/protocol/cel';
import { type Answered, answered } from '../../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';

/** What is kept under a key: that a request is being carried out, or what it was answered with. */
export type Entry =
  | { readonly hash: string; readonly holder: string }
  /** It is unknown whether the request was carried out. */
  | { readonly hash: string; readonly unknown: true }
  | {
      readonly hash: string;
      readonly value: unknown;
      readonly status?: number;
      readonly grpcStatus?: number;
      /** It was a failure, with this code; empty without one. */
      readonly failed?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

const kinds = ['holder', 'unknown', 'value'];

/** Marks a request as being carried out, by a holder with a unique name. */
export function reservedText(hash: string, holder: string): string {
  return JSON.stringify({ hash, holder } satisfies Entry);
}

export function answeredText(hash: string, outcome: Answered): string {
  const { value, status, grpcStatus, headers } = outcome;
  const failed = outcome.kind === 'failed' ? (outcome.code ?? '') : undefined;
  return JSON.stringify({ hash, value: toJson(value), status, grpcStatus, headers, failed });
}

export function unknownText(hash: string): string {
  return JSON.stringify({ hash, unknown: true } satisfies Entry);
}

/** Throws a Failure for a text in another format. */
export function readEntry(text: string): Entry {
  try {
    const entry: unknown = JSON.parse(text);
    if (typeof entry === 'object' && entry !== null && 'hash' in entry && kinds.some((kind) => kind in entry))
      return entry as Entry;
  } catch {
    // Handled below.
  }
  throw new Failure('internal', 'what is stored for the key of a request cannot be read');
}

/** The answer to a request that was carried out before. */
export function replayed({ failed, headers, ...answer }: Extract<Entry, { value: unknown }>): Answered {
  const { value, status, grpcStatus } = answer;
  const again = { value, status, grpcStatus, headers: { ...headers, 'Idempotency-Replayed': 'true' } };
  if (failed === undefined) return answered(again);
  return { ...again, kind: 'failed', status: status ?? 500, code: failed === '' ? undefined : failed };
}
