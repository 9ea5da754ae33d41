import { canonicalDigest } from '../../../../platform/formats/canonical.ts';
import { escapeKey, keyText } from '../../../../platform/formats/key-text.ts';
import { callerOf } from '../../../../platform/identity/caller.ts';
import { kindOf } from '../../compile/expression.ts';
import { notAKey } from '../../hold/sync-key.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';

/**
 * The entry for what the key gives, undefined when the request may be repeated. Throws a Failure for a value that is
 * not a key.
 */
export function entryKey({ name: flow }: FlowModel): (value: unknown) => string | undefined {
  const prefix = `idempotency:${escapeKey(flow)}:`;
  return (value) => {
    if (value === null || value === '') return undefined;
    const text = keyText(value);
    if (text !== undefined) return prefix + text;
    throw notAKey(`flow "${flow}": idempotency.key must give a text, not ${kindOf(value)}`);
  };
}

/**
 * What makes two requests the same: operation, path, query, body and caller. Headers do not count; neither do the
 * delivery properties of a message of a stream.
 */
export function requestHash({ operation, answers }: FlowModel): (frame: Frame) => string {
  const aside = answers ? ['headers'] : ['headers', 'properties'];
  return ({ input, auth, message: { queried = [] } }) => {
    const fields = Object.entries(input).filter(([name]) => !aside.includes(name));
    return canonicalDigest([operation ?? '', callerOf(auth), [...queried].sort(), new Map(fields)], 'ordered');
  };
}
