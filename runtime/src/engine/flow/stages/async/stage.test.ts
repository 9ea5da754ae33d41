import { describe, expect, test } from 'vitest';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import type { Reply } from '../../../../foundation/contracts/outcome.ts';
import type { FlowProbe } from '../../../../foundation/contracts/probe.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { type Answer, messageOf, serve, type TestOptions } from '../../../plan/testing/service.ts';
import { RemoteStorage } from '../../testing/remote-storage.ts';
import { type JobPlace, jobReader } from './reader.ts';

const flow = (more = '') => `type "order" {
  total = number
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /orders"
    filter    = "input.total > 0.0"
  }
  validate {
    input = "order"
  }
  async {
    storage = "memory"
    ttl     = "2h"
  }
  to {
    connector = "db"
    target    = "orders"
  }
  ${more}
}`;
const caller = (user_id: string): { readonly auth: Auth } => ({
  auth: { authenticated: user_id !== '', user_id, email: '', roles: [], claims: {} },
});

async function started(configuration = flow(), options: Omit<TestOptions, 'storage'> = {}) {
  const storage = new RemoteStorage(options.clock);
  const service = await serve(configuration, { ...options, storage });
  const read = jobReader(new Map<string, JobPlace>([['f', { storage, ttl: 7_200_000 }]]));
  return {
    storage,
    service,
    send: async (total: unknown = 1, user = '') =>
      (await service.deliver('f', { total }, caller(user))) as Reply & { readonly value: { readonly job_id: string } },
    ask: async (job_id: unknown, user = '') => ((await read(messageOf({ job_id }, caller(user)))) as Reply).value,
  };
}
const held = () => {
  let release = (): void => undefined;
  const over = new Promise<void>((resolve) => (release = resolve));
  return { over, release: () => release() };
};
const down: Answer = () => {
  throw new Failure('connector_refused', 'no response from db.internal');
};

describe('a flow with async', () => {
  test('answers 202 with the id of a job before anything is done, and its record has the result', async () => {
    const { over, release } = held();
    const { service, send, ask, storage } = await started(undefined, {
      answer: () => over.then(() => ({ affected: 1, id: 9 })),
    });
    const { value, status } = await send();
    expect([status, value, service.calls.length]).toEqual([
      202,
      { job_id: expect.stringMatching(/^[0-9a-f]{32}$/), status: 'pending' },
      0,
    ]);
    const { job_id } = value;
    expect([await ask(job_id), storage.turns[0]]).toEqual([
      { job_id, flow: 'f', status: 'pending' },
      ['setIfAbsent', 'setIfAbsent'],
    ]);
    release();
    await service.background();
    expect(await ask(job_id)).toEqual({ job_id, flow: 'f', status: 'completed', result: { id: 9, affected: 1 } });
    expect(storage.entries.get(`job-work:${job_id}`)).toBe(undefined);
  });

  test('refuses and drops before it answers', async () => {
    const { service, send } = await started();
    expect(await send(0)).toMatchObject({ kind: 'drop', reason: 'filter' });
    await expect(send('much')).rejects.toMatchObject({ code: 'expression_failed' });
    await expect(service.deliver('f', { total: 1.5, other: 1 })).resolves.toMatchObject({ status: 202 });
    const strict = await started(flow().replace('filter    = "input.total > 0.0"', ''));
    await expect(strict.send('much')).rejects.toMatchObject({ code: 'input_invalid' });
  });

  test('retries in the background, and counts the message once, when it has ended', async () => {
    let fails = 1;
    const { service, send, ask } = await started(
      flow('error_handling {\n    retry {\n      attempts = 2\n      delay    = "0s"\n    }\n  }'),
      {
        answer: (call) => {
          if (fails-- > 0) return down(call);
          return { affected: 1 };
        },
      },
    );
    const { job_id } = (await send()).value;
    expect(service.events).toEqual([['started', 'f']]);
    await service.background();
    expect((await ask(job_id)) as object).toMatchObject({ status: 'completed' });
    await expect
      .poll(() => service.events.filter(([kind]) => kind !== 'call'))
      .toEqual([
        ['started', 'f'],
        ['finished', 'f', 'success', undefined],
      ]);
  });

  test.each([
    [false, 'no response from db.internal'],
    [true, 'Internal Server Error'],
  ])('a failure is shown, in production (%s) as far as callers may read it', async (production, error) => {
    const { service, send, ask } = await started(undefined, { answer: down, production });
    const { job_id } = (await send()).value;
    await service.background();
    expect(await ask(job_id)).toEqual({ job_id, flow: 'f', status: 'failed', error });
    await expect
      .poll(() => service.events.at(-1))
      .toEqual(['finished', 'f', 'error', expect.objectContaining({ code: 'connector_refused' })]);
  });

  test('a message that is dropped later completes with the answer that its caller would have got', async () => {
    const { service, send, ask } = await started(
      flow('dedupe {\n    cache = "memory"\n    key = "1"\n    fingerprint {\n      total = "input.total"\n    }\n  }'),
    );
    await send();
    await service.background();
    const { job_id } = (await send()).value;
    await service.background();
    expect(await ask(job_id)).toMatchObject({
      status: 'completed',
      result: { status: 'dropped', reason: 'dedupe_match' },
    });
  });

  test('continues when its caller disconnects', async () => {
    const gone = new AbortController();
    const { over, release } = held();
    const { service, ask } = await started(undefined, { answer: () => over.then(() => ({ affected: 1 })) });
    const outcome = await service.deliver(
      'f',
      { total: 1 },
      { signal: () => gone.signal, cancelled: () => gone.signal.aborted },
    );
    gone.abort();
    release();
    await service.background();
    expect(await ask(((outcome as Reply).value as { job_id: string }).job_id)).toMatchObject({ status: 'completed' });
  });

  test('is one thread to observers, from its request to its end', async () => {
    const events: unknown[] = [];
    const probe: FlowProbe = {
      attached: true,
      begin: () => 'thread',
      enter: (thread, { stage }) => void events.push([thread, stage]),
      leave: () => undefined,
      end: (thread, error, output) => void events.push([thread, 'end', error, output]),
    };
    const { service, send } = await started(undefined, { probe });
    await send();
    expect(events.at(-1)).toEqual(['thread', 'async']);
    await service.background();
    await expect.poll(() => events.at(-1)).toEqual(['thread', 'end', undefined, { affected: 1 }]);
    expect(events).toContainEqual(['thread', 'write']);
  });
});

describe('the record of a job', () => {
  test('is unknown for an invalid id, for a job that never existed, and for one that has expired', async () => {
    const clock = new ManualClock();
    const { service, send, ask } = await started(undefined, { clock });
    const { job_id } = (await send()).value;
    await service.background();
    await clock.pass(7_200_000 - 1);
    expect(await ask(job_id)).toMatchObject({ status: 'completed' });
    await clock.pass(1);
    for (const id of [job_id, 'f'.repeat(32), '*', undefined, ['a']])
      await expect(ask(id)).rejects.toMatchObject({ code: 'not_found', message: 'job not found' });
  });

  test('that takes longer than its record is kept is pending until it ends', async () => {
    const clock = new ManualClock();
    const { over, release } = held();
    const { service, send, ask } = await started(flow().replace('"2h"', '"5s"'), {
      clock,
      answer: () => over.then(() => ({ affected: 1 })),
    });
    const { job_id } = (await send(1, 'ann')).value;
    await expect.poll(() => service.calls.length).toBe(1);
    for (let passed = 0; passed < 60_000; passed += 10_000) await clock.pass(10_000);
    expect(await ask(job_id, 'ann')).toEqual({ job_id, flow: 'f', status: 'pending' });
    await expect(ask(job_id, 'bob')).rejects.toMatchObject({ code: 'not_found' });
    release();
    await service.background();
    expect(await ask(job_id, 'ann')).toMatchObject({ status: 'completed', result: { affected: 1 } });
    await clock.pass(5_000);
    await expect(ask(job_id, 'ann')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of an identified caller is for that caller alone', async () => {
    const { service, send, ask } = await started();
    const { job_id } = (await send(1, 'ann')).value;
    await service.background();
    expect(await ask(job_id, 'ann')).toEqual({ job_id, flow: 'f', status: 'completed', result: { affected: 1 } });
    for (const other of ['bob', '']) await expect(ask(job_id, other)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('whose process died is failed: interrupted from the end of its reservation on, and stays so', async () => {
    const clock = new ManualClock();
    const { over, release } = held();
    const { service, send, ask, storage } = await started(undefined, {
      clock,
      answer: () => over.then(() => ({ affected: 1 })),
    });
    const { job_id } = (await send()).value;
    await expect.poll(() => service.calls.length).toBe(1);
    for (let passed = 0; passed < 60_000; passed += 10_000) await clock.pass(10_000);
    expect(await ask(job_id)).toMatchObject({ status: 'pending' });
    storage.isUnavailable = (operation, key) => operation === 'replace' && key.startsWith('job-work');
    for (let passed = 0; passed < 30_000; passed += 10_000) await clock.pass(10_000);
    expect([await ask(job_id), await ask(job_id)]).toEqual(
      Array(2).fill({ job_id, flow: 'f', status: 'failed', error: 'interrupted' }),
    );
    release();
    await service.background();
    expect([await ask(job_id), service.log.at(-1)]).toMatchObject([
      { status: 'failed', error: 'interrupted' },
      {
        message: 'a job ended after it had been reported as interrupted',
        fields: { flow: 'f', job: job_id, status: 'completed' },
      },
    ]);
  });
});

describe('S-96: an unavailable store', () => {
  test('refuses the request: no job is begun whose record cannot be stored', async () => {
    const { service, send, storage } = await started();
    storage.isUnavailable = (_operation, key) => key.startsWith('job:');
    await expect(send()).rejects.toMatchObject({ code: 'store_unavailable', at: { flow: 'f', stage: 'async' } });
    await service.background();
    expect(service.calls).toEqual([]);
  });

  test('when the job ends, gets the result when it is back', async () => {
    const clock = new ManualClock();
    const { service, send, ask, storage } = await started(undefined, { clock });
    const { job_id } = (await send()).value;
    storage.isUnavailable = (operation) => operation === 'replace';
    for (let passed = 0; passed < 5000; passed += 500) await clock.pass(500);
    expect(await ask(job_id)).toMatchObject({ status: 'pending' });
    storage.isUnavailable = () => false;
    for (let passed = 0; passed < 2000; passed += 500) await clock.pass(500);
    await service.background();
    expect(await ask(job_id)).toMatchObject({ status: 'completed' });
  });

  test('for too long, is logged', async () => {
    const clock = new ManualClock();
    const { service, send, storage } = await started(undefined, { clock });
    await send();
    storage.isUnavailable = (operation) => operation === 'replace';
    for (let passed = 0; passed < 32_000; passed += 500) await clock.pass(500);
    await service.background();
    expect(service.log.at(-1)?.message).toBe('the result of a job cannot be stored');
  });

  test('when a caller asks, is reported', async () => {
    const { send, ask, storage } = await started();
    const { job_id } = (await send()).value;
    storage.isUnavailable = () => true;
    await expect(ask(job_id)).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
