import type { MessageProperties, Options } from 'amqplib';
import { type Honoured, restored, type Said, setAside } from '../../intake/broker/honoured.ts';
import { deathsHeader, together } from './deaths.ts';

/**
 * What the broker and its plug-ins act on, wherever a message is published to. By `x-death` it drops a message that comes
 * to a queue again which gave it up before.
 */
const everywhere = {
  headers: /^(CC|BCC|x-death|x-delay|x-deduplication-header|x-cache-ttl|x-delivery-count|x-received-from|x-stream-.+)$/,
  properties: ['expiration', 'user_id'],
} as const satisfies Honoured;

/** The same for a copy that goes elsewhere: a priority is for the queue that the message was sent to. */
const elsewhere: Honoured = { ...everywhere, properties: [...everywhere.properties, 'priority'] };

/** What a message says beside its content, as its sender said it, whether it is a copy or not. `user` signs in here. */
export function saidBy(received: MessageProperties, user: string): Said {
  const { headers: own = {}, expiration, userId: user_id, priority } = received;
  const said = { expiration, user_id, priority };
  const { headers, properties } = restored(own, elsewhere, said);
  if (headers === own) return { headers, properties };
  const deaths = together(own[deathsHeader], headers[deathsHeader]);
  return {
    headers: deaths === undefined ? headers : { ...headers, [deathsHeader]: deaths },
    // Anybody can write the header of it, and the broker has checked who wrote the copy.
    properties: user_id === user ? properties : { ...properties, user_id },
  };
}

/** Where a copy goes, and what it says beside what its message said. */
export interface Copy {
  readonly staysInQueue: boolean;
  readonly further: Said['headers'];
}

/** What a copy of a message is published with. The broker takes a message of no other user than the one that signs in. */
export function copied(received: MessageProperties, said: Said, copy: Copy, user: string): Options.Publish {
  const { headers, properties } = setAside(said.headers, copy.staysInQueue ? everywhere : elsewhere, said.properties);
  const { priority } = properties as { readonly priority?: number };
  const { expiration: _, userId: __, priority: ___, ...others } = received;
  return {
    ...(others as object),
    persistent: received.deliveryMode === 2,
    ...(typeof priority === 'number' && { priority }),
    ...(typeof said.properties['user_id'] === 'string' && { userId: user }),
    headers: { ...headers, ...copy.further },
  };
}
