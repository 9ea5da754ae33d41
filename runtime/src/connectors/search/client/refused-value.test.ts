import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { failureOf, indexName, makeConnector, run } from '../testing/bed.ts';
import { onEachServer, type StartedServer } from '../testing/servers.ts';
import { data, withData, written } from '../testing/written.ts';

const properties = {
  n: { type: 'integer' },
  at: { type: 'date' },
  yes: { type: 'boolean' },
  ip: { type: 'ip' },
  o: { properties: {} },
};

onEachServer(({ name, start }) => {
  describe(`a value that the engine cannot take (${name})`, () => {
    const [index, strict] = [indexName(), indexName()];
    let server: StartedServer;
    let connector: TargetConnector;
    beforeAll(async () => {
      server = await start();
      await server.send('PUT', `/${index}`, { mappings: { properties } });
      await server.send('PUT', `/${strict}`, { mappings: { dynamic: 'strict', properties: { n: { type: 'long' } } } });
      connector = makeConnector({ url: server.url, index, refresh: 'immediate' });
      await connector.open(new AbortController().signal);
      await run(connector, { verb: 'create' }, { payload: { id: 'one', n: 1 } });
    });
    afterAll(async () => {
      await connector?.close();
      for (const each of [index, strict]) await server?.send('DELETE', `/${each}`);
      await server?.stop();
    });

    const refused = async (call: Partial<CallDescription>, request: CallRequest) => {
      const { code, status, message, fields } = await failureOf(run(connector, call, request));
      return [code, status, message, ...(fields ?? []).map((field) => [field.field, field.code])];
    };

    test.each<[string, unknown, string, string]>([
      ['n', 'abc', '"n" is not a value of the type integer', 'type_mismatch'],
      ['n', 2 ** 40, '"n" is not a value of the type integer', 'type_mismatch'],
      ['at', 'soon', '"at" is not a value of the type date', 'type_mismatch'],
      ['yes', 'maybe', '"yes" is not a value of the type boolean', 'type_mismatch'],
      ['ip', 'x', '"ip" is not a value of the type ip', 'type_mismatch'],
      ['o', 'x', '"o" must be an object', 'type_mismatch'],
      ['_source', 'x', '"_source" has a name that the index keeps for itself', 'name'],
      ['_version', 1, '"_version" has a name that the index keeps for itself', 'name'],
    ])('is said of the document: %s %j', async (field, value, message, code) => {
      const payload = { id: 'two', [field]: value };
      const wanted = ['value_refused', 400, message, [field, code]];
      expect(await refused({ verb: 'create' }, { payload })).toEqual(wanted);
      expect(await refused({ verb: 'create', operation: 'create' }, { payload })).toEqual(wanted);
      const change = { filters: { id: 'one' }, payload: { [field]: value } };
      expect(await refused({ verb: 'update' }, change)).toEqual(wanted);
    });

    test('is said of a field that a strict mapping has not', async () => {
      expect(await refused({ verb: 'create', target: strict }, { payload: { n: 1, more: 2 } })).toEqual([
        'value_refused',
        400,
        '"more" is not a field of the index',
        ['more', 'unknown_field'],
      ]);
    });

    test('is said of each row of a batch', async () => {
      const each = connector.target.prepareEach?.({
        verb: 'create',
        operation: undefined,
        target: undefined,
        query: undefined,
        timeout: undefined,
        exact: false,
        flow: 'f',
        label: 'to "books"',
      });
      const outcomes = await each?.(
        [
          { id: 'b1', n: 1 },
          { id: 'b2', n: 'x' },
        ],
        {},
      );
      expect(outcomes?.map((outcome) => (outcome as Failure | undefined)?.code)).toEqual([undefined, 'value_refused']);
    });

    test.each<[string, unknown]>([
      ['n', 'abc'],
      ['n', ['1', 'abc']],
      ['yes', 'maybe'],
      ['at', 'soon'],
      ['ip', 'x'],
    ])('is said of a filter: %s %j', async (field, value) => {
      const wanted = [
        'value_refused',
        400,
        `"${field}" has a value that the field of the index cannot be compared with`,
        [field, 'type_mismatch'],
      ];
      for (const operation of ['search', 'count'])
        expect(await refused({ operation }, { filters: { [field]: value } })).toEqual(wanted);
      expect(await refused({ verb: 'delete', operation: 'delete_by_query' }, { filters: { [field]: value } })).toEqual(
        wanted,
      );
    });

    test('is said of the body of a search, and not where the configuration wrote it', async () => {
      const body = { query: { bool: { filter: [{ range: { n: { gte: data } } }] } } };
      const call = { written: { body: written(body) } };
      const asked = await refused(call, { words: { body: withData(body, 'abc') } });
      expect(asked.slice(0, 2)).toEqual(['value_refused', 400]);
      const constant = { query: { term: { n: 'abc' } } };
      const own = await refused({ written: { body: written(constant) } }, { words: { body: constant } });
      expect(own.slice(0, 2)).toEqual(['upstream_error', 500]);
    });

    test.each<[string, object, unknown]>([
      ['a list for one value', { query: { term: { n: data } } }, [1]],
      ['an empty date', { query: { range: { at: { gte: data } } } }, ''],
      ['a total that is nothing', { track_total_hits: data }, null],
      ['a total below zero', { track_total_hits: data }, -5],
      ['a total that is a text', { track_total_hits: data }, 'x'],
      ['a list in the place of a row', { sort: ['n'], search_after: data }, [[1]]],
      ['a null in the place of a row', { sort: ['n'], search_after: data }, [null]],
    ])('is said of %s', async (_, body, value) => {
      const call = { written: { body: written(body) } };
      const asked = await refused(call, { words: { body: withData(body, value) } });
      expect([asked[0], asked[1], asked.length]).toEqual(['value_refused', 400, 4]);
    });

    test('is said of an id before anything is sent', async () => {
      const message = 'the id of a document is a text or a number of 1 to 512 bytes, and not a dot';
      const wanted = ['value_refused', 400, message, ['id', 'type_mismatch']];
      const absent = ['value_refused', 400, '"id" is the key of a row, and has no value', ['id', 'required']];
      for (const id of ['', null, '.', 'x'.repeat(513), {}, true]) {
        const found = id === null ? absent : wanted;
        expect([id, await refused({ verb: 'create' }, { payload: { id, n: 1 } })]).toEqual([id, wanted]);
        expect([id, await refused({ verb: 'create' }, { payload: { n: 1 }, params: { id } })]).toEqual([id, wanted]);
        expect([id, await refused({ verb: 'update' }, { filters: { id }, payload: { n: 1 } })]).toEqual([id, found]);
        expect([id, await refused({ verb: 'delete' }, { filters: { id } })]).toEqual([id, found]);
        expect([id, await refused({ operation: 'get' }, { filters: { id } })]).toEqual([id, found]);
        const items = await refused({ verb: 'create', operation: 'bulk' }, { payload: { items: [{ _id: id, n: 1 }] } });
        expect([id, items.slice(0, 2)]).toEqual([id, ['value_refused', 400]]);
      }
    });

    test('is said of no id that the engine takes: ids of any characters up to 512 bytes', async () => {
      const ids = ['a/b', '%2F', '%', 'ä\u{1f600}', ' ', '+', '?x=1#y', '_doc', '..a', 'x'.repeat(512)];
      for (const id of ids) {
        expect(await run(connector, { verb: 'create' }, { payload: { id, n: 3 } })).toMatchObject({ id });
        const { rows } = await run(connector, { operation: 'get' }, { filters: { id } });
        expect(rows?.map(({ _id }) => _id)).toEqual([id]);
        expect(await run(connector, { verb: 'update' }, { filters: { id }, payload: { n: 4 } })).toEqual({
          affected: 1,
        });
        expect((await run(connector, {}, { filters: { id } })).rows).toHaveLength(1);
        expect(await run(connector, { verb: 'delete' }, { filters: { id } })).toEqual({ affected: 1 });
      }
    });

    test('or a version that exists already is the conflict of the engine', async () => {
      const { code, upstream } = await failureOf(
        run(connector, { verb: 'create', operation: 'create' }, { payload: { id: 'one', n: 1 } }),
      );
      expect([code, upstream?.status]).toEqual(['constraint_violated', 409]);
    });

    test('a search answers a list', async () => {
      expect(await run(connector, {}, { filters: { id: 'none' } })).toEqual({ rows: [], isList: true });
      const { rows, isList } = await run(connector, {}, { filters: { id: 'one' } });
      expect([rows?.length, isList]).toEqual([1, true]);
      expect((await run(connector, { operation: 'get' }, { filters: { id: 'one' } })).isList).toBe(undefined);
    });
  });
});
