import { createHash, timingSafeEqual } from 'node:crypto';

/** The digest that secrets are compared by, so that neither content nor length shows in the time taken. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether a presented secret is one of those with these digests. Takes the same time whichever matches, or none. */
export function isOneOf(presented: string, digests: readonly Buffer[]): boolean {
  const digest = digestOf(presented);
  let found = false;
  for (const accepted of digests) found = timingSafeEqual(digest, accepted) || found;
  return found;
}
