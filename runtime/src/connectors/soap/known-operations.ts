import type { KnownTarget } from '@svc/protocol/wire';
import { mostColumns, mostKnown } from '../../foundation/contracts/connector.ts';

/** Operations as flows name them, with the elements of their messages, as far as they are known. */
export function knownOperations(
  operations: readonly { readonly name: string; readonly parameters: readonly string[] | undefined }[],
): readonly KnownTarget[] {
  let left = mostColumns;
  return operations.slice(0, mostKnown).map(({ name, parameters = [] }) => {
    const columns = parameters.slice(0, left);
    left -= columns.length;
    return { name, kind: 'operation', columns };
  });
}
