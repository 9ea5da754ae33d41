import { Refusal } from '../../refusal.ts';

/** Bytes of one part of a credential, as base64url: attestations with certificates are the longest. */
const longest = 16_384;

/** What a browser gives for `navigator.credentials.create` and `get`, as JSON (WebAuthn Level 3, section 5.1). */
export interface CredentialJson {
  readonly id: string;
  readonly response: Readonly<Record<string, unknown>>;
  /** As the authenticator was given it. */
  readonly challenge: string;
  readonly whole: Readonly<Record<string, unknown>>;
}

const invalid = (what: string) => new Refusal(400, 'invalid_response', `\`credential\` ${what}.`);

/**
 * Reads a credential as far as it is the same for both ceremonies. Nothing of it is proved yet. Throws a Refusal for what no
 * browser gives, and for a page of another origin inside a frame.
 */
export function credentialJson(value: Readonly<Record<string, unknown>> | undefined): CredentialJson {
  if (value === undefined) throw new Refusal(400, 'invalid_request', '`credential` is required.');
  const { id, rawId, type, response } = value;
  if (!isText(id) || id !== rawId || type !== 'public-key') throw invalid('is not a public-key credential');
  if (typeof response !== 'object' || response === null || Array.isArray(response)) throw invalid('has no response');
  const parts = response as Readonly<Record<string, unknown>>;
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    const part = parts[name];
    if (part !== undefined && part !== null && !isText(part)) throw invalid(`has a \`${name}\` that is not base64url`);
  }
  const { challenge, crossOrigin } = clientData(parts['clientDataJSON']);
  if (!isText(challenge)) throw invalid('answers no challenge');
  if (crossOrigin === true) throw invalid('was made in a frame of a page of another origin');
  return { id, response: parts, challenge, whole: value };
}

function clientData(encoded: unknown): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(String(encoded), 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Answered as below.
  }
  throw invalid('has no client data');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest && /^[A-Za-z0-9_-]+$/.test(value);
}
