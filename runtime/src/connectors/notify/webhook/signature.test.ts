import { sign } from '@octokit/webhooks-methods';
import { describe, expect, test } from 'vitest';
import { signatureOf, signatureProblem } from './signature.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const seconds = String(now / 1_000);
const rules = { algorithm: 'hmac-sha256', secret: 'kept-secret', tolerance: 300_000 } as const;
const body = Buffer.from('{"a":1}');
const alone = signatureOf('hmac-sha256', rules.secret, undefined, body);
const timed = signatureOf('hmac-sha256', rules.secret, seconds, body);
const late = String(now / 1_000 - 600);

const problemOf = (signature: string | undefined, timestamp?: string, sent = body, own = rules) =>
  signatureProblem({ signature, timestamp, body: sent }, own, now);

describe('S-78 S-96: a signature', () => {
  test('is that of another maker of webhooks', async () => {
    expect(problemOf(await sign(rules.secret, body.toString()))).toBe(undefined);
  });

  test.each([
    ['of the body alone', alone, undefined],
    ['in capital letters', alone.toUpperCase(), undefined],
    ['with its algorithm', `sha256=${alone}`, undefined],
    ['of time and body', timed, seconds],
    ['of time and body, with its algorithm', `sha256=${timed}`, seconds],
    ['of a body alone whose sender says the time too', alone, seconds],
    ['with its time', `t=${seconds},v1=${timed}`, undefined],
    ['with its time, beside that of another secret', `t=${seconds},v1=${'0'.repeat(64)},v1=${timed},v0=x`, undefined],
    [
      'whose time is a date',
      signatureOf('hmac-sha256', rules.secret, '2026-01-01T00:00:01Z', body),
      '2026-01-01T00:00:01Z',
    ],
  ])('%s is taken', (_, signature, timestamp) => expect(problemOf(signature, timestamp)).toBe(undefined));

  const other = 'its signature is that of another secret or another body';
  const malformed = 'its signature is malformed';
  const tooFar = 'its timestamp is too far from now';
  test.each([
    ['that is missing', undefined, undefined, 'it has no signature'],
    ['that is empty', '', undefined, 'it has no signature'],
    ['of another algorithm', `sha1=${alone}`, undefined, malformed],
    ['of no algorithm', 'none', undefined, malformed],
    ['that is cut', alone.slice(0, 62), undefined, other],
    ['that is one character too long', `${alone}0`, undefined, malformed],
    ['of another secret', signatureOf('hmac-sha256', 'other', undefined, body), undefined, other],
    ['of another body', signatureOf('hmac-sha256', rules.secret, undefined, 'x'), undefined, other],
    ['of another time', timed, String(now / 1_000 + 1), other],
    ['whose time was removed', timed, undefined, other],
    ['of ten minutes ago', signatureOf('hmac-sha256', rules.secret, late, body), late, tooFar],
    [
      'of ten minutes ago, with its time',
      `t=${late},v1=${signatureOf('hmac-sha256', rules.secret, late, body)}`,
      undefined,
      tooFar,
    ],
    [
      'of ten minutes ago, whose header says now',
      `t=${late},v1=${signatureOf('hmac-sha256', rules.secret, late, body)}`,
      seconds,
      tooFar,
    ],
    ['of the body alone in the spelling with a time', `t=${seconds},v1=${alone}`, undefined, other],
    ['whose time is a word', timed, 'soon', 'its timestamp is malformed'],
    ['whose time is a date that does not exist', timed, '2026-13-45T99:00:00Z', 'its timestamp is malformed'],
    ['that is huge', `v1=${'a'.repeat(100_000)}`, undefined, malformed],
    ['with a thousand signatures', `t=${seconds},${'v1=00,'.repeat(1_000)}`, undefined, malformed],
  ])('%s is refused', (_, signature, timestamp, problem) => expect(problemOf(signature, timestamp)).toBe(problem));

  test('of SHA-1 is taken where that is configured', () => {
    const own = { ...rules, algorithm: 'hmac-sha1' } as const;
    const digits = signatureOf('hmac-sha1', rules.secret, undefined, body);
    expect(signatureProblem({ signature: `sha1=${digits}`, timestamp: undefined, body }, own, now)).toBe(undefined);
    expect(signatureProblem({ signature: `sha256=${alone}`, timestamp: undefined, body }, own, now)).toBe(malformed);
  });
});
