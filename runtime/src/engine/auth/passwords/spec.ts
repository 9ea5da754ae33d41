import { block, flag, int, lifetime, list, text } from '@svc/protocol/schema';

export const password = block({
  doc: 'What passwords may be, how they are hashed, and how long they last. What is not written has the value of the preset.',
  attributes: {
    min_length: int('Fewest characters (Unicode code points).', { min: 1, max: 1_024 }),
    max_length: int('Most characters (Unicode code points); longer ones are refused before they are hashed.', {
      min: 1,
      max: 1_024,
    }),
    require_upper: flag('A capital letter is required.'),
    require_lower: flag('A small letter is required.'),
    require_number: flag('A digit is required.'),
    require_special: flag('A character is required that is neither letter nor digit.'),
    reject_patterns: list(
      'Passwords that match one are refused: `/…/` is a regular expression, `user.email` the address of the account or what is before its `@` (from four characters), anything else a text in any case.',
      text('Pattern.'),
    ),
    history: int('Refuses the last passwords, the present one among them.', { min: 0, max: 100 }),
    max_age: lifetime('Age at which a password expires. Needs a column `password_changed_at` of a database.', {
      min: 1_000,
    }),
    warn_before: lifetime('Time before its end from which the sign-in says when a password expires.', { min: 0 }),
    breach_check: flag(
      'Refuses passwords that a public list of breached ones has. Five characters of a digest leave the process; a list that cannot be reached lets a password pass, and says so in the log.',
    ),
    breach_url: text('Address of the list; the first five characters of the digest are appended.', {
      pattern: { source: '^https?://', says: 'must start with http:// or https://' },
    }),
    reset_token_ttl: lifetime('How long a link to reset a password is valid.', { default: 3_600_000, min: 1_000 }),
    memory: int('Memory of a hash (argon2id), in KiB.', { min: 19_456, max: 1_048_576 }),
    iterations: int('Passes over the memory (argon2id).', { min: 1, max: 100 }),
    parallelism: int('Lanes (argon2id).', { min: 1, max: 16 }),
    max_concurrent: int(
      'Hashes that are computed at a time; further sign-ins wait. Default: half as many as there are processors.',
      { min: 1, max: 64 },
    ),
    max_waiting: int('Sign-ins that wait for a hash at most; further ones are answered 503.', {
      default: 100,
      min: 1,
      max: 100_000,
    }),
  },
  example: 'password {\n  min_length   = 10\n  breach_check = true\n}',
});
