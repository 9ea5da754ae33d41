/** Why a token is not accepted: the part of it that was looked at, and what is said of that. Never a value. */
export interface TokenFault {
  /** The claim or the member of the header by its name (RFC 7515, RFC 7519); else `signature` or `format`. */
  readonly check: string;
  /** Printable ASCII without quotes (RFC 6750, section 3). */
  readonly description: string;
}

/** A token that is not accepted for what it says. */
export class UnacceptableToken extends Error {
  override readonly name = 'UnacceptableToken';
  readonly fault: TokenFault;

  constructor(check: string, description: string) {
    super(description);
    this.fault = { check, description };
  }
}

const claims: Readonly<Record<string, string>> = {
  iss: 'the issuer of the token is not accepted',
  aud: 'the token is for another audience',
  exp: 'the end of the token is not a time',
  nbf: 'the token is not valid yet',
  iat: 'the time of issue of the token is not accepted',
};
const faults: Readonly<Record<string, TokenFault>> = {
  ERR_JWT_EXPIRED: { check: 'exp', description: 'the token has expired' },
  ERR_JOSE_ALG_NOT_ALLOWED: { check: 'alg', description: 'the algorithm of the token is not accepted' },
  ERR_JOSE_NOT_SUPPORTED: { check: 'alg', description: 'the algorithm of the token is not accepted' },
  ERR_JWKS_NO_MATCHING_KEY: { check: 'kid', description: 'the key of the token is not known' },
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: { check: 'kid', description: 'the token does not say which key signed it' },
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: { check: 'signature', description: 'the signature of the token is wrong' },
};

/** What a failed check of a token says, without anything that its sender or the configuration has written. */
export function faultOf(error: unknown): TokenFault {
  if (error instanceof UnacceptableToken) return error.fault;
  const { code, claim } = error as { readonly code?: unknown; readonly claim?: unknown };
  const known = typeof code === 'string' ? faults[code] : undefined;
  if (known !== undefined) return known;
  const description = typeof claim === 'string' ? claims[claim] : undefined;
  if (description !== undefined) return { check: String(claim), description };
  return { check: 'format', description: 'the token cannot be read' };
}
