/** A statement that a reader process is to run. */
export interface ReaderTask {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Integers as bigint; see CallDescription. */
  readonly exact: boolean;
}

/** A piece of the rows, or why they do not come. After a piece that is not the last, the process waits for `next`. */
export type ReaderAnswer =
  | { readonly rows: readonly Record<string, unknown>[]; readonly last: boolean }
  /** What SQLite refused it with. */
  | { readonly message: string; readonly errcode: number }
  | { readonly problem: 'replaced' | 'too large' };

/** Bounds of what comes from a reader, in bytes of its values. */
export const answerLimits = { piece: 128 * 1024, pieceRows: 500, all: 128 * 1024 * 1024 } as const;
