import { withinTime } from '../../../net/within-time.ts';
import type { NatsLink } from './connection.ts';
import type { StreamMessage } from './message.ts';

/** What a stream checks before it stores a message, which says nothing of another stream. */
const checked = /^nats-expected-/i;

/** Where messages go that were given up. */
export interface Burial {
  readonly subject: string;
  /** The header that counts their tries. */
  readonly retryHeader: string;
}

/** The headers that say why a message was given up, and where it is from. */
export const placeHeaders = {
  error: 'x-last-error',
  stream: 'x-svc-stream',
  subject: 'x-svc-subject',
  sequence: 'x-svc-sequence',
} as const;

/** Publishes a message that was given up. Resolves when a stream has stored it. */
export async function bury(
  link: NatsLink,
  { subject, retryHeader }: Burial,
  message: StreamMessage,
  reason: string,
): Promise<void> {
  const { headers } = await import('@nats-io/transport-node');
  const { stream, sequence, deliveries } = message.place;
  const written = headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (checked.test(name)) continue;
    for (const each of Array.isArray(value) ? value : [value]) written.append(name, String(each));
  }
  // One that is published again after a crash is recognised.
  if (!written.has('Nats-Msg-Id')) written.set('Nats-Msg-Id', `${stream}.${sequence}`);
  written.set(placeHeaders.error, reason.replaceAll(/[\r\n\0]+/g, ' '));
  written.set(retryHeader, String(deliveries));
  written.set(placeHeaders.stream, stream);
  written.set(placeHeaders.subject, message.key);
  written.set(placeHeaders.sequence, String(sequence));
  await withinTime(link.timeout, () => stored(link, subject, message.content, written));
}

type Written = Parameters<NatsLink['client']['publish']>[2];

/** Publishes a message. Resolves when a stream has stored it. */
export async function stored(
  link: NatsLink,
  subject: string,
  content: Buffer,
  headers: NonNullable<Written>['headers'],
): Promise<void> {
  const options = { timeout: link.timeout, ...(headers && { headers }) };
  const answer = (await link.client.request(subject, content, options)).json<{
    readonly error?: { description: string };
  }>();
  if (answer.error !== undefined) throw new Error(answer.error.description);
}
