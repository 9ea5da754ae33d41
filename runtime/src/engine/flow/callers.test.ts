import type { BlockSpec } from '@svc/protocol/schema';
import { describe, expect, test } from 'vitest';
import { type Auth, anonymous } from '../../foundation/contracts/message.ts';
import type { Outcome, Reply } from '../../foundation/contracts/outcome.ts';
import { knownBy } from '../../platform/identity/caller.ts';
import { subject, subjectOf } from '../../platform/identity/subject.ts';
import { type Answer, messageOf, serve } from '../plan/testing/service.ts';
import { aspect } from './aspects/spec.ts';
import { flow as flowSpec } from './spec.ts';
import { type JobPlace, jobReader } from './stages/async/reader.ts';
import { RemoteStorage } from './testing/remote-storage.ts';

/** Pairs of callers who share nothing. */
const unrelated: readonly (readonly [string, Auth, Auth])[] = [
  ['two users', subjectOf({ sub: 'ann' }), subjectOf({ sub: 'bob' })],
  ['a subject of two issuers', subjectOf({ sub: 'ann', iss: 'a' }), subjectOf({ sub: 'ann', iss: 'b' })],
  ['a user in two tenants', subjectOf({ sub: 'ann', tenant: 'a' }), subjectOf({ sub: 'ann', tenant: 'b' })],
  ['two keys without a user', knownBy(subject('', {}), 'key a'), knownBy(subject('', {}), 'key b')],
  ['two tokens without a subject', knownBy(subjectOf({ aud: 'x' }), 'token a'), knownBy(subjectOf({ aud: 'x' }), 'b')],
  ['a subject that is not a text', subjectOf({ sub: { id: 1 } }), subjectOf({ sub: { id: 2 } })],
  ['roles of two kinds', subjectOf({ sub: 'ann', roles: ['a'] }), subjectOf({ sub: 'ann', roles: ['b'] })],
  ['a caller and an anonymous one', knownBy(subject('', {}), 'key a'), anonymous],
];
/** One caller with another token of another session. */
const again = [
  subjectOf({ sub: 'ann', iss: 'a', iat: 1, exp: 2, nbf: 1, jti: 'x', sid: 's', session_id: 't' }),
  subjectOf({ sub: 'ann', iss: 'a', iat: 3, exp: 4, nbf: 3, jti: 'y', sid: 'u', session_id: 'v' }),
] as const;

const flow = (stages: string, operation = 'GET /things') => `flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  ${stages}
  transform { tenant = "string(auth.claims.?tenant.orValue('none'))" }
  to {
    connector = "db"
    target    = "things"
  }
}`;
const answersOf = () => {
  let count = 0;
  return (async () => ({ affected: 1, id: ++count, rows: [{ id: count }] })) satisfies Answer;
};
const idOf = (outcome: Outcome) => JSON.stringify((outcome as Reply).value);

/** Whether the second caller got the answer of the first one, sequentially and concurrently. */
async function isShared(configuration: string, [a, b]: readonly [Auth, Auth]): Promise<boolean> {
  const shares = async (first: (auth: Auth) => Promise<string>, atOnce: boolean) => {
    const one = first(a);
    if (!atOnce) await one;
    return (await first(b)) === (await one);
  };
  const results: boolean[] = [];
  for (const atOnce of [false, true]) {
    const service = await serve(configuration, { answer: answersOf() });
    const deliver = async (auth: Auth) => service.deliver('f', { id: '1', n: 1 }, { auth });
    const ask = (auth: Auth) => deliver(auth).then(idOf, (error: Error) => error.message);
    results.push(await shares(ask, atOnce));
  }
  expect(results[0]).toBe(results[1]);
  return results[0] as boolean;
}

async function isJobShared([a, b]: readonly [Auth, Auth]): Promise<boolean> {
  const storage = new RemoteStorage();
  const service = await serve(flow('async { storage = "memory" }', 'POST /things'), { answer: answersOf(), storage });
  const { value } = (await service.deliver('f', { n: 1 }, { auth: a })) as Reply & { value: { job_id: string } };
  await service.background();
  const read = jobReader(new Map<string, JobPlace>([['f', { storage, ttl: 60_000 }]]));
  return Promise.resolve(read(messageOf({ job_id: value.job_id }, { auth: b }))).then(
    () => true,
    () => false,
  );
}

type Shares = (callers: readonly [Auth, Auth]) => Promise<boolean>;
const post =
  (stages: string): Shares =>
  (callers) =>
    isShared(flow(stages, 'POST /things'), callers);

/** What keeps answers for callers: the same caller gets them again, and no other one. */
const keeps: Readonly<Record<string, Shares>> = {
  cache: (callers) => isShared(flow('cache { storage = "memory" }').replace(/ {2}transform .*\n/, ''), callers),
  async: isJobShared,
  idempotency: post('idempotency {\n storage = "memory"\n key = "\'k\'"\n }'),
};
/** What keeps state about objects and names: every caller gets an answer of its own. */
const guards: Readonly<Record<string, Shares>> = {
  lock: post('lock { key = "k" }'),
  semaphore: post('semaphore {\n key = "k"\n max_permits = 1\n }'),
  coordinate: post('coordinate {\n signal {\n when = "true"\n emit = "\'k\'"\n }\n storage { driver = "memory" }\n }'),
  sequence_guard: post(
    'sequence_guard {\n key = "k"\n sequence = "input.n"\n on_older = "reject"\n storage { driver = "memory" }\n }',
  ),
  after: post('after {\n invalidate {\n storage = "memory"\n keys = ["k"]\n }\n }'),
};

/** Whether a block names a store. */
function isKeeping({ attributes = {}, blocks = {} }: BlockSpec): boolean {
  if ('storage' in attributes || 'cache' in attributes || 'storage' in blocks) return true;
  return Object.values(blocks).some(isKeeping);
}

describe('what is kept for one caller', () => {
  test('every stage that keeps something has its row in these tables', () => {
    const kept = Object.entries(flowSpec.blocks ?? {}).filter(([, block]) => isKeeping(block as BlockSpec));
    // The runs of a schedule have no caller.
    const rows = [...Object.keys(keeps), ...Object.keys(guards), 'dedupe', 'when'];
    expect(kept.map(([name]) => name).sort()).toEqual(rows.sort());
    const surrounding = Object.entries(aspect.blocks ?? {}).filter(([, block]) => isKeeping(block as BlockSpec));
    expect(surrounding.map(([name]) => name)).toEqual(['cache', 'rate_limit', 'invalidate']);
  });

  describe.each(Object.entries(keeps))('%s', (_stage, shares) => {
    test.each(unrelated)('is not shared by %s', async (_title, a, b) => {
      expect(await shares([a, b])).toBe(false);
      // The job of an anonymous caller is shown to every caller that knows its identifier.
      if (shares !== isJobShared || b.authenticated) expect(await shares([b, a])).toBe(false);
    });
    test('is found again by the same caller with another token', async () => {
      expect(await shares(again)).toBe(true);
    });
  });

  test.each(Object.entries(guards))('%s answers every caller separately', async (_stage, shares) => {
    for (const [, a, b] of unrelated) expect(await shares([a, b])).toBe(false);
  });

  test('dedupe treats the writes of two tenants as two contents', async () => {
    const dedupe = 'dedupe {\n cache = "memory"\n key = "input.id"\n fingerprint { tenant = "output.tenant" }\n }';
    const [, a, b] = unrelated[2] as (typeof unrelated)[number];
    expect(await isShared(flow(dedupe, 'POST /things'), [a, b])).toBe(false);
  });

  test('an aspect and a key that read auth.user_id keep nothing for a caller without one', async () => {
    const aspects = 'aspect "a" {\n on = ["f"]\n when = "around"\n cache {\n storage = "memory"\n ttl = "1m"\n';
    const written = [
      flow('cache {\n storage = "memory"\n key = "k:${auth.user_id}"\n }'),
      flow('cache {\n storage = "memory"\n key_from = "\'k:\' + auth.user_id"\n }'),
      `${flow('')}\n${aspects} key = "k:\${auth.user_id}"\n }\n }`,
    ].map((each) => each.replace(/ {2}transform .*\n/, ''));
    const [, a, b] = unrelated[3] as (typeof unrelated)[number];
    for (const each of written) {
      expect(await isShared(each, [a, b])).toBe(false);
      expect(await isShared(each, again)).toBe(true);
    }
  });

  test('scope = "shared" gives every caller the same answer', async () => {
    const shared = flow('cache {\n storage = "memory"\n scope = "shared"\n }').replace(/ {2}transform .*\n/, '');
    for (const [, a, b] of unrelated) expect(await isShared(shared, [a, b])).toBe(true);
  });
});
