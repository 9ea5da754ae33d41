import type { Values } from '@svc/protocol/schema';
import type { asks } from './spec.ts';

/** The attributes of a block that asks a connector. */
export type ActionValues = Values<ReturnType<typeof asks>>;

/** A block that asks a connector, with its name in messages: `action of step "hold"`. */
export interface ActionPlace {
  readonly title: string;
  readonly values: ActionValues;
}
