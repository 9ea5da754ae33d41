import { expect, test } from 'vitest';
import { failureOf } from '../../../testing/asking.ts';
import type { Lack } from '../server.ts';
import type { InUse } from './in-use.ts';

/** Writes, copies, moves and removals under a condition. */
export function conditionsConformance(use: () => Promise<InUse>, lacks: (lack: Lack) => boolean): void {
  const lacksConditions = lacks('conditions of writes and copies');
  const codeOf = async (work: Promise<unknown>) => {
    const { code, kind } = await failureOf(work);
    return [code, kind.status];
  };
  const etagOf = async ({ value }: InUse, key: string) =>
    ((await value('stat', { key })) as { readonly etag: string }).etag;
  const failed = ['precondition_failed', 412];

  test.skipIf(lacksConditions)('if_none_match makes an object, and leaves one that is there as it is', async () => {
    const { value, textOf } = await use();
    await value('write', { key: 'a//b', content: 'first', if_none_match: '*' });
    expect(await codeOf(value('write', { key: 'a//b', content: 'second', if_none_match: '*' }))).toEqual(failed);
    expect(await textOf('a//b')).toBe('first');
  });

  test.skipIf(lacksConditions)('if_match replaces the version that it names, and no other', async () => {
    const used = await use();
    const { value, textOf } = used;
    await value('write', { key: 'a', content: 'first' });
    const first = await etagOf(used, 'a');
    await value('write', { key: 'a', content: 'second', if_match: first });
    expect(await codeOf(value('write', { key: 'a', content: 'third', if_match: first }))).toEqual(failed);
    expect(await codeOf(value('write', { key: 'b', content: 'x', if_match: first }))).toEqual(['not_found', 404]);
    expect(await textOf('a')).toBe('second');
  });

  test.skipIf(!lacksConditions)('a store without conditions of writes is asked once, and writes nothing', async () => {
    const { call, bed } = await use();
    const write = (params: object) => call('write', { key: 'a', content: 'x', ...params });
    for (const condition of [{ if_none_match: '*' }, { if_match: 'x' }]) {
      const { code, retriable, message } = await failureOf(write(condition));
      expect([code, retriable, message]).toEqual([
        'upstream_error',
        false,
        expect.stringMatching(/^the object store has nothing of this kind \(NotImplemented: /),
      ]);
    }
    expect(await bed.names()).toEqual([]);
  });

  test.skipIf(lacks('conditions of uploads in parts'))('an upload in parts has its condition at its end', async () => {
    const used = await use();
    const { value, bed, server } = used;
    const content = Buffer.alloc(server.smallestPart + 1, 'x');
    await value('write', { key: 'a', content, if_none_match: '*' });
    expect(await codeOf(value('write', { key: 'a', content, if_none_match: '*' }))).toEqual(failed);
    await value('write', { key: 'a', content, if_match: await etagOf(used, 'a') });
    expect(await codeOf(value('write', { key: 'a', content, if_match: 'other' }))).toEqual(failed);
    expect(await bed.names()).toEqual(['a']);
  });

  test('a copy and a move leave another object at their destination as it is', async () => {
    const used = await use();
    const { value, bed, textOf } = used;
    await bed.put('a', Buffer.from('of a'));
    await bed.put('b', Buffer.from('of b'));
    const pair = { source: 'a', destination: 'b' };
    for (const operation of ['copy', 'move'])
      for (const condition of [{ if_none_match: '*' }, { if_match: await etagOf(used, 'a') }])
        expect(await codeOf(value(operation, { ...pair, ...condition }))).toEqual(failed);
    const missing = { source: 'a', destination: 'none', if_match: await etagOf(used, 'a') };
    expect(await codeOf(value('copy', missing))).toEqual(['not_found', 404]);
    expect([await bed.names(), await textOf('a'), await textOf('b')]).toEqual([['a', 'b'], 'of a', 'of b']);
  });

  test.skipIf(lacksConditions)('a copy and a move replace the version that is meant', async () => {
    const used = await use();
    const { value, bed, textOf } = used;
    await bed.put('a', Buffer.from('of a'));
    await value('copy', { source: 'a', destination: 'b', if_none_match: '*' });
    await bed.put('a', Buffer.from('more of a'));
    await value('move', { source: 'a', destination: 'b', if_match: await etagOf(used, 'b') });
    expect([await bed.names(), await textOf('b')]).toEqual([['b'], 'more of a']);
  });

  test('delete with if_match removes that version and no other', async () => {
    const used = await use();
    const { value, bed } = used;
    await bed.put('a', Buffer.from('first'));
    const first = await etagOf(used, 'a');
    await bed.put('a', Buffer.from('second'));
    expect(await codeOf(value('delete', { key: 'a', if_match: first }))).toEqual(failed);
    expect(await codeOf(value('delete', { key: 'b', if_match: first }))).toEqual(['not_found', 404]);
    expect(await bed.names()).toEqual(['a']);
    await value('delete', { key: 'a', if_match: await etagOf(used, 'a') });
    expect(await bed.names()).toEqual([]);
  });
}
