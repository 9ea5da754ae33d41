import { createHash, timingSafeEqual } from 'node:crypto';

/** The digest that secrets are compared by, so that neither content nor length shows in the time taken. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Which of the secrets with these digests is presented, -1 when none is. Takes the same time whichever matches, or none. */
export function positionOf(presented: string, digests: readonly Buffer[]): number {
  const digest = digestOf(presented);
  let found = -1;
  for (const [at, accepted] of digests.entries()) if (timingSafeEqual(digest, accepted)) found = at;
  return found;
}
