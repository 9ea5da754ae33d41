import { expect, test } from 'vitest';
import { challengesOf } from './challenge.ts';
import { DigestSession, strongestOf } from './session.ts';

const realm = 'http-auth@example.org';
const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
const opaque = 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS';
const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
const challenge = (algorithm: string, more = '') =>
  `Digest realm="${realm}", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="${opaque}"${more}`;

function answered(header: string | string[], user = { username: 'Mufasa', password: 'Circle of Life' }) {
  const read = strongestOf(challengesOf(header));
  return read && new DigestSession(read, user, cnonce).authorization('GET', '/dir/index.html');
}

test.each([
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
])('the example of RFC 7616 with %s is answered as it says', (algorithm, response) => {
  expect(answered(challenge(algorithm))).toBe(
    `Digest username="Mufasa", realm="${realm}", uri="/dir/index.html", algorithm=${algorithm}, nonce="${nonce}", ` +
      `nc=00000001, cnonce="${cnonce}", qop=auth, response="${response}", opaque="${opaque}"`,
  );
});

test('S-76: the stronger of several is answered, wherever and in whichever order they are written', () => {
  const both = [challenge('MD5'), challenge('SHA-256')];
  const mixed = `Negotiate YWJj==, ${challenge('MD5')}, Basic realm="a, Digest b", ${challenge('SHA-256')}`;
  for (const header of [both, both.toReversed(), both.join(', '), mixed]) {
    expect(answered(header)).toContain('algorithm=SHA-256');
  }
});

test('what cannot be answered is not a challenge', () => {
  const unanswerable = [
    undefined,
    '',
    'Basic realm="a"',
    challenge('SHA-512-256'),
    `Digest realm="a", nonce="n", algorithm=MD5`,
    `Digest realm="a", nonce="n", qop="auth-int"`,
    `Digest realm="a", qop="auth"`,
    `Digest realm="a", nonce="", qop="auth"`,
    `Digest nonce="n", qop="auth"`,
    `Digest realm="a", nonce="n, qop="auth"`,
    '=,=,="',
    'Digest,Digest,Digest',
  ];
  expect(unanswerable.map((header) => strongestOf(challengesOf(header)))).toEqual(unanswerable.map(() => undefined));
});

test('names, quotes and flags are read in any spelling', () => {
  const header =
    'dIGEST  REALM = "a\\"b\\\\c" ,Nonce=abc, QOP=AUTH, Algorithm=sha-256-SESS, STALE=TRUE, userHash="true"';
  expect(strongestOf(challengesOf(header))).toEqual({
    algorithm: 'SHA-256',
    isSession: true,
    realm: 'a"b\\c',
    nonce: 'abc',
    opaque: undefined,
    userhash: true,
    stale: true,
  });
});

test('a name is sent as a hash where that is asked for, and percent-encoded where it is not ASCII', () => {
  const user = { username: 'Jäsøn Doe', password: 'Secret, or not?' };
  expect(answered(challenge('SHA-256'), user)).toContain("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, ");
  expect(answered(challenge('SHA-256', ', userhash=true'), user)).toMatch(
    /username="[0-9a-f]{64}", .*, userhash=true$/,
  );
  const plain = { username: 'a"b\\c', password: '' };
  expect(answered(challenge('MD5'), plain)).toContain('username="a\\"b\\\\c", ');
});

test('each request has a count of its own', () => {
  const read = strongestOf(challengesOf(challenge('MD5')));
  if (read === undefined) throw new Error('it is a challenge');
  const session = new DigestSession(read, { username: 'u', password: 'p' });
  const counts = Array.from({ length: 17 }, () => /nc=(\w+)/.exec(session.authorization('GET', '/'))?.[1]);
  expect([counts[0], counts[16], new Set(counts).size]).toEqual(['00000001', '00000011', 17]);
});

test('A-06: a header of 64 KiB is read in a time that grows with its length', () => {
  for (const piece of ['a ', 'a=', 'a="', 'Digest ', 'a=b,', ',', '\\"', 'a          ']) {
    expect(challengesOf(piece.repeat(65_536 / piece.length)).length).toBeLessThanOrEqual(40_000);
  }
});
