import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { clockBy } from '../../../../service/running/testing/manual-clock.ts';
import { type Call, serve } from '../../../plan/testing/service.ts';

const flow = (batch: string, rest = '') => `flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }
  batch {
    source = "db"
    query  = "SELECT id FROM old ORDER BY id;"
    ${batch}
  }
  ${rest}
}`;
const to = `to {
      connector = "db"
      target    = "new"
    }`;

/** Answers pages of `count` rows, and writes except those that `fail` refuses. */
function table(count: number, fail: (id: number) => Failure | undefined = () => undefined) {
  const written: number[] = [];
  const answer = ({ description, params, payload }: Call) => {
    if (description.verb === 'read') {
      const { batch_limit: limit, batch_offset: offset } = params as Record<string, bigint>;
      const ids = Array.from({ length: count }, (_, at) => at + 1).slice(
        Number(offset),
        Number(offset) + Number(limit),
      );
      return { rows: ids.map((id) => ({ id })) };
    }
    const id = Number(payload?.['id']);
    const failure = fail(id);
    if (failure) throw failure;
    written.push(id);
    return { affected: 1, id };
  };
  return { answer, written };
}

const refused = new Failure('constraint_violated', 'the row exists already');
const lost = new Failure('connector_refused', 'no response');

describe('a batch', () => {
  test('R-95: reads page by page, writes every row in order and counts exactly', async () => {
    const { answer, written } = table(7);
    const service = await serve(flow(`chunk_size = 3\n    ${to}`), { answer });
    expect(await service.deliver('copy')).toMatchObject({
      kind: 'reply',
      value: { processed: 7, failed: 0, chunks: 3, errors: [] },
    });
    expect(written).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const pages = service.calls.filter(({ description }) => description.verb === 'read');
    expect(pages.map(({ description, params }) => [description.query, { ...params }])).toEqual(
      [0n, 3n, 6n].map((offset) => [
        'SELECT id FROM old ORDER BY id\nLIMIT :batch_limit OFFSET :batch_offset',
        { batch_limit: 3n, batch_offset: offset },
      ]),
    );
    expect(pages.map(({ description, after }) => [description.page?.query, after])).toEqual(
      [undefined, { id: 3 }, { id: 6 }].map((last) => ['SELECT id FROM old ORDER BY id', last]),
    );
  });

  test('reads another page when the last one is full, and counts no empty chunk', async () => {
    const { answer } = table(4);
    const service = await serve(flow(`chunk_size = 2\n    ${to}`), { answer });
    expect(await service.deliver('copy')).toMatchObject({ value: { processed: 4, chunks: 2 } });
    expect(service.calls.filter(({ description }) => description.verb === 'read')).toHaveLength(3);
  });

  test('reads nothing', async () => {
    const service = await serve(flow(to), { answer: table(0).answer });
    expect(await service.deliver('copy')).toMatchObject({ value: { processed: 0, failed: 0, chunks: 0, errors: [] } });
  });

  test('builds the payload of each row, which sees the message of the flow', async () => {
    const service = await serve(
      flow(`params = { since = "input.since" }
    transform {
      id  = "input.id"
      tag = "string(output.id) + input._batch_input.since"
    }
    ${to}`),
      { answer: table(2).answer },
    );
    await service.deliver('copy', { since: 'May' });
    expect(service.calls.map(({ params, payload }) => payload ?? params)).toEqual([
      { since: 'May', batch_limit: 100n, batch_offset: 0n },
      { id: 1, tag: '1May' },
      { id: 2, tag: '2May' },
    ]);
  });

  test('its answer is output for response and for validate', async () => {
    const service = await serve(flow(to, 'response { done = "output.processed + 1" }'), { answer: table(2).answer });
    expect(await service.deliver('copy')).toMatchObject({ value: { done: 3n } });
  });
});

describe('a row that cannot be written', () => {
  test('stops the batch, and rows before it are written', async () => {
    const { answer, written } = table(5, (id) => (id === 4 ? refused : undefined));
    const service = await serve(flow(`chunk_size = 2\n    ${to}`), { answer });
    await expect(service.deliver('copy')).rejects.toMatchObject({
      code: 'constraint_violated',
      message: 'chunk 2: the row exists already',
    });
    expect(written).toEqual([1, 2, 3]);
  });

  test('R-95: skips its chunk with on_error = "continue", and the next chunk is processed', async () => {
    const { answer, written } = table(5, (id) => (id === 2 || id === 5 ? refused : undefined));
    const service = await serve(flow(`chunk_size = 2\n    on_error = "continue"\n    ${to}`), { answer });
    expect(await service.deliver('copy')).toMatchObject({
      value: {
        processed: 2,
        failed: 3,
        chunks: 3,
        errors: ['chunk 1: the row exists already', 'chunk 3: the row exists already'],
      },
    });
    expect(written).toEqual([1, 3, 4]);
    expect(service.statements).toEqual(['rollback', 'commit', 'rollback']);
  });

  test('skips the rest of its chunk when the destination has no transactions', async () => {
    const { answer, written } = table(5, (id) => (id === 2 || id === 5 ? refused : undefined));
    const peer = to.replace('"db"', '"peer"').replace(/target.*/, 'operation = "POST /rows"');
    const service = await serve(flow(`chunk_size = 3\n    on_error = "continue"\n    ${peer}`), { answer });
    expect(await service.deliver('copy')).toMatchObject({
      value: { processed: 2, failed: 3, chunks: 2, errors: [expect.any(String), expect.any(String)] },
    });
    expect([written, service.statements]).toEqual([[1, 4], []]);
  });

  test('skips its chunk when its transform fails', async () => {
    const { answer, written } = table(3);
    const service = await serve(
      flow(`on_error = "continue"\n    transform { id = "input.id == 2 ? input.missing : input.id" }\n    ${to}`),
      { answer },
    );
    expect(await service.deliver('copy')).toMatchObject({
      value: { processed: 0, failed: 3, errors: ['chunk 1: batch: transform: id: no such key: missing'] },
    });
    expect([written, service.statements]).toEqual([[1], ['rollback']]);
  });

  test('many failures do not make the answer large', async () => {
    const service = await serve(flow(`chunk_size = 1\n    on_error = "continue"\n    ${to}`), {
      answer: table(1003, () => refused).answer,
    });
    const { value } = (await service.deliver('copy')) as { value: { failed: number; errors: string[] } };
    expect([value.failed, value.errors.length, value.errors.at(-1)]).toEqual([1003, 1001, 'and 3 more']);
  });

  // The third row is the first of its chunk, of which nothing is written then.
  test.each([3, 4])('R-95: another attempt of the flow continues with the row that failed (%i)', async (failing) => {
    let failures = 0;
    const { answer, written } = table(5, (id) => (id === failing && failures++ < 2 ? lost : undefined));
    const retry = 'error_handling {\n    retry {\n      attempts = 3\n      delay    = "1ms"\n    }\n  }';
    const service = await serve(flow(`chunk_size = 2\n    ${to}`, retry), { answer });
    expect(await service.deliver('copy')).toMatchObject({ value: { processed: 5, failed: 0, chunks: 3 } });
    expect(written).toEqual([1, 2, 3, 4, 5]);
  });

  test('a page that cannot be read fails the flow in both modes', async () => {
    const service = await serve(flow(`on_error = "continue"\n    ${to}`), {
      answer: () => {
        throw lost;
      },
    });
    await expect(service.deliver('copy')).rejects.toMatchObject({ code: 'connector_refused' });
  });
});

test('rows of a chunk are written concurrently, never more than concurrency allows', async () => {
  let [now, most] = [0, 0];
  const { answer } = table(10);
  const service = await serve(flow(`concurrency = 3\n    ${to}`), {
    answer: async (call) => {
      if (call.description.verb === 'read') return answer(call);
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
      return answer(call);
    },
  });
  expect(await service.deliver('copy')).toMatchObject({ value: { processed: 10 } });
  expect(most).toBe(3);
});

test('a caller that disconnects ends it between two pages', async () => {
  const caller = new AbortController();
  const { answer, written } = table(10, (id) => {
    if (id === 3) caller.abort(new Failure('cancelled', 'gone'));
    return undefined;
  });
  const service = await serve(flow(`chunk_size = 2\n    ${to}`), { answer });
  await expect(service.deliver('copy', {}, { signal: () => caller.signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(written).toEqual([1, 2, 3, 4]);
});

test('other work proceeds while a batch runs over a database that never waits', async () => {
  let time = 0;
  let turns = 0;
  const clock = clockBy(() => time, { sleep: () => Promise.reject(new Error('unexpected sleep')) });
  const { answer } = table(30);
  const service = await serve(flow(`chunk_size = 4\n    ${to}`), {
    clock,
    answer: (call) => {
      time++;
      return answer(call);
    },
  });
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  expect(await service.deliver('copy')).toMatchObject({ value: { processed: 30, failed: 0 } });
  clearImmediate(next);
  expect(turns).toBe(3);
});
