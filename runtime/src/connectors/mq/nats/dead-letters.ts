import type { MsgHdrs } from '@nats-io/transport-node';
import { errorHeader } from '../../intake/broker/dead-letters.ts';
import type { NatsLink } from './connection.ts';
import { publishFailure, storedAs } from './failure.ts';
import { copiedHeaders } from './headers.ts';
import type { StreamMessage } from './message.ts';
import { checkSize } from './publish/outgoing-size.ts';
import { idHeader } from './publish/stream-parameters.ts';

/** Where messages go that were given up. */
export interface Burial {
  readonly subject: string;
  /** The header that counts their tries. */
  readonly retryHeader: string;
}

/** The headers that say why a message was given up, and where it is from. */
export const placeHeaders = {
  error: errorHeader,
  stream: 'x-svc-stream',
  subject: 'x-svc-subject',
  sequence: 'x-svc-sequence',
} as const;

/** Before what a dead letter is recognised by. */
export const ownId = 'dead.';

/** Publishes a message that was given up, by default with the bytes that came. Resolves when a stream has stored it. */
export async function bury(
  link: NatsLink,
  { subject, retryHeader }: Burial,
  message: StreamMessage,
  reason: string,
  content = message.content,
): Promise<void> {
  const { headers } = await import('@nats-io/transport-node');
  const { stream, sequence, deliveries } = message.place;
  const written = copiedHeaders(message.headers, headers);
  // One that is published again after a crash is recognised, and no other consumer has one of the same id.
  written.set(idHeader, ownId + message.delivered);
  written.set(placeHeaders.error, reason.replaceAll(/[\r\n\0]+/g, ' '));
  written.set(retryHeader, String(deliveries));
  written.set(placeHeaders.stream, stream);
  written.set(placeHeaders.subject, message.key);
  written.set(placeHeaders.sequence, String(sequence));
  await store(link, subject, content, written);
}

/** Publishes a message. Resolves when a stream has stored it; rejects with why none has. */
export async function store(link: NatsLink, subject: string, content: Buffer, headers: MsgHdrs): Promise<void> {
  checkSize(content, headers, { server: link.mostOfServer });
  const asked = link.client.request(subject, content, { timeout: link.timeout, headers });
  storedAs(
    await asked.catch((error: unknown) => {
      throw publishFailure(error, subject);
    }),
  );
}
