import { CelTimestamp } from '@svc/protocol/cel';
import { parseDuration } from '@svc/protocol/model';

/** A property of a message that flows set in `params`. */
interface Property {
  /** What the client library calls it. */
  readonly written: string;
  /** The value as the client library takes it; undefined when it is malformed. */
  readonly read: (value: unknown) => unknown;
  readonly says: string;
}

/** Bytes of a text among the properties, in the protocol. */
const longestText = 255;

/** Bytes of UTF-8 that one unit of a text becomes at most. */
const mostOfUnit = 3;

/** Whether a text has at most so many bytes. Short ones are not counted. */
export function isWithin(text: string, bytes: number): boolean {
  return text.length * mostOfUnit <= bytes || new TextEncoder().encode(text).length <= bytes;
}

const words = (written: string): Property => ({
  written,
  read: (value) => {
    const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
    return typeof text === 'string' && isWithin(text, longestText) ? text : undefined;
  },
  says: `must be a text of at most ${longestText} bytes`,
});

/**
 * The queue from which answers come over the channel that asked. The broker ends a channel that names it in a message
 * without taking from it.
 */
export const answers = 'amq.rabbitmq.reply-to';

const replyTo: Property = {
  ...words('replyTo'),
  read: (value) => (value === answers ? undefined : words('replyTo').read(value)),
  says: `${words('replyTo').says}, and not "${answers}": write operation = "request" to wait for an answer`,
};

const priority: Property = {
  written: 'priority',
  read: (value) => within(value, 255),
  says: 'must be a whole number from 0 to 255',
};

/** Milliseconds in the protocol, as a text. */
const expiration: Property = {
  written: 'expiration',
  read: (value) => {
    const written = typeof value === 'bigint' ? Number(value) : value;
    const lifetime = typeof written === 'number' || typeof written === 'string' ? parseDuration(written) : undefined;
    return lifetime !== undefined && lifetime >= 0 && lifetime < 2 ** 32 ? String(Math.ceil(lifetime)) : undefined;
  },
  says: 'must be a duration below 50 days, such as 30 or "5m"',
};

const persistent: Property = {
  written: 'persistent',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  says: 'must be true or false',
};

const timestamp: Property = {
  written: 'timestamp',
  read: (value) => within(value instanceof CelTimestamp ? value.nanoseconds / 1_000_000_000n : value, 2 ** 42),
  says: 'must be a time since 1970, or seconds since then',
};

/** The properties by the names that flows know them by. */
export const properties: Readonly<Record<string, Property>> = {
  message_id: words('messageId'),
  correlation_id: words('correlationId'),
  reply_to: replyTo,
  type: words('type'),
  app_id: words('appId'),
  user_id: words('userId'),
  content_type: words('contentType'),
  content_encoding: words('contentEncoding'),
  priority,
  expiration,
  persistent,
  timestamp,
};

export const propertyNames: readonly string[] = Object.keys(properties);

/** Headers that the broker reads further routing keys from: it ends the channel of a message where one is not a list. */
const routes: readonly string[] = ['CC', 'BCC'];

/** Why the broker would not take a header of this value, or undefined. */
export function checkHeader(name: string, value: unknown): string | undefined {
  if (value === null || !routes.includes(name)) return undefined;
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && isWithin(each, longestText))
    ? undefined
    : `the header ${name} must be a list of routing keys, texts of at most ${longestText} bytes`;
}

function within(value: unknown, most: number): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= most ? number : undefined;
}
