import { createHash, randomBytes } from 'node:crypto';
import { callerNetwork } from '../../../../platform/http/admission/client-address.ts';
import type { Client } from '../../client.ts';
import type { AuthSystem } from '../../system.ts';

type Kind = 'passkey-create' | 'passkey-get';

/** Milliseconds that an answer may be under way beyond the time that a person has. */
const allowance = 30_000;

/** What a challenge was given out for. */
export interface Ceremony {
  /** Undefined: for whichever account the passkey belongs to. */
  readonly accountId: string | undefined;
}

/**
 * Gives out a challenge of 256 random bits, which the server keeps and which is answered once. Challenges are counted by
 * the network of the caller: who asks for many ends only its own.
 */
export async function beginCeremony(
  kind: Kind,
  { accountId }: Ceremony,
  client: Client,
  timeout: number,
  { state }: Pick<AuthSystem, 'state'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32));
  const digest = digestOf(Buffer.from(challenge).toString('base64url'));
  const owner = createHash('sha256').update(callerNetwork(client.ip)).digest('hex');
  const data = accountId === undefined ? {} : { account: accountId };
  await state.tickets.issue({ kind, digest, owner, data }, timeout + allowance, false);
  return challenge;
}

/** The ceremony of a challenge, which is over with that; undefined where it was not given out, was answered, or is too old. */
export async function takeCeremony(
  kind: Kind,
  challenge: string,
  { state }: Pick<AuthSystem, 'state'>,
): Promise<Ceremony | undefined> {
  const ticket = await state.tickets.take(kind, digestOf(challenge));
  if (ticket === undefined) return undefined;
  const { account } = ticket.data;
  return { accountId: typeof account === 'string' ? account : undefined };
}

function digestOf(challenge: string): string {
  return createHash('sha256').update(challenge).digest('hex');
}
