import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Call, serve } from '../../../plan/testing/service.ts';

const flow = (batch: string, rest = '', to = '') => `flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }
  batch {
    source = "db"
    query  = "SELECT id FROM old ORDER BY id;"
    ${batch}
    to {
      connector = "peer"
      operation = "POST /rows"
      ${to}
    }
  }
  ${rest}
}`;

/**
 * Pages of `count` rows, and a destination that takes `most` rows an exchange and refuses those that `fail` says, or all
 * of an exchange where that throws.
 */
function peer(count: number, fail: (id: number) => Failure | undefined = () => undefined, most = 1000) {
  const exchanges: number[][] = [];
  const alone: number[] = [];
  const answer = ({ description, params, payload }: Call) => {
    if (description.verb === 'read') {
      const { batch_limit: limit, batch_offset: offset } = params as Record<string, bigint>;
      const last = Math.min(count, Number(offset) + Number(limit));
      const rows = [];
      for (let id = Number(offset) + 1; id <= last; id++) rows.push({ id });
      return { rows };
    }
    alone.push(Number(payload?.['id']));
    return { affected: 1 };
  };
  const each = async (rows: readonly Readonly<Record<string, unknown>>[]) => {
    const ids = rows.slice(0, most).map(({ id }) => Number(id));
    exchanges.push(ids);
    return ids.map(fail);
  };
  return { answer, each, exchanges, alone };
}

const refused = (id: number) => new Failure('constraint_violated', `row ${id} exists already`);
const refusing =
  (...ids: readonly number[]) =>
  (id: number) =>
    ids.includes(id) ? refused(id) : undefined;

describe('a destination that writes many rows in one exchange, each by itself', () => {
  test('R-95: gets at most 1000 rows at once, and again those for which there was no place', async () => {
    const { exchanges, alone, ...options } = peer(2500);
    const service = await serve(flow('chunk_size = 2500'), options);
    expect(await service.deliver('copy')).toMatchObject({ value: { processed: 2500, failed: 0, chunks: 1 } });
    expect([exchanges.map((ids) => ids.length), alone]).toEqual([[1000, 1000, 500], []]);
    const writes = service.events.filter(([event, connector]) => event === 'call' && connector === 'peer');
    expect(writes).toEqual(Array(3).fill(['call', 'peer', 'peer', 'write', 'success']));
    const few = peer(5, undefined, 2);
    await (await serve(flow(''), few)).deliver('copy');
    expect(few.exchanges).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('R-95: stops with the failure of the first row that is not written, and writes nothing after its exchange', async () => {
    const { exchanges, ...options } = peer(9, refusing(4, 5), 3);
    const service = await serve(flow('chunk_size = 8'), options);
    await expect(service.deliver('copy')).rejects.toMatchObject({
      code: 'constraint_violated',
      message: 'chunk 1: row 4 exists already',
      at: { connector: 'peer' },
    });
    expect(exchanges).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  test('R-95: leaves out only the rows that cannot be written with on_error = "continue"', async () => {
    const { exchanges, ...options } = peer(9, refusing(2, 4), 3);
    const service = await serve(flow('chunk_size = 8\n    on_error = "continue"'), options);
    expect(await service.deliver('copy')).toMatchObject({
      // A row that is alone in its chunk is written alone.
      value: { processed: 7, failed: 2, chunks: 2, errors: ['chunk 1: row 2 exists already'] },
    });
    expect(exchanges.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  const shaped = (onError: string) =>
    flow(`on_error = "${onError}"\n    transform { id = "input.id == 3 ? input.missing : input.id" }`);

  test('does not get a row that cannot be built; with "stop" nor those after it', async () => {
    const stopped = peer(5);
    await expect((await serve(shaped('stop'), stopped)).deliver('copy')).rejects.toMatchObject({
      message: 'chunk 1: batch: transform: id: no such key: missing',
    });
    const continued = peer(5);
    expect(await (await serve(shaped('continue'), continued)).deliver('copy')).toMatchObject({
      value: { processed: 4, failed: 1, errors: ['chunk 1: batch: transform: id: no such key: missing'] },
    });
    expect([stopped.exchanges, continued.exchanges]).toEqual([[[1, 2]], [[1, 2, 4, 5]]]);
  });

  test('an exchange that fails as a whole skips the rows of its chunk that are not written', async () => {
    const lost = new Failure('outcome_unknown', 'no answer');
    const { exchanges, ...options } = peer(
      6,
      (id) => {
        if (id === 3) throw lost;
        return undefined;
      },
      2,
    );
    const service = await serve(flow('chunk_size = 5\n    on_error = "continue"'), options);
    expect(await service.deliver('copy')).toMatchObject({
      value: { processed: 3, failed: 3, chunks: 2, errors: ['chunk 1: no answer'] },
    });
    expect(exchanges).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('R-95: another try of the flow gets the rows that are not written, and no others', async () => {
    let failures = 0;
    const { exchanges, ...options } = peer(5, (id) =>
      id % 2 === 0 && failures++ < 2 ? new Failure('upstream_error', 'busy') : undefined,
    );
    const retry = 'error_handling {\n    retry {\n      attempts = 2\n      delay    = "1ms"\n    }\n  }';
    const service = await serve(flow('', retry), options);
    expect(await service.deliver('copy')).toMatchObject({ value: { processed: 5, failed: 0, chunks: 1 } });
    expect(exchanges).toEqual([
      [1, 2, 3, 4, 5],
      [2, 4],
    ]);
  });

  test('a caller that went away ends it', async () => {
    const caller = new AbortController();
    const { exchanges, ...options } = peer(6, (id) => {
      if (id !== 3) return undefined;
      caller.abort();
      throw new Failure('cancelled', 'gone');
    });
    const service = await serve(flow('chunk_size = 2\n    on_error = "continue"'), options);
    const delivered = service.deliver('copy', {}, { signal: () => caller.signal });
    await expect(delivered).rejects.toMatchObject({ code: 'cancelled' });
    expect(exchanges.length).toBe(2);
  });

  test('gets each row alone where its target comes with the row', async () => {
    const { exchanges, alone, ...options } = peer(3);
    const service = await serve(flow('', '', "target = \"input.id == 1 ? '/a' : '/b'\""), options);
    expect(await service.deliver('copy')).toMatchObject({ value: { processed: 3 } });
    expect([exchanges, alone]).toEqual([[], [1, 2, 3]]);
  });
});
