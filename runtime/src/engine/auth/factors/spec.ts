import { block, flag, int, lifetime, list, oneOf, text } from '@svc/protocol/schema';

/** Factors that an account can enrol. */
export const factorMethods = ['totp', 'webauthn'] as const;

const totp = block({
  doc: 'Codes of an authenticator app (RFC 6238).',
  attributes: {
    issuer: text('Name of the service in the app. Default: that of the service.'),
    digits: int('Digits of a code.', { default: 6, min: 6, max: 8 }),
    period: int('Seconds that a code lasts.', { default: 30, min: 15, max: 120 }),
    algorithm: oneOf('Hash of the codes. Many apps know `SHA1` only.', ['SHA1', 'SHA256', 'SHA512'], {
      default: 'SHA1',
    }),
    skew: int('Periods before and after the present one whose codes are accepted, for clocks that differ.', {
      default: 1,
      min: 0,
      max: 2,
    }),
  },
  example: 'totp {\n  issuer = "Library"\n}',
});

export const webauthn = block({
  doc: 'Passkeys and security keys (WebAuthn), as a second factor and as a whole sign-in.',
  attributes: {
    rp_id: text('Domain that passkeys are made for, such as `example.test`. Default: the host of `base_url`.', {
      pattern: { source: '^[a-z0-9.-]+$', says: 'must be a domain in small letters, without scheme and port' },
    }),
    rp_name: text('Name of the service in the dialog of the browser. Default: that of the service.', {
      aliases: ['rp_display_name'],
    }),
    rp_origins: list(
      'Origins of the pages that ask for passkeys, such as `https://example.test`. Default: the origin of `base_url`.',
      text('Origin.', {
        pattern: { source: '^https?://[^/]+$', says: 'must be an origin such as https://example.test, without a path' },
      }),
      { aliases: ['origins'] },
    ),
    attestation: oneOf('Whether the maker of an authenticator is asked for.', ['none', 'indirect', 'direct'], {
      default: 'none',
    }),
    user_verification: oneOf(
      'Whether the authenticator must verify its user, by a PIN or a finger.',
      ['preferred', 'required', 'discouraged'],
      { default: 'preferred' },
    ),
    timeout: int('Milliseconds that a person has to answer.', { default: 60_000, min: 10_000, max: 600_000 }),
  },
  example: 'webauthn {\n  rp_id      = "example.test"\n  rp_origins = ["https://example.test"]\n}',
});

const recovery = block({
  doc: 'Codes that are used once in place of a factor that was lost.',
  attributes: {
    enabled: flag('false: none are made, and none are accepted.', { default: true }),
    code_count: int('Codes of an account.', { default: 10, min: 1, max: 50 }),
    code_length: int('Characters of a code, 5 bits each.', { default: 8, min: 2, max: 32 }),
  },
});

export const mfa = block({
  doc: 'Second factors. Writing the block turns them on.',
  attributes: {
    required: oneOf(
      'Who must have a factor: everybody, no one but the roles of `require_for`, no one at all, or accounts with the role `admin` and those of `require_for`.',
      ['true', 'optional', 'false', 'admin_only'],
      { synonyms: { required: 'true' } },
    ),
    require_for: list('Roles that must have a factor.', text('A role.')),
    methods: list('Factors that can be enrolled.', oneOf('Factor.', factorMethods)),
    grace_period: lifetime('Time from the beginning of an account until it must have enrolled.', { min: 0 }),
    require_multiple: flag('Two factors must be enrolled.', { default: false }),
    min_factors: int('Factors that must be enrolled.', { min: 0, max: factorMethods.length }),
    challenge_ttl: lifetime('Time in which a sign-in must be completed with a factor.', {
      default: 300_000,
      min: 30_000,
      max: 3_600_000,
    }),
  },
  blocks: { totp, webauthn, recovery },
  unavailable: ['sms', 'email', 'push'],
  example: 'mfa {\n  required     = "admin_only"\n  grace_period = "7d"\n  totp {\n    issuer = "Library"\n  }\n}',
});
