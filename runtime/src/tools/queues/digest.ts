import { createHash } from 'node:crypto';
import type { Choose, QueuedMessage } from '../../foundation/contracts/queue.ts';

type Placed = Pick<QueuedMessage, 'source' | 'key' | 'content'>;

/** The same for equal messages of one place: SHA-256 of where it is, its key and its content, in hexadecimal digits. */
export function digestOf({ source, key, content }: Placed): string {
  return createHash('sha256').update(`${source}\n${key}\n`).update(content).digest('hex');
}

/** Chooses the messages of these digests; every message without any. */
export function oneOf(digests: string | undefined): Choose {
  if (digests === undefined) return () => true;
  const wanted = new Set(digests.split(','));
  return (message) => wanted.has(digestOf(message));
}
