import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallDescription } from '../../foundation/contracts/target.ts';
import { engines, type OpenEngine } from './testing/engines.ts';

for (const { engine, skip, start, name, key, answersInserted } of engines)
  describe.skipIf(skip)(`a row that ${engine} made`, () => {
    let open: OpenEngine;
    const run = (query: string) => open.connector.target.prepare({ ...description, verb: 'create', query })({});
    const description: CallDescription = {
      verb: 'create',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
    };
    beforeAll(async () => {
      open = await start();
      await run(`CREATE TABLE counted (order_id ${key}, who ${name})`);
      await run(`CREATE TABLE named (code ${name} PRIMARY KEY, who ${name})`);
      await run(`CREATE TABLE several (tenant ${name}, line ${name}, who ${name}, PRIMARY KEY (tenant, line))`);
    });
    afterAll(() => open?.end());

    const made = async (target: string, payload: object, words?: object) => {
      const call = { ...description, target, ...(words && { operation: 'UPSERT', words }) } as CallDescription;
      const { rows } = await open.connector.target.prepare(call)({ payload: payload as never, record: true });
      return rows;
    };

    test('is answered whole, whatever its key is called and who gave it', async () => {
      expect(await made('counted', { who: 'ann' })).toEqual([{ order_id: 1, who: 'ann' }]);
      expect(await made('counted', { order_id: 7, who: 'bob' })).toEqual([{ order_id: 7, who: 'bob' }]);
      expect(await made('named', { code: 'a', who: 'ann' })).toEqual([{ code: 'a', who: 'ann' }]);
      expect(await made('several', { tenant: 't', line: '1', who: 'ann' })).toEqual([
        { tenant: 't', line: '1', who: 'ann' },
      ]);
    });

    test.skipIf(answersInserted === 'row')('is answered by its key, never by a number that is not in it', async () => {
      await run(`CREATE TABLE chosen (number BIGINT PRIMARY KEY, who ${name})`);
      await run(`CREATE TABLE loose (id BIGINT, who ${name})`);
      const answer = async (target: string, payload: object) =>
        open.connector.target.prepare({ ...description, target })({ payload } as never);
      expect(await answer('several', { tenant: 'u', line: '1', who: 'ann' })).toEqual({ affected: 1 });
      expect(await answer('chosen', { number: 70, who: 'ann' })).toEqual({ affected: 1, id: 70 });
      expect(await answer('loose', { id: 71, who: 'ann' })).toEqual({ affected: 1, id: 71 });
      expect(await answer('loose', { who: 'ann' })).toEqual({ affected: 1 });
    });

    test('is answered whole after an upsert, that inserts or changes', async () => {
      const conflict = { conflict: ['code'] };
      expect(await made('named', { code: 'b', who: 'ann' }, conflict)).toEqual([{ code: 'b', who: 'ann' }]);
      expect(await made('named', { code: 'b', who: 'bob' }, conflict)).toEqual([{ code: 'b', who: 'bob' }]);
    });
  });
