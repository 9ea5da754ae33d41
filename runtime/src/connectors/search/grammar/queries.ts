import { box, code, data, lookup, type Place, point, query, script, value, values } from './place.ts';

/** Options of every query. */
const common = values('boost', '_name');

/** A query by the names of fields: `{ field = value }` or `{ field = { options } }`. */
function ofFields(...options: readonly string[]): Place {
  return { keys: common, rest: { value: true, keys: { ...common, ...values(...options) } } };
}

/** A query with options alone. */
function options(...names: readonly string[]): Place {
  return { keys: { ...common, ...values(...names) } };
}

/** The same with further keys. */
function withKeys(keys: Readonly<Record<string, Place>>, ...names: readonly string[]): Place {
  return { keys: { ...common, ...values(...names), ...keys } };
}

const innerHits: Place = { like: 'innerHits' };

const text = [
  'analyzer',
  'auto_generate_synonyms_phrase_query',
  'fuzziness',
  'fuzzy_max_expansions',
  'fuzzy_prefix_length',
  'fuzzy_rewrite',
  'fuzzy_transpositions',
  'lenient',
  'max_expansions',
  'minimum_should_match',
  'operator',
  'prefix_length',
  'query',
  'slop',
  'zero_terms_query',
] as const;

const queryString = [
  ...text,
  'all_fields',
  'allow_leading_wildcard',
  'analyze_wildcard',
  'default_field',
  'default_operator',
  'enable_position_increments',
  'escape',
  'fields',
  'flags',
  'max_determinized_states',
  'phrase_slop',
  'quote_analyzer',
  'quote_field_suffix',
  'rewrite',
  'tie_breaker',
  'time_zone',
  'type',
] as const;

const range = ['gt', 'gte', 'lt', 'lte', 'from', 'to', 'include_lower', 'include_upper', 'format', 'relation'];

/** How a field decays from an origin: `{ field = { origin, scale } }`. */
const decay: Place = {
  keys: values('multi_value_mode'),
  rest: { keys: { ...values('scale', 'offset', 'decay'), origin: point } },
};

const scoring: Readonly<Record<string, Place>> = {
  weight: value,
  random_score: { keys: values('seed', 'field') },
  field_value_factor: { keys: values('field', 'factor', 'modifier', 'missing') },
  script_score: { keys: { script } },
  linear: decay,
  exp: decay,
  gauss: decay,
};

/** A document that is compared with, by its id or its content. */
const likeness: Place = {
  value: true,
  keys: {
    ...values('_id', 'fields', 'routing', '_routing', 'version', 'version_type'),
    _index: lookup,
    doc: data,
    per_field_analyzer: { rest: value },
  },
};

const shape: Place = {
  keys: { relation: value, shape: data, indexed_shape: { ...lookup, keys: values('id', 'routing') } },
};

/** What is near to a vector, in the words of Elasticsearch and, by the name of a field, in those of OpenSearch. */
export const knn: Place = {
  keys: {
    ...common,
    ...values('field', 'query_vector', 'k', 'num_candidates', 'similarity'),
    filter: query,
    inner_hits: innerHits,
    rescore_vector: { keys: values('oversample') },
    query_vector_builder: { keys: { text_embedding: { keys: values('model_text') } } },
  },
  rest: {
    keys: {
      ...common,
      ...values('vector', 'k', 'max_distance', 'min_score', 'expand_nested_docs'),
      filter: query,
      method_parameters: { rest: value },
      rescore: { value: true, keys: values('oversample_factor') },
    },
  },
};

const joined = [
  'score_mode',
  'ignore_unmapped',
  'score',
  'min_children',
  'max_children',
  'type',
  'parent_type',
  'path',
];

/** Every clause that a value of a message may be in. What is in another one is refused. */
export const clauses: Readonly<Record<string, Place>> = {
  match_all: options(),
  match_none: options(),
  match: ofFields(...text, 'cutoff_frequency'),
  match_phrase: ofFields(...text),
  match_phrase_prefix: ofFields(...text),
  match_bool_prefix: ofFields(...text),
  multi_match: options(...text, 'fields', 'type', 'tie_breaker', 'cutoff_frequency'),
  combined_fields: options(...text, 'fields'),
  common: ofFields(...text, 'cutoff_frequency', 'low_freq_operator', 'high_freq_operator'),
  query_string: options(...queryString),
  simple_query_string: options(...queryString),
  semantic: options('field', 'query'),

  term: ofFields('value', 'case_insensitive'),
  terms: {
    keys: common,
    rest: { value: true, wouldBe: lookup.wouldBe, keys: { ...values('id', 'routing'), query } },
  },
  terms_set: {
    keys: common,
    rest: {
      keys: {
        ...common,
        ...values('terms', 'minimum_should_match', 'minimum_should_match_field'),
        minimum_should_match_script: script,
      },
    },
  },
  prefix: ofFields('value', 'rewrite', 'case_insensitive'),
  wildcard: ofFields('value', 'wildcard', 'rewrite', 'case_insensitive'),
  fuzzy: ofFields('value', 'fuzziness', 'prefix_length', 'max_expansions', 'transpositions', 'rewrite'),
  regexp: ofFields('value', 'flags', 'flags_value', 'max_determinized_states', 'rewrite', 'case_insensitive'),
  range: { keys: common, rest: { keys: { ...common, ...values(...range, 'time_zone') } } },
  exists: options('field'),
  ids: options('values', 'type'),
  distance_feature: withKeys({ origin: point }, 'field', 'pivot'),
  rank_feature: withKeys(
    {
      saturation: { keys: values('pivot') },
      log: { keys: values('scaling_factor') },
      sigmoid: { keys: values('pivot', 'exponent') },
      linear: {},
    },
    'field',
  ),

  bool: withKeys(
    { must: query, filter: query, should: query, must_not: query },
    'minimum_should_match',
    'adjust_pure_negative',
  ),
  boosting: withKeys({ positive: query, negative: query }, 'negative_boost'),
  constant_score: withKeys({ filter: query }),
  dis_max: withKeys({ queries: query }, 'tie_breaker'),
  hybrid: withKeys({ queries: query, filter: query }, 'pagination_depth'),
  function_score: withKeys(
    { query, ...scoring, functions: { keys: { filter: query, ...scoring } } },
    'boost_mode',
    'score_mode',
    'max_boost',
    'min_score',
  ),
  script: withKeys({ script }),
  script_score: withKeys({ query, script }, 'min_score'),
  pinned: withKeys({ docs: { keys: { _id: value, _index: lookup } }, organic: query }, 'ids'),

  nested: withKeys({ query, inner_hits: innerHits }, ...joined),
  has_child: withKeys({ query, inner_hits: innerHits }, ...joined),
  has_parent: withKeys({ query, inner_hits: innerHits }, ...joined),
  parent_id: options('type', 'id', 'ignore_unmapped'),

  more_like_this: withKeys(
    { like: likeness, unlike: likeness },
    'fields',
    'max_query_terms',
    'min_term_freq',
    'min_doc_freq',
    'max_doc_freq',
    'min_word_length',
    'max_word_length',
    'stop_words',
    'analyzer',
    'minimum_should_match',
    'fail_on_unsupported_field',
    'boost_terms',
    'include',
  ),
  percolate: withKeys(
    { index: lookup, document: data, documents: data },
    'field',
    'id',
    'routing',
    'preference',
    'version',
    'name',
  ),
  // The query itself, encoded.
  wrapper: code,

  geo_distance: {
    keys: { ...common, ...values('distance', 'distance_type', 'unit', 'validation_method', 'ignore_unmapped') },
    rest: point,
  },
  geo_bounding_box: { keys: { ...common, ...values('type', 'validation_method', 'ignore_unmapped') }, rest: box },
  geo_polygon: {
    keys: { ...common, ...values('validation_method', 'ignore_unmapped') },
    rest: { keys: { points: point } },
  },
  geo_shape: { keys: { ...common, ...values('ignore_unmapped') }, rest: shape },
  geo_grid: { keys: common, rest: { keys: values('geohash', 'geotile', 'geohex') } },
  shape: { keys: { ...common, ...values('ignore_unmapped') }, rest: shape },
  xy_shape: { keys: { ...common, ...values('ignore_unmapped') }, rest: shape },

  knn,
  neural: {
    rest: {
      keys: { ...common, ...values('query_text', 'query_image', 'k', 'max_distance', 'min_score'), filter: query },
    },
  },
  neural_sparse: {
    rest: { keys: { ...common, ...values('query_text', 'max_token_score'), query_tokens: { rest: value } } },
  },
  sparse_vector: withKeys({ query_vector: { rest: value } }, 'field', 'query', 'prune'),
  text_expansion: { rest: { keys: { ...common, ...values('model_text') } } },

  intervals: { keys: common, rest: { like: 'intervals', keys: common } },
  span_term: ofFields('value', 'term'),
  span_near: withKeys({ clauses: query }, 'slop', 'in_order'),
  span_or: withKeys({ clauses: query }),
  span_not: withKeys({ include: query, exclude: query }, 'pre', 'post', 'dist'),
  span_first: withKeys({ match: query }, 'end'),
  span_multi: withKeys({ match: query }),
  span_containing: withKeys({ big: query, little: query }),
  span_within: withKeys({ big: query, little: query }),
  span_gap: { rest: value },
  field_masking_span: withKeys({ query }, 'field'),
  span_field_masking: withKeys({ query }, 'field'),
};
