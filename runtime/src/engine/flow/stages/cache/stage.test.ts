import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import type { Storage } from '../../../../foundation/contracts/storage.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { serve } from '../../../plan/testing/service.ts';
import { RemoteStorage } from '../../testing/remote-storage.ts';
import { encodingOf } from './encoding.ts';

const flow = (cache: string, rest = '', operation = 'GET /things/:id') => `flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  cache {
    storage = "memory"
    ${cache}
  }
  to {
    connector = "db"
    target    = "things"
  }
  ${rest}
}
flow "change" {
  from {
    connector = "api"
    operation = "PUT /things/:id"
  }
  to {
    connector = "db"
    target    = "things"
  }
  after {
    invalidate {
      storage  = "memory"
      keys     = ["thing:\${input.id}"]
      patterns = ["list:\${input.id}:*"]
    }
  }
}`;
const signedIn = (user_id: string): { readonly auth: Auth } => ({
  auth: { authenticated: true, user_id, email: '', roles: [], claims: {} },
});
let count = 0;
const counting = () => ({ rows: [{ count: ++count }] });
const path = { addressed: ['id'] };

describe('a cached flow', () => {
  test('asks once for each key, including the status, and answers without waiting', async () => {
    const service = await serve(
      flow('key = "thing:${input.id}"', 'response {\n http_status_code = "203"\n count = "output.count"\n }'),
      {
        answer: counting,
      },
    );
    const first = service.deliver('f', { id: '1' }, path);
    expect(first).toMatchObject({ status: 203 });
    expect(service.deliver('f', { id: '1' }, path)).toMatchObject(first);
    expect(service.deliver('f', { id: '2' }, path)).not.toMatchObject(first);
    expect(service.calls).toHaveLength(2);
    expect(service.events.filter(([event]) => event === 'cache')).toEqual([
      ['cache', 'memory', 'miss'],
      ['cache', 'memory', 'hit'],
      ['cache', 'memory', 'miss'],
    ]);
  });

  test('S-89: no value of a template crosses a separator or becomes a wildcard', async () => {
    const service = await serve(flow('key = "user:${input.a}:${input.b}"'), { answer: counting });
    const ask = (a: string, b: string) => (service.deliver('f', { a, b }) as { value: unknown }).value;
    const answers = [
      ask('1', 'admin:x'),
      ask('1:admin', 'x'),
      ask('1%3Aadmin', 'x'),
      ask('*', 'x'),
      ask('', '1'),
      ask('1', ''),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(6);
  });

  test('S-89: without a key, callers and parameters have entries of their own', async () => {
    const service = await serve(flow(''), { answer: counting });
    const ask = (input: Record<string, unknown>, message = {}) =>
      JSON.stringify((service.deliver('f', input, message) as { value: unknown }).value);
    const first = ask({ id: '1', headers: { a: '1' } });
    expect(ask({ id: '1', headers: { a: '2' } })).toBe(first);
    const others = [
      ask({ id: '1' }, signedIn('u1')),
      ask({ id: '1' }, signedIn('u2')),
      ask({ id: 1 }),
      ask({ id: '1', x: { b: 1, a: [2] } }),
      ask({ id: '1:x=' }),
    ];
    expect(new Set([first, ...others]).size).toBe(6);
    expect(ask({ x: { a: [2], b: 1 }, id: '1' })).toBe(others[3]);
  });

  test('without a key, nothing is kept under another spelling of a UUID', async () => {
    const service = await serve(flow(''), { answer: counting });
    const id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
    const answers = [id, id, id.toUpperCase(), id.toUpperCase(), id].map((each) => service.deliver('f', { id: each }));
    const [kept, again, other, another, last] = answers;
    expect([again, last]).toEqual([kept, kept]);
    expect(new Set([kept, other, another].map((answer) => JSON.stringify(answer))).size).toBe(3);
  });

  test('S-96: a key that cannot be determined fails the request', async () => {
    const service = await serve(flow('key_from = "input.key"'), { answer: counting });
    expect(() => service.deliver('f', {})).toThrow('cache: key_from: no such key: key');
    expect(() => service.deliver('f', { key: 5 })).toThrow('flow "f": cache.key_from must give a text, not a number');
    expect(() => service.deliver('f', { key: '' })).toThrow(
      'flow "f": cache.key_from must give a text, not an empty text',
    );
    expect(service.deliver('f', { key: 'k' })).toMatchObject({ kind: 'reply' });
  });

  test.each([
    ['holds a list', { list: [1] }],
    ['has no path', {}],
  ])('is not cached when the key %s: counted every time and logged once', async (_title, input) => {
    const service = await serve(flow('key = "k:${input.list}"'), { answer: counting });
    const [first, second] = [service.deliver('f', input), service.deliver('f', input)];
    expect([first, second]).toMatchObject([{ kind: 'reply' }, { kind: 'reply' }]);
    expect(service.calls).toHaveLength(2);
    expect(service.events.filter(([event]) => event === 'cache')).toEqual([
      ['cache', 'memory', 'key_error'],
      ['cache', 'memory', 'key_error'],
    ]);
    expect(service.log.map(({ level }) => level)).toEqual(['warn']);
  });

  test('keeps no failures, and nothing of writes', async () => {
    let fails = true;
    const service = await serve(flow('key = "k"', 'error_handling {\n error_response { status = 503 }\n }'), {
      answer: () => {
        if (fails) throw new Error('away');
        return { rows: [] };
      },
    });
    expect(service.deliver('f')).toMatchObject({ status: 503 });
    fails = false;
    expect(service.deliver('f')).toMatchObject({ value: [], status: undefined });
    const write = await serve(flow('key = "k"', '', 'POST /x'));
    write.deliver('f', { n: 1 });
    write.deliver('f', { n: 1 });
    expect(write.calls).toHaveLength(2);
  });

  test('counts an entry that cannot be read as missing, and adds the prefix to every key', async () => {
    const other = flow('key = "k"', '').replace('flow "f"', 'flow "packed"').split('flow "change"')[0] ?? '';
    const service = await serve(
      `cache "packed" {
  storage  = "memory"
  prefix   = "p"
  encoding = ["json", "gzip"]
}
${flow('key = "p:k"')}
${other.replace('cache {\n    storage = "memory"', 'cache {\n    use = cache.packed')}`,
      { answer: counting },
    );
    const first = service.deliver('f');
    expect(service.deliver('packed')).not.toEqual(first);
    expect(service.deliver('packed')).toEqual(service.deliver('packed'));
    expect(service.events.filter(([event]) => event === 'cache').map(([, , what]) => what)).toEqual([
      'miss',
      'decode_error',
      'hit',
      'hit',
    ]);
    expect(service.log).toMatchObject([{ level: 'warn', fields: { flow: 'packed', cache: 'memory', key: 'p:k' } }]);
  });

  test('is dropped after a successful write, and no data widens what is dropped', async () => {
    const service = await serve(flow('key = "thing:${input.id}"'), { answer: counting });
    for (const id of ['1', '2', '*']) service.deliver('f', { id }, path);
    expect(service.calls).toHaveLength(3);
    await service.deliver('change', { id: '*', n: 1 }, path);
    for (const id of ['1', '2', '*']) service.deliver('f', { id }, path);
    expect(service.calls).toHaveLength(5);
    await service.deliver('change', { id: '1', n: 1 }, path);
    for (const id of ['1', '2', '*']) service.deliver('f', { id }, path);
    expect(service.calls).toHaveLength(7);
  });
});

describe('S-96: a flow continues without an unavailable cache, as documented', () => {
  const away = () => {
    throw new Failure('store_unavailable', 'connection refused');
  };
  const late = async () => away();
  const storeOf = (call: () => never | Promise<never>): Storage => ({
    get: call,
    set: call,
    delete: call,
    has: call,
    remaining: call,
    add: call,
    setIfAbsent: call,
    replace: call,
    deleteIf: call,
    deleteMatching: call,
    processLocal: false,
  });
  test.each([
    ['at once', storeOf(away)],
    ['late', storeOf(late)],
  ])('%s', async (_title, storage: Storage) => {
    const service = await serve(flow('key = "thing:${input.id}"'), { answer: counting, storage });
    expect(await service.deliver('f', { id: '1' }, path)).toMatchObject({ kind: 'reply' });
    expect(await service.deliver('change', { id: '1', n: 1 }, path)).toMatchObject({ kind: 'reply' });
    expect(service.log.map(({ level, fields }) => [level, fields['code']])).toEqual(
      Array.from({ length: 4 }, () => ['warn', 'store_unavailable']),
    );
    expect(service.events.filter(([event]) => event === 'cache' || event === 'invalidateFailed')).toEqual([
      ['cache', 'memory', 'miss'],
      ['invalidateFailed', 'memory', 'keys'],
      ['invalidateFailed', 'memory', 'patterns'],
    ]);
  });
});

describe('invalidate_on', () => {
  const writer = (name: string, operation: string) => `flow "${name}" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  to {
    connector = "db"
    target    = "things"
  }
}`;
  const answers = () => ({ affected: 1 });

  test.each([
    ['"things.updated:${input.id}"', 'thing:${input.id}:${input.part}', ['1/a', '1/b']],
    ['"change"', 'thing:${input.id}:${input.part}', ['1/a', '1/b', '2/a']],
    ['"*.deleted"', 'thing:${input.id}:${input.part}', []],
    ['"things.*:${input.id}"', undefined, ['1/a', '1/b', '2/a']],
  ])('%s drops what was written', async (pattern, key, dropped) => {
    const cache = `invalidate_on = [${pattern}]${key === undefined ? '' : `\n    key = "${key}"`}`;
    const [cached] = flow(cache).split('flow "change"');
    const service = await serve(`${cached}${writer('change', 'PUT /things/:id')}`, {
      answer: ({ description }) => (description.verb === 'read' ? counting() : answers()),
    });
    const all = ['1/a', '1/b', '2/a'];
    const ask = (each: string) => {
      const [id, part] = each.split('/');
      return JSON.stringify(service.deliver('f', { id, part }, path));
    };
    const before = new Map(all.map((each) => [each, ask(each)]));
    service.deliver('change', { id: '1', n: 1 }, path);
    expect(all.filter((each) => ask(each) !== before.get(each))).toEqual(dropped);
  });

  test('never drops more because of what a message holds', async () => {
    const [cached] = flow('key = "thing:${input.id}"\n    invalidate_on = ["things.updated:${input.id}"]').split(
      'flow "change"',
    );
    const service = await serve(`${cached}${writer('change', 'PUT /things/:id')}`, {
      answer: ({ description }) => (description.verb === 'read' ? counting() : answers()),
    });
    const ask = (id: string) => JSON.stringify(service.deliver('f', { id }, path));
    const before = ask('1');
    for (const id of ['*', '1:2', '[1]', '?', '\\1']) service.deliver('change', { id, n: 1 }, path);
    expect(ask('1')).toBe(before);
    service.deliver('change', { id: '1', n: 1 }, path);
    expect(ask('1')).not.toBe(before);
  });
});

describe('after.invalidate', () => {
  const after = (lines: string) => `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  to {
    connector = "db"
    target    = "t"
  }
  after {
    invalidate {
      storage = "memory"
      ${lines}
    }
  }
}`;
  test('S-96: fails the request when the keys cannot be determined, and counts it', async () => {
    const service = await serve(after('keys_from = "[output.id, 5]"'), { answer: () => ({ affected: 1, id: 'k' }) });
    expect(() => service.deliver('f', { n: 1 })).toThrow(
      'after.invalidate: keys_from must give a list of texts, not a list of other things',
    );
    expect(service.events.filter(([event]) => event === 'invalidateFailed')).toEqual([
      ['invalidateFailed', 'memory', 'keys_from'],
    ]);
  });

  const fill = (storage: Storage) => Promise.all(['a', 'b', 'c:1'].map((key) => storage.set(key, 'x', 60_000)));
  const left = async (storage: Storage) =>
    (await Promise.all(['a', 'b', 'c:1'].map((key) => storage.get(key)))).map((text) => text !== undefined);

  test('one key that cannot be determined is skipped and logged, the others are dropped, and the write has succeeded', async () => {
    const storage = new RemoteStorage();
    await fill(storage);
    const lines = 'keys = ["${input.none}", "${input.list}", "a"]\n      patterns = ["${output.none}:*", "c:*"]';
    const service = await serve(after(lines), { answer: () => ({ affected: 1, id: 'k' }), storage });
    expect(await service.deliver('f', { list: [1] })).toMatchObject({ kind: 'reply', value: { affected: 1n } });
    expect(await left(storage)).toEqual([false, true, false]);
    expect(service.events.filter(([event]) => event === 'invalidateFailed')).toEqual([
      ['invalidateFailed', 'memory', 'keys'],
      ['invalidateFailed', 'memory', 'keys'],
      ['invalidateFailed', 'memory', 'patterns'],
    ]);
    expect(service.log.map(({ level, message }) => [level, message])).toEqual(
      Array.from({ length: 3 }, () => ['warn', 'cache entries to drop cannot be determined']),
    );
  });

  test('keys_from that cannot be determined fails once the rest is dropped, and nothing is written again', async () => {
    const storage = new RemoteStorage();
    await fill(storage);
    const configuration = after('keys = ["a"]\n      keys_from = "[5]"\n      patterns = ["c:*"]').replace(
      /}$/,
      'error_handling {\n retry {\n attempts = 3\n delay = "1ms"\n }\n }\n}',
    );
    const service = await serve(configuration, { storage });
    await expect(service.deliver('f', { n: 1 })).rejects.toMatchObject({ code: 'expression_failed', retriable: false });
    expect(await left(storage)).toEqual([false, true, false]);
    expect(service.calls).toHaveLength(1);
  });
});

describe('an encoding', () => {
  const stored = { value: { n: 12345678901234567890n, list: [1, 'ä', null], big: 5n }, status: 201 };
  const read = { value: { n: '12345678901234567890', list: [1, 'ä', null], big: 5 }, status: 201 };

  test.each([
    [['json']],
    [['json', 'base64']],
    [['json', 'gzip']],
    [['json', 'gzip', 'base64']],
    [['json', 'base64', 'gzip']],
  ] as const)('reads what it wrote: %j', (chain) => {
    const encoding = encodingOf(chain);
    expect(encoding.decode(encoding.encode(stored))).toEqual(read);
    expect(encoding.decode(encoding.encode({ value: null, status: undefined }))).toEqual({
      value: null,
      status: undefined,
    });
  });

  test('refuses what it did not write, and entries that unpack to too much', async () => {
    expect(() => encodingOf(['json']).decode('{')).toThrow();
    expect(() => encodingOf(['json', 'gzip']).decode('not packed')).toThrow();
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024)).toString('base64');
    expect(() => encodingOf(['json', 'gzip']).decode(bomb.slice(0, 4_000))).toThrow();
    await expect(encodingOf(['json', 'gzip']).decode(bomb)).rejects.toThrow();
    await expect(encodingOf(['json']).decode(`[${'x'.repeat(300_000)}]`)).rejects.toThrow();
  });

  test.each([[['json']], [['json', 'gzip']], [['json', 'base64', 'gzip']]] as const)(
    'gives a long entry to another thread, and the same value: %j',
    async (chain) => {
      const rows = Array.from({ length: 6_000 }, (_, id) => ({
        id,
        name: `name ${randomUUID()}`,
        far: 2 ** 53 + id * 2,
      }));
      const long = { value: { rows, largest: 1e20, exact: 2n ** 60n }, status: 201 };
      const encoding = encodingOf(chain);
      const decoded = encoding.decode(encoding.encode(long));
      expect(decoded).toBeInstanceOf(Promise);
      expect(await decoded).toEqual({ value: { rows, largest: 1e20, exact: String(2n ** 60n) }, status: 201 });
    },
  );
});

describe('messages that miss the same entry at once', () => {
  const slow = () => {
    const waiting: { resolve: (name: string) => void; reject: (error: Failure) => void }[] = [];
    const answer = () =>
      new Promise<{ rows: { name: string }[] }>((resolve, reject) => {
        waiting.push({ resolve: (name) => resolve({ rows: [{ name }] }), reject });
      });
    return { waiting, answer };
  };
  const reply = (name: string) => ({ kind: 'reply', value: [{ name }] });

  test('X-12: ask once, and all of them get the answer', async () => {
    const { waiting, answer } = slow();
    const service = await serve(flow('key = "thing:${input.id}"'), { answer });
    const all = Array.from({ length: 500 }, () => service.deliver('f', { id: '1' }, path));
    const other = service.deliver('f', { id: '2' }, path);
    expect(waiting).toHaveLength(2);
    for (const { resolve } of waiting) resolve('Anvil');
    for (const outcome of await Promise.all([...all, other])) expect(outcome).toMatchObject(reply('Anvil'));
    expect(
      service.events
        .filter(([event]) => event === 'cache')
        .map(([, , event]) => event)
        .sort(),
    ).toEqual([...Array.from({ length: 499 }, () => 'hit'), 'miss', 'miss']);
    expect(service.deliver('f', { id: '1' }, path)).toMatchObject(reply('Anvil'));
  });

  test('fail together, and the next one asks again', async () => {
    const { waiting, answer } = slow();
    const service = await serve(flow('key = "thing:${input.id}"'), { answer });
    const all = Array.from({ length: 3 }, () => service.deliver('f', { id: '1' }, path));
    waiting[0]?.reject(new Failure('connector_refused', 'no response'));
    const settled = await Promise.allSettled(all);
    expect(settled.map((each) => each.status === 'rejected' && (each.reason as Failure).message)).toEqual(
      Array.from({ length: 3 }, () => 'no response'),
    );
    void service.deliver('f', { id: '1' }, path);
    expect(waiting).toHaveLength(2);
  });

  test('do not fail because the first one has disconnected', async () => {
    const { waiting, answer } = slow();
    const service = await serve(flow('key = "thing:${input.id}"'), { answer });
    const [first, second, third] = Array.from({ length: 3 }, () => service.deliver('f', { id: '1' }, path));
    waiting[0]?.reject(new Failure('cancelled', 'the caller went away'));
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.resolve('Anvil');
    expect(await Promise.all([second, third])).toMatchObject([reply('Anvil'), reply('Anvil')]);
  });
});
