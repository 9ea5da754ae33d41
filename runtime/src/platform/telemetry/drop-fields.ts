import { type Drop, decidedBy } from '../../foundation/contracts/outcome.ts';
import { mask, namesCredential, printable } from '../../foundation/observe/mask.ts';

/** Characters of one value that are shown. */
const longest = 1_000;

/** Why a message was dropped, as logs and traces show it. */
export interface DropFields {
  readonly reason: string;
  /** The block that decided. */
  readonly decided_by: string;
  /** The expression that decided, as written. */
  readonly detail: string;
  /** What decided, by name, credentials masked; absent when the block does not give it. */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly disposition: string;
  /** The identity by which requeues are counted, where the flow names one. */
  readonly message_id?: string;
}

/** Computes what decided: only when it is shown. */
export function dropFields(drop: Drop): DropFields {
  const { reason, expression, policy, messageId } = drop;
  const values = shownValues(drop);
  return {
    reason,
    decided_by: decidedBy(drop),
    detail: expression,
    ...(values === undefined ? {} : { values }),
    disposition: policy,
    ...(messageId === '' ? {} : { message_id: messageId }),
  };
}

/**
 * What decided, as it may be shown: what `hides` names is masked anywhere in a path, long values are cut, and values
 * that the message does not have are shown as missing.
 */
export function shownValues(
  { values }: Drop,
  hides: (name: string) => boolean = namesCredential,
  show: (value: unknown) => unknown = printable,
): Readonly<Record<string, unknown>> | undefined {
  if (values === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(values()).map(([path, value]) => {
      if (value === undefined) return [path, '(absent)'];
      return [path, path.split('.').some(hides) ? mask : cut(show(value))];
    }),
  );
}

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= longest ? value : `${text.slice(0, longest)}…`;
}
