import { describe, expect, test } from 'vitest';
import type { Action } from '../actions.ts';
import { placeOf } from '../place.ts';
import { data, written } from '../testing/written.ts';

/** What `svc validate` says of a body. */
function problem(body: unknown, operation: Action = 'search'): string | undefined {
  const call = {
    place: 'step',
    verb: 'read',
    operation,
    target: 'books',
    query: undefined,
    named: undefined,
    written: { body: written(body) },
    words: {},
  } as const;
  const place = placeOf(call, undefined);
  return typeof place === 'string' ? place : undefined;
}

/** Names that are code, an index or a look-up elsewhere in the query language. */
const names = ['script', 'source', 'lang', 'index', 'template', 'params', 'doc', 'query', 'description', 'inline'];

describe('a value of a message', () => {
  test.each(names)('may be that of a field named %s wherever fields are named', (field) => {
    const leaves = ['match', 'match_phrase', 'match_phrase_prefix', 'match_bool_prefix'];
    const clauses = [
      ...[...leaves, 'term', 'prefix', 'wildcard', 'fuzzy', 'regexp', 'span_term'].map((name) => ({
        [name]: { [field]: data },
      })),
      { match: { [field]: { query: data, operator: data } } },
      { terms: { [field]: data, boost: data } },
      { terms: { [field]: [data, data] } },
      { terms_set: { [field]: { terms: data, minimum_should_match_field: 'n' } } },
      { range: { [field]: { gte: data, lt: data } } },
      { exists: { field: data } },
      { multi_match: { query: data, fields: [field, data] } },
      { simple_query_string: { query: data, default_operator: data } },
      { geo_distance: { distance: data, [field]: { lat: data, lon: data } } },
      { geo_bounding_box: { [field]: { top_left: { lat: data, lon: data }, bottom_right: data } } },
      { geo_shape: { [field]: { shape: { type: 'point', coordinates: [data, data] }, relation: 'within' } } },
      { knn: { field, query_vector: data, k: 10, filter: { term: { [field]: data } } } },
      { knn: { [field]: { vector: data, k: 10, filter: { term: { [field]: data } } } } },
      {
        intervals: { [field]: { all_of: { intervals: [{ match: { query: data } }, { any_of: { intervals: [] } }] } } },
      },
      { span_near: { clauses: [{ span_term: { [field]: data } }], slop: data } },
      { more_like_this: { fields: [field], like: [data, { _id: data }], min_term_freq: 1 } },
      { percolate: { field: 'q', document: { [field]: data, deep: { [field]: [data] } } } },
    ];
    const around = [
      (query: object) => ({ query }),
      (query: object) => ({ query: { bool: { must: query, filter: [query], must_not: [query], should: query } } }),
      (query: object) => ({ query: { nested: { path: field, query, inner_hits: { name: data } } } }),
      (query: object) => ({ query: { has_child: { type: field, query } } }),
      (query: object) => ({ query: { function_score: { query, functions: [{ filter: query, weight: data }] } } }),
      (query: object) => ({ query: { constant_score: { filter: query, boost: data } } }),
      (query: object) => ({ query: { dis_max: { queries: [query], tie_breaker: data } } }),
      (query: object) => ({ query: { script_score: { query, script: { source: 'x', params: { [field]: data } } } } }),
      (query: object) => ({ post_filter: query }),
      (query: object) => ({ rescore: { window_size: data, query: { rescore_query: query, query_weight: data } } }),
      (query: object) => ({ highlight: { fields: { [field]: { highlight_query: query } } } }),
      (query: object) => ({
        aggs: { [field]: { filter: query, aggs: { [field]: { filters: { filters: [query] } } } } },
      }),
      (query: object) => ({ sort: [{ [field]: { order: data, nested: { path: 'p', filter: query } } }] }),
      (query: object) => ({ retriever: { rrf: { retrievers: [{ standard: { query } }] } } }),
    ];
    for (const clause of clauses)
      for (const of of around) expect([clause, problem(of(clause))]).toEqual([clause, undefined]);
    expect(problem({ match: { [field]: data } }, 'count')).toBeUndefined();
  });

  test('may be an option of what is asked for', () => {
    const completion = { prefix: data, completion: { field: 'x', contexts: { a: [{ context: data }] } } };
    const byDay = { field: 'd', calendar_interval: data, extended_bounds: { min: data, max: data } };
    const script = { source: 'x', params: { n: data } };
    for (const body of [
      { from: data, size: data, min_score: data, track_total_hits: data, timeout: data },
      { sort: data, search_after: data },
      { sort: [data, { price: data }, { _geo_distance: { location: data, order: data } }] },
      { sort: { _script: { type: 'number', script, order: data } } },
      { _source: { includes: data, excludes: [data] }, fields: [{ field: data, format: data }], stored_fields: data },
      { collapse: { field: data, inner_hits: { name: 'x', size: data, sort: [{ a: data }] } } },
      { suggest: { text: data, s: { term: { field: data } }, c: completion } },
      { script_fields: { f: { script } } },
      { aggs: { a: { terms: { field: data, size: data, include: data, order: { _count: data } } } } },
      { aggs: { a: { date_histogram: byDay } } },
      { aggs: { a: { range: { field: 'p', ranges: [{ from: data, to: data }] }, meta: { who: data } } } },
      { aggs: { a: { composite: { size: data, sources: [{ s: { terms: { field: 'p' } } }], after: { s: data } } } } },
      { aggs: { a: { bucket_script: { buckets_path: { a: 'b' }, script } } } },
      { aggs: { a: { top_hits: { size: data, sort: [{ d: { order: data } }], _source: data } } } },
    ])
      expect([body, problem(body)]).toEqual([body, undefined]);
  });

  const query = 'a part of the query';
  const code = 'code';
  const index = 'the name of an index, or a look-up in one';
  const by = { source: data };
  test.each<[path: string, body: object, would: string | undefined]>([
    ['query', { query: data }, query],
    ['query.bool.must', { query: { bool: { must: data } } }, query],
    ['query.bool.must[0]', { query: { bool: { must: [data] } } }, query],
    ['query.nested.query', { query: { nested: { path: 'p', query: data } } }, query],
    ['aggs.a.filter', { aggs: { a: { filter: data } } }, query],
    ['aggs.a.filters.filters.x', { aggs: { a: { filters: { filters: { x: data } } } } }, query],
    ['aggs', { aggs: data }, query],
    ['query.unheard_of.title', { query: { unheard_of: { title: data } } }, query],
    ['query.wrapper.query', { query: { wrapper: { query: data } } }, code],
    ['query.script.script', { query: { script: { script: data } } }, code],
    ['query.script.script.id', { query: { script: { script: { id: data } } } }, code],
    ['query.script.script.source', { query: { script: { script: by } } }, code],
    ['query.script_score.script.lang', { query: { script_score: { script: { lang: data } } } }, code],
    [
      'query.function_score.script_score.script',
      { query: { function_score: { script_score: { script: data } } } },
      code,
    ],
    [
      'query.function_score.functions[0].script_score.script.source',
      { query: { function_score: { functions: [{ script_score: { script: by } }] } } },
      code,
    ],
    [
      'query.terms_set.tags.minimum_should_match_script.source',
      { query: { terms_set: { tags: { minimum_should_match_script: by } } } },
      code,
    ],
    [
      'query.intervals.t.match.filter.script.source',
      { query: { intervals: { t: { match: { filter: { script: by } } } } } },
      code,
    ],
    ['sort[0]._script.script', { sort: [{ _script: { script: data } }] }, code],
    ['script_fields.f.script', { script_fields: { f: { script: data } } }, code],
    ['script_fields', { script_fields: data }, code],
    ['runtime_mappings.f.script.source', { runtime_mappings: { f: { script: by } } }, code],
    ['derived.f.script', { derived: { f: { script: data } } }, code],
    ['aggs.a.sum.script', { aggs: { a: { sum: { script: data } } } }, code],
    ['aggs.a.weighted_avg.value.script', { aggs: { a: { weighted_avg: { value: { script: data } } } } }, code],
    ['aggs.a.scripted_metric.map_script', { aggs: { a: { scripted_metric: { map_script: data } } } }, code],
    ['aggs.a.scripted_metric.init_script.source', { aggs: { a: { scripted_metric: { init_script: by } } } }, code],
    ['aggs.a.bucket_selector.script.inline', { aggs: { a: { bucket_selector: { script: { inline: data } } } } }, code],
    ['aggs.a.moving_fn.script', { aggs: { a: { moving_fn: { script: data } } } }, code],
    [
      'aggs.a.aggs.b.top_hits.script_fields.f.script',
      { aggs: { a: { aggs: { b: { top_hits: { script_fields: { f: { script: data } } } } } } } },
      code,
    ],
    ['suggest.s.phrase.collate.query.source', { suggest: { s: { phrase: { collate: { query: by } } } } }, code],
    ['query.terms.tag.index', { query: { terms: { tag: { index: data } } } }, index],
    ['query.terms.tag.path', { query: { terms: { tag: { index: 'a', id: data, path: data } } } }, index],
    ['query.terms.doc.index', { query: { terms: { doc: { index: data } } } }, index],
    ['query.more_like_this.like[0]._index', { query: { more_like_this: { like: [{ _index: data }] } } }, index],
    ['query.percolate.index', { query: { percolate: { field: 'q', index: data } } }, index],
    ['query.pinned.docs[0]._index', { query: { pinned: { docs: [{ _index: data }] } } }, index],
    [
      'query.geo_shape.g.indexed_shape.index',
      { query: { geo_shape: { g: { indexed_shape: { index: data } } } } },
      index,
    ],
    ['query.shape.g.indexed_shape.path', { query: { shape: { g: { indexed_shape: { path: data } } } } }, index],
    ['indices_boost[0].books', { indices_boost: [{ books: data }] }, index],
    ['query.script.script.params', { query: { script: { script: { params: data } } } }, undefined],
    ['query.match.title.unheard_of', { query: { match: { title: { unheard_of: data } } } }, undefined],
    ['query.knn.query_vector_builder.text_embedding.model_id', modelOf(data), undefined],
    ['unheard_of', { unheard_of: data }, undefined],
    ['aggs.a.unheard_of.field', { aggs: { a: { unheard_of: { field: data } } } }, undefined],
  ])('S-50: is refused at %s', (path, body, would) => {
    const said = would === undefined ? 'is in no place that is known to take a value' : `would be ${would}`;
    expect(problem(body)).toContain(`${path} comes with the message, and ${said}`);
  });

  test('may be a parameter of the script of update_by_query, and nothing else of it', () => {
    const body = (script: object) => ({ query: { match: { script: data } }, script });
    expect(problem(body({ source: 'x', params: { n: data, m: { n: [data] } } }), 'update_by_query')).toBeUndefined();
    expect(problem(body(by), 'update_by_query')).toContain('script.source comes with the message');
    expect(problem(body({ source: 'x' }), 'delete_by_query')).toBe(
      'body.script: the body of delete_by_query has query alone',
    );
  });
});

function modelOf(id: unknown) {
  return { query: { knn: { field: 'v', query_vector_builder: { text_embedding: { model_id: id } } } } };
}

test('what the configuration writes is sent, whatever it is', () => {
  expect(problem({ query: { unheard_of: { script: { source: 'x' }, index: 'y' } }, ext: { a: [1] } })).toBeUndefined();
});
