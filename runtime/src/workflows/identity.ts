import { randomBytes } from 'node:crypto';

/** A name for an instance that nobody can guess: 128 random bits behind the prefix. */
export function instanceId(prefix: 'saga' | 'wf'): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
