import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { knownHost } from './known-hosts.ts';

const [one, two] = [Buffer.from('key one'), Buffer.from('key two')];
const [a, b] = [one.toString('base64'), two.toString('base64')];

function hashed(name: string): string {
  const salt = Buffer.from('01234567890123456789');
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}

test.each([
  ['a name', `files.example.com ssh-ed25519 ${a}`, 22],
  ['a name in capitals', `Files.Example.COM ssh-ed25519 ${a}`, 22],
  ['one of several names', `10.0.0.1,files.example.com ssh-ed25519 ${a} a comment`, 22],
  ['a pattern', `*.example.??m ssh-ed25519 ${a}`, 22],
  ['a port', `[files.example.com]:2222 ssh-ed25519 ${a}`, 2222],
  ['a hashed name', `${hashed('files.example.com')} ssh-ed25519 ${a}`, 22],
  ['a hashed name with a port', `${hashed('[files.example.com]:2222')} ssh-ed25519 ${a}`, 2222],
  ['malformed lines', `# comment\n\nnonsense\n  files.example.com ssh-ed25519 ${a}\r\n`, 22],
])('%s is found', (_, text, port) => {
  const known = knownHost(text, 'files.example.com', port);
  expect([known.types, known.has(one), known.has(two)]).toEqual([['ssh-ed25519'], true, false]);
});

test.each([
  ['another name', `other.example.com ssh-ed25519 ${a}`],
  ['another port', `[files.example.com]:2222 ssh-ed25519 ${a}`],
  ['a name that is taken out', `*.example.com,!files.example.com ssh-ed25519 ${a}`],
  ['an authority', `@cert-authority *.example.com ssh-ed25519 ${a}`],
  ['a comment', `#files.example.com ssh-ed25519 ${a}`],
])('%s is not it', (_, text) => {
  const known = knownHost(text, 'files.example.com', 22);
  expect([known.types, known.has(one)]).toEqual([[], false]);
});

test('all keys of a host are its own, and one that is revoked is refused', () => {
  const text = `h ssh-ed25519 ${a}\nh ssh-rsa ${b}\n@revoked * ssh-rsa ${b}\n`;
  const known = knownHost(text, 'h', 22);
  expect(known.types).toEqual(['ssh-ed25519', 'ssh-rsa']);
  expect([known.has(one), known.isRevoked(one), known.isRevoked(two)]).toEqual([true, false, true]);
});

test('A-06: a pattern of many stars is matched in little time', () => {
  const text = `${'*a'.repeat(5_000)}b ssh-ed25519 ${a}`;
  expect(knownHost(text, 'a'.repeat(10_000), 22).has(one)).toBe(false);
});
