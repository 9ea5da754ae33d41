import { originOf, type Values } from '@svc/protocol/schema';
import type { transaction } from '../../../../connectors/core/transaction-spec.ts';

/** The content of a transaction or of one of its loops. */
export type Body = Pick<Values<typeof transaction>, 'exec'> & { readonly each?: readonly Loop[] };
export type Exec = Values<typeof transaction>['exec'][number];
export type Loop = Body &
  Pick<Values<typeof transaction>['each'][number], 'label' | 'over'> &
  Parameters<typeof originOf>[0];

/** Statements and loops as they are written. */
export function inOrder({ exec, each = [] }: Body): readonly (Exec | Loop)[] {
  return [...exec, ...each].sort((a, b) => originOf(a).range.start - originOf(b).range.start);
}
