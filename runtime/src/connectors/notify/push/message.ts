import { encodeJson } from '../../../platform/formats/json.ts';
import type { Message, MessageFields } from '../message.ts';

/** What every push message may have. */
export const pushFields = {
  token: { doc: 'Device that the message goes to.', kind: 'text', byTarget: true },
  tokens: { doc: 'Devices that the message goes to, each by a request of its own.', kind: 'texts' },
  title: { doc: 'Title that is shown.', kind: 'text' },
  body: { doc: 'Text that is shown.', kind: 'text', spellings: ['text', 'message'] },
  data: { doc: 'Values for the app; each becomes a text.', kind: 'map' },
  priority: { doc: 'Whether the device is woken up: `high`, or `normal`.', kind: 'text', choices: ['high', 'normal'] },
  ttl: { doc: 'Seconds for which the provider keeps the message when the device is off.', kind: 'integer' },
  collapse_key: { doc: 'Only the last message of a key is kept for a device that is off.', kind: 'text' },
} as const satisfies MessageFields;

/** The devices of a message: `token` wins. */
export function devicesOf({
  token,
  tokens = [],
}: Pick<Message<typeof pushFields>, 'token' | 'tokens'>): readonly string[] {
  return token === undefined ? [...new Set(tokens)] : [token];
}

/** Values for the app, as providers take them: texts alone. */
export function textsOf(data: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given = Object.entries(data).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : encodeJson(value)]),
  );
}
