import type { Values } from '@svc/protocol/schema';
import type { constraints, fieldTypes } from './spec.ts';

/** A `type` block. */
export interface TypeModel {
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: readonly FieldModel[];
}

/** What a field may be: one of the field types, another type by name, or fields of its own. */
export type FieldShape =
  | { readonly kind: (typeof fieldTypes)[number] }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'fields'; readonly fields: readonly FieldModel[] };

export interface FieldModel {
  readonly name: string;
  readonly shape: FieldShape;
  /** As written in the brackets, in written order of `order`. */
  readonly constraints: Constraints;
  /** Names of the written constraints, in written order. */
  readonly order: readonly string[];
}

export type Constraints = Values<typeof constraints>;
