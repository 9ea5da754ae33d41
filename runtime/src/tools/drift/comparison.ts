import type { Documents } from '../../platform/formats/openapi/documents.ts';
import type { Differ } from './difference.ts';

/** One comparison of schemas, with the path of what is compared, for messages. */
export interface Comparison {
  readonly contract: Documents;
  readonly served: Documents;
  readonly direction: Direction;
  readonly differ: Differ;
  /** Such as `the body of POST /orders: items`. */
  readonly subject: string;
  /** Whether a configuration has no word for constraints of this place, so that none of them breaks anything. */
  readonly isElement: boolean;
  /** Pairs of schemas that are being compared, and directions: they may contain themselves. */
  readonly seen: Set<string>;
}

/** What callers send may be less than what is taken; what they are answered may be more than what was promised. */
export type Direction = 'request' | 'answer';
