import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexName } from './bed.ts';
import { onEachServer, type StartedServer } from './servers.ts';

const properties = {
  n: { type: 'integer' },
  at: { type: 'date' },
  yes: { type: 'boolean' },
  word: { type: 'keyword' },
  text: { type: 'text' },
  whole: { properties: { part: { type: 'long' } } },
};

/** What a server refuses: the double has to refuse it as the real ones do. */
onEachServer(({ name, start }) => {
  describe(`a search engine (${name})`, () => {
    const [mapped, strict, missing] = [indexName(), indexName(), indexName()];
    let server: StartedServer;
    beforeAll(async () => {
      server = await start();
      await server.send('PUT', `/${mapped}`, { mappings: { properties } });
      await server.send('PUT', `/${strict}`, { mappings: { dynamic: 'strict', properties: { n: { type: 'long' } } } });
      await server.send('PUT', `/${mapped}/_doc/1?refresh=true`, { n: 5, text: 'hello', word: 'a' });
    });
    afterAll(async () => {
      for (const index of [mapped, strict, missing]) await server?.send('DELETE', `/${index}`);
      await server?.stop();
    });

    /** Status and type of the error; that of the shards where it is theirs. */
    async function refusal(method: string, path: string, body?: unknown): Promise<readonly [number, unknown]> {
      const { status, body: answer } = await server.send(method, path, body);
      const error = answer['error'] as Record<string, { readonly type?: unknown }[]> | string | undefined;
      return [status, typeof error === 'object' ? error['root_cause']?.[0]?.type : (error ?? answer['result'])];
    }

    test.each([
      ['a text for a number', { n: 'abc' }, 'mapper_parsing_exception'],
      ['a number out of range', { n: 99_999_999_999 }, 'mapper_parsing_exception'],
      ['an object for a number', { n: {} }, 'mapper_parsing_exception'],
      ['a malformed date', { at: 'soon' }, 'mapper_parsing_exception'],
      ['neither true nor false', { yes: 'maybe' }, 'mapper_parsing_exception'],
      ['a value for an object', { whole: 'x' }, 'mapper_parsing_exception'],
      ['a wrong part of an object', { whole: { part: 'x' } }, 'mapper_parsing_exception'],
      ['one wrong value of a list', { n: [1, 'x'] }, 'mapper_parsing_exception'],
      ['an object for a text', { text: { a: 1 } }, 'mapper_parsing_exception'],
      ['a name of the index itself', { _id: 5 }, 'mapper_parsing_exception'],
      ['an empty name', { '': 1 }, 'mapper_parsing_exception'],
      ['a name with an empty part', { 'a..b': 1 }, 'mapper_parsing_exception'],
      ['a keyword that is too long', { word: 'x'.repeat(40_000) }, 'illegal_argument_exception'],
    ])('takes no document with %s', async (_name, document, type) => {
      expect(await refusal('PUT', `/${mapped}/_doc/2`, document)).toEqual([400, type]);
      expect(await refusal('POST', `/${mapped}/_update/1`, { doc: document })).toEqual([400, type]);
    });

    test('takes texts of numbers, and nothing for anything', async () => {
      const document = { n: '7', yes: 'true', at: 1_000, whole: null, text: 5, word: [] };
      expect(await refusal('PUT', `/${mapped}/_doc/3`, document)).toEqual([201, 'created']);
    });

    test('adds no field to a strict mapping', async () => {
      const type = 'strict_dynamic_mapping_exception';
      expect(await refusal('PUT', `/${strict}/_doc/1`, { n: 1, other: 1 })).toEqual([400, type]);
    });

    test.each([
      ['term with a text for a number', { query: { term: { n: 'abc' } } }, 'query_shard_exception'],
      ['one wrong value of terms', { query: { terms: { n: [1, 'abc'] } } }, 'query_shard_exception'],
      ['range with a text for a number', { query: { range: { n: { gte: 'x' } } } }, 'query_shard_exception'],
      ['match with a text for a number', { query: { match: { n: 'x' } } }, 'query_shard_exception'],
      ['neither true nor false', { query: { term: { yes: 'x' } } }, 'query_shard_exception'],
      ['a malformed date', { query: { range: { at: { gte: 'soon' } } } }, 'parse_exception'],
      ['an empty date', { query: { range: { at: { gte: '' } } } }, 'parse_exception'],
      ['an empty id', { query: { ids: { values: [''] } } }, 'query_shard_exception'],
      ['an unknown query', { query: { like: { n: 1 } } }, 'parsing_exception'],
      ['an unknown key', { querry: 1 }, 'parsing_exception'],
      ['a list for one value', { query: { term: { word: ['a'] } } }, 'parsing_exception'],
      ['no text', { query: { match: { text: null } } }, 'parsing_exception'],
      ['an unknown aggregation', { aggs: { a: { sums: { field: 'n' } } } }, 'parsing_exception'],
      ['an order by no field', { sort: [{ nothing: 'asc' }] }, 'query_shard_exception'],
      ['an order by a text', { sort: [{ text: 'asc' }] }, 'illegal_argument_exception'],
      ['buckets of a text', { aggs: { a: { terms: { field: 'text' } } } }, 'illegal_argument_exception'],
      ['a page too far', { from: 9_995, size: 10 }, 'illegal_argument_exception'],
      ['another number of keys', { sort: ['n'], search_after: [1, 2] }, 'illegal_argument_exception'],
      ['a malformed size', { size: 'x' }, 'number_format_exception'],
    ])('searches for nothing with %s', async (_name, body, type) => {
      expect(await refusal('POST', `/${mapped}/_search`, body)).toEqual([400, type]);
    });

    test.each([
      ['a list for the text of match', { query: { match: { text: ['a'] } } }, 'illegal_state_exception'],
      ['a null in the place of a row', { sort: ['n'], search_after: [null] }, 'null_pointer_exception'],
    ])('fails over %s', async (_name, body, type) => {
      expect(await refusal('POST', `/${mapped}/_search`, body)).toEqual([500, type]);
    });

    test('counts and removes nothing by a query that it cannot read', async () => {
      for (const endpoint of ['_count', '_delete_by_query']) {
        const asked = { query: { term: { n: 'abc' } } };
        expect(await refusal('POST', `/${mapped}/${endpoint}`, asked)).toEqual([400, 'query_shard_exception']);
      }
    });

    test('makes an index for a document, and not for a question', async () => {
      const none = 'index_not_found_exception';
      expect(await refusal('POST', `/${missing}/_search`, {})).toEqual([404, none]);
      expect(await refusal('DELETE', `/${missing}/_doc/1`)).toEqual([404, none]);
      expect(await refusal('GET', `/${missing}/_doc/1`)).toEqual([404, none]);
      const update = await refusal('POST', `/${missing}/_update/1`, { doc: { n: 1 } });
      expect(update).toEqual([404, 'document_missing_exception']);
      expect(await refusal('DELETE', `/${missing}/_doc/1`)).toEqual([404, 'not_found']);
      expect(await refusal('PUT', `/${mapped}`)).toEqual([400, 'resource_already_exists_exception']);
    });

    test('has a document once, and knows what is missing', async () => {
      expect(await refusal('PUT', `/${mapped}/_create/1`, { n: 1 })).toEqual([
        409,
        'version_conflict_engine_exception',
      ]);
      expect(await refusal('POST', `/${mapped}/_update/none`, { doc: {} })).toEqual([
        404,
        'document_missing_exception',
      ]);
      expect(await refusal('DELETE', `/${mapped}/_doc/none`)).toEqual([404, 'not_found']);
      const long = 'x'.repeat(513);
      expect(await refusal('PUT', `/${mapped}/_doc/${long}`, { n: 1 })).toEqual([
        400,
        'action_request_validation_exception',
      ]);
    });

    test('does what it can of a bulk', async () => {
      const lines = [
        [{ index: { _id: 'b1' } }, { n: 'abc' }],
        [{ create: { _id: '1' } }, { n: 1 }],
        [{ index: { _id: '' } }, { n: 1 }],
        [{ update: { _id: 'none' } }, { doc: { n: 1 } }],
        [{ delete: { _id: 'none' } }],
        [{ index: { _id: 'b2' } }, { n: 1 }],
      ];
      const text = lines.flat().map((line) => `${JSON.stringify(line)}\n`);
      const { status, body } = await server.send('POST', `/${mapped}/_bulk`, text.join(''));
      const items = (body['items'] as Record<string, { status: number; error?: { type: string } }>[]).map((item) => {
        const [end] = Object.values(item);
        return [end?.status, end?.error?.type];
      });
      expect([status, body['errors'], ...items]).toEqual([
        200,
        true,
        [400, 'mapper_parsing_exception'],
        [409, 'version_conflict_engine_exception'],
        [400, 'illegal_argument_exception'],
        [404, 'document_missing_exception'],
        [404, undefined],
        [201, undefined],
      ]);
    });
  });
});
