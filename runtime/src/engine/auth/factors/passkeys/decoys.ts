import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Passkey } from '../../store/factors.ts';
import type { AuthSystem } from '../../system.ts';

type Shown = Pick<Passkey, 'id' | 'transports'>;

/** Looks of credentials as authenticators make them: bytes of the id, and how they are reached. */
const looks: readonly { readonly bytes: number; readonly transports: readonly string[] }[] = [
  { bytes: 16, transports: ['hybrid', 'internal'] },
  { bytes: 32, transports: ['internal'] },
  { bytes: 20, transports: ['hybrid', 'internal'] },
  { bytes: 64, transports: ['usb', 'nfc'] },
];
/** Where nothing is configured that other processes know too. */
const ofProcess = randomBytes(32);

/**
 * Passkeys that an address without any seems to have: the same ones every time, so that asking again tells nothing. Their ids
 * follow from a key that only the service has.
 */
export async function decoysOf(
  email: string,
  system: Pick<AuthSystem, 'settings' | 'keys'>,
): Promise<readonly Shown[]> {
  const key = await keyOf(system);
  const bytes = createHmac('sha512', key).update(email).digest();
  const { bytes: length, transports } = looks[(bytes[63] as number) % looks.length] as (typeof looks)[number];
  const [id] = [createHmac('sha512', key).update(`id ${email}`).digest().subarray(0, length)];
  return [{ id: id.toString('base64url'), transports }];
}

async function keyOf({ settings, keys }: Pick<AuthSystem, 'settings' | 'keys'>): Promise<Buffer> {
  const { secret, private_key: privateKey, algorithm } = settings.jwt;
  const configured = secret ?? privateKey;
  const material = configured ?? (algorithm.startsWith('RS') ? await ownKey(keys) : ofProcess);
  return Buffer.from(hkdfSync('sha256', material, '', 'svc passkey decoys', 32));
}

/** The key that the service made; new looks after it was replaced are looks after an enrolment too. */
async function ownKey(keys: AuthSystem['keys']): Promise<Buffer> {
  return (await keys.signing()).key.export({ type: 'pkcs8', format: 'der' });
}
