import { randomBytes } from 'node:crypto';

/** An identifier for an instance that cannot be guessed: 128 random bits after the prefix. */
export function instanceId(prefix: 'saga' | 'wf'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
