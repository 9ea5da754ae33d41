import { Fields } from '@svc/protocol/cel';
import type { SourceSpec } from '@svc/protocol/schema';
import type { Auth, Message } from '../../foundation/contracts/message.ts';

/** Where the messages of a flow come from. */
export interface FlowSource {
  readonly spec: SourceSpec | undefined;
  /** After named operations were resolved. */
  readonly operation: string | undefined;
}

/** Variables of a message that are there although empty. */
const tables = ['headers', 'properties'];

/** The message of a test as the source of its flow would hand it over. Throws when it is not an object. */
export function messageOf(written: unknown, auth: Auth, { spec, operation }: FlowSource): Message {
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    throw new Error('the input of a test is an object');
  const input = copy(written) as Record<string, unknown>;
  for (const name of tables)
    if (spec !== undefined && Object.hasOwn(spec.input, name) && !Object.hasOwn(input, name))
      input[name] = new Fields();
  const addressed = (spec?.parameters?.(operation ?? '') ?? []).filter((name) => Object.hasOwn(input, name));
  return { input, auth, signal: () => undefined, addressed };
}

/** Flows may change what they are given. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const fields = new Fields() as Record<string, unknown>;
  for (const [name, item] of Object.entries(value)) fields[name] = copy(item);
  return fields;
}
