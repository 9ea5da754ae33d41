import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Refusal } from '../refusal.ts';
import { equalityOf, pairedTimes } from '../testing/paired-times.ts';
import { isReadableHash, PasswordHashes } from './hash.ts';

const settings = { memory: 1_024, iterations: 2, parallelism: 1, max_concurrent: 2, max_waiting: 100 };
const hashes = new PasswordHashes(settings);
const took: number = expect.any(Number);

describe('new hashes', () => {
  test('are of argon2id, each with a salt of its own', async () => {
    const [one, other] = await Promise.all([hashes.hash('secret 1'), hashes.hash('secret 1')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=1024,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
    expect(await hashes.verify('secret 1', one)).toEqual({ matches: true, outdated: false, took });
    expect(await hashes.verify('secret 2', one)).toEqual({ matches: false, outdated: false, took });
  });

  test.each([
    ['a character at the end', `${'x'.repeat(100)}a`, `${'x'.repeat(100)}b`],
    ['white space around it', ' secret', 'secret'],
    ['a case', 'Secret', 'secret'],
    ['what follows a zero byte', 'secret\u0000a', 'secret\u0000b'],
    ['an accent', 'café', 'cafe'],
  ])('S-21: %s makes another password', async (_, password, other) => {
    const hash = await hashes.hash(password);
    expect((await hashes.verify(password, hash)).matches).toBe(true);
    expect((await hashes.verify(other, hash)).matches).toBe(false);
  });

  test('S-21: another keyboard makes the same password: NFKC', async () => {
    const hash = await hashes.hash('cafe\u0301 \ufb01n');
    for (const typed of ['caf\u00e9 fin', 'cafe\u0301 \ufb01n'])
      expect(await hashes.verify(typed, hash)).toEqual({ matches: true, outdated: false, took });
  });
});

describe('hashes of elsewhere', () => {
  const winner = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

  test('of argon2id with smaller parameters are outdated', async () => {
    expect(await hashes.verify('password', winner)).toEqual({ matches: true, outdated: true, took });
    expect((await hashes.verify('passwore', winner)).matches).toBe(false);
    const old = await new PasswordHashes({ ...settings, iterations: 1 }).hash('secret');
    const better = await new PasswordHashes({ ...settings, iterations: 3, memory: 2_048 }).hash('secret');
    expect(await hashes.verify('secret', old)).toEqual({ matches: true, outdated: true, took });
    expect(await hashes.verify('secret', better)).toEqual({ matches: true, outdated: false, took });
  });

  // Made by libxcrypt, and by hashlib of Python.
  test.each([
    '$2a$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS',
    '$2b$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS',
    '$2y$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS',
    'pbkdf2_sha256$1000$seasalt$DrdiWD40lyBuydnjvZiDrdQMx1S1mOA9O0QYex0R6ww=',
    '$pbkdf2-sha256$1000$....AQIDBAUGBwgJCgsM/w$ofH2OmPoMHznuHf3j0WRKOsQcx6/zqSZ7E2Bop9y31Q',
    '$pbkdf2-sha256$i=1000,l=32$++++AQIDBAUGBwgJCgsM/w$ofH2OmPoMHznuHf3j0WRKOsQcx6/zqSZ7E2Bop9y31Q',
    '$pbkdf2-sha512$1000$....AQIDBAUGBwgJCgsM/w$GLgdZBouqoW8tZFtecajtoRwJ.zxh9H/pjWHvgC8p5N0.Ed9VP8yFQtqEA4EGotRANObrmuOXodrWn5KmN6WHw',
  ])('%s is verified, and outdated', async (stored) => {
    expect(await hashes.verify('correct horse battery', stored)).toEqual({ matches: true, outdated: true, took });
    expect(await hashes.verify('correct horse batterz', stored)).toEqual({ matches: false, outdated: false, took });
    expect(isReadableHash(stored)).toBe(true);
  });

  test('of bcrypt are verified as they were made: of 72 bytes, and of the text as it was typed', async () => {
    const long = '$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i';
    expect((await hashes.verify('x'.repeat(100), long)).matches).toBe(true);
    expect((await hashes.verify('x'.repeat(71), long)).matches).toBe(false);
    const accent = '$2b$04$abcdefghijklmnopqrstuuusvfeYzFuQdqd.KjimlRKkZ2QcoHWhO';
    expect((await hashes.verify('caf\u00e9', accent)).matches).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['a password in plain text', 'secret'],
    ['memory of 4 GiB', winner.replace('m=65536', 'm=4194304')],
    ['too many passes', winner.replace('t=2', 't=101')],
    ['too much of both', winner.replace('m=65536,t=2', 'm=1048576,t=100')],
    ['too many lanes', winner.replace('p=1', 'p=17')],
    ['a number that is not one', winner.replace('t=2', 't=1e9')],
    ['another version', winner.replace('v=19', 'v=16')],
    ['argon2i', winner.replace('argon2id', 'argon2i')],
    ['more behind it', `${winner}$`],
    ['a hash that is cut', winner.slice(0, -30)],
    ['a year of bcrypt', '$2b$31$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS'],
    ['a broken bcrypt', '$2x$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS'],
    ['too many rounds', 'pbkdf2_sha256$9999999$seasalt$DrdiWD40lyBuydnjvZiDrdQMx1S1mOA9O0QYex0R6ww='],
    ['a cut tag', '$pbkdf2-sha512$1000$....AQIDBAUGBwgJCgsM/w$ofH2OmPoMHznuHf3j0WRKOsQcx6/zqSZ7E2Bop9y31Q'],
  ])('%s is never computed, and matches nothing', async (_, stored) => {
    expect(isReadableHash(stored)).toBe(false);
    expect(await hashes.verify('secret', stored)).toEqual({ matches: false, outdated: false, took });
  });
});

describe('the work', () => {
  test('S-22: is the same without a hash', async () => {
    const stored = await hashes.hash('secret');
    const questions = {
      one: () => hashes.verify('wrong', stored),
      other: () => hashes.verify('wrong', undefined),
    };
    await pairedTimes(1, questions);
    expect(await equalityOf(100, questions)).toBeGreaterThan(0.01);
  });

  test('S-21: of a password of 1 MB is not done with it, and matches nothing', async () => {
    const stored = await hashes.hash('');
    expect((await hashes.verify('x'.repeat(1_000_000), stored)).matches).toBe(false);
    expect((await hashes.verify('', stored)).matches).toBe(true);
  });

  test.each([
    ['argon2id', '$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
    ['bcrypt', '$2b$11$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS'],
    ['PBKDF2', 'pbkdf2_sha256$1000000$seasalt$DrdiWD40lyBuydnjvZiDrdQMx1S1mOA9O0QYex0R6ww='],
  ])('P-19: of %s leaves the event loop free', async (_, stored) => {
    await hashes.verify('', '$2b$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS');
    const before = performance.eventLoopUtilization();
    await hashes.verify('secret', stored);
    const { active, idle } = performance.eventLoopUtilization(before);
    expect(active).toBeLessThan(idle);
  });

  test('is done for so many at a time; as many wait, and further ones are refused', async () => {
    const few = new PasswordHashes({ ...settings, max_concurrent: 1, max_waiting: 2 });
    const stored = await few.hash('secret');
    const asked = Array.from({ length: 10 }, () => few.verify('secret', stored).catch((error: unknown) => error));
    expect(few.waiting).toBe(2);
    const answers = await Promise.all(asked);
    const verified = { matches: true, outdated: false, took };
    expect(answers.slice(0, 3)).toEqual([verified, verified, verified]);
    for (const answer of answers.slice(3)) {
      expect(answer).toBeInstanceOf(Refusal);
      expect(answer).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 1_000 });
    }
    expect(await few.verify('secret', stored)).toEqual(verified);
  });

  test('that no caller waits for any more is not done', async () => {
    const one = new PasswordHashes({ ...settings, memory: 65_536, max_concurrent: 1 });
    const gone = new AbortController();
    const first = one.hash('secret');
    const second = one.hash('secret', gone.signal);
    const third = one.hash('secret');
    gone.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(one.waiting).toBe(1);
    await Promise.all([first, third]);
    await expect(one.hash('secret', gone.signal)).rejects.toThrow('gone');
    expect(await until(() => one.waiting === 0)).toBe(true);
  });
});

test('R-29: a history refuses each of its passwords, and no more than are asked for', async () => {
  const history = await Promise.all(['three', 'two', 'one'].map((password) => hashes.hash(password)));
  const found = ['three', 'two', 'one', 'none'].map((password) => hashes.reused(password, history, 2));
  expect(await Promise.all(found)).toEqual([true, true, false, false]);
  expect(await hashes.reused('three', history, 0)).toBe(false);
});
