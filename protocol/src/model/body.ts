import type { Origin } from '../schema/index.ts';
import type { SourcedItem } from './items.ts';

/** One body to decode: its items, and the name and the place to report when something is missing. */
export interface BodyToDecode {
  readonly items: readonly SourcedItem[];
  /** For messages: `flow "orders"`, `to`. */
  readonly title: string;
  /** The named block around it, when it is not one itself: `flow "orders"`. */
  readonly outer?: string | undefined;
  readonly origin: Origin;
  readonly label?: string | undefined;
  readonly over?: unknown;
}

/** How messages call a body: `step "user" in flow "orders"`. */
export function nameOf({ title, outer }: Pick<BodyToDecode, 'title' | 'outer'>): string {
  return outer === undefined ? title : `${title} in ${outer}`;
}
