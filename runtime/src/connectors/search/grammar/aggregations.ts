import { box, code, data, type Place, point, query, script, value, values } from './place.ts';

const sort: Place = { like: 'sort' };
const aggregations: Place = { like: 'aggregations' };

/** Options that aggregations of documents have; each has some of them, and none with another meaning. */
const options = values(
  'calendar_interval',
  'collect_mode',
  'compression',
  'execution_hint',
  'exclude',
  'field',
  'fields',
  'fixed_interval',
  'format',
  'gap_policy',
  'interval',
  'keyed',
  'max_docs_per_value',
  'max_doc_count',
  'min_doc_count',
  'minimum_interval',
  'missing',
  'missing_bucket',
  'missing_order',
  'mode',
  'num_buckets',
  'buckets',
  'offset',
  'other_bucket',
  'other_bucket_key',
  'path',
  'percents',
  'precision',
  'precision_threshold',
  'prefix_length',
  'is_ipv6',
  'append_prefix_length',
  'probability',
  'rehash',
  'seed',
  'separator',
  'shard_min_doc_count',
  'shard_size',
  'show_distribution',
  'show_term_doc_count_error',
  'sigma',
  'size',
  'time_zone',
  'type',
  'unit',
  'distance_type',
  'value_type',
  'values',
  'wrap_longitude',
  'filter_duplicate_text',
);

const bounds: Place = { keys: values('min', 'max') };
const picked: Place = { value: true, keys: values('partition', 'num_partitions') };

/** An aggregation of documents by a field or a script. */
const ofDocuments: Place = {
  keys: {
    ...options,
    script,
    include: picked,
    exclude: picked,
    order: { value: true, rest: value },
    ranges: { keys: values('from', 'to', 'key', 'mask') },
    extended_bounds: bounds,
    hard_bounds: bounds,
    bounds: box,
    origin: point,
    tdigest: { keys: values('compression', 'execution_hint') },
    hdr: { keys: values('number_of_significant_value_digits') },
    background_filter: query,
  },
};

/** One of the values that an aggregation compares. */
const compared: Place = { keys: { ...values('field', 'missing', 'format', 'value_type'), script, filter: query } };

/** What is computed from other aggregations. */
const ofBuckets: Place = {
  keys: {
    ...values('gap_policy', 'format', 'unit', 'lag', 'window', 'shift', 'percents', 'sigma', 'keyed', 'method'),
    buckets_path: { value: true, rest: value },
    script,
  },
};

const documents = [
  'adjacency_matrix',
  'auto_date_histogram',
  'avg',
  'boxplot',
  'cardinality',
  'cartesian_bounds',
  'cartesian_centroid',
  'children',
  'date_histogram',
  'date_range',
  'diversified_sampler',
  'extended_stats',
  'geo_bounds',
  'geo_centroid',
  'geo_distance',
  'geohash_grid',
  'geohex_grid',
  'geotile_grid',
  'global',
  'histogram',
  'ip_prefix',
  'ip_range',
  'matrix_stats',
  'max',
  'median_absolute_deviation',
  'min',
  'missing',
  'nested',
  'parent',
  'percentile_ranks',
  'percentiles',
  'random_sampler',
  'range',
  'rare_terms',
  'rate',
  'reverse_nested',
  'sampler',
  'significant_terms',
  'significant_text',
  'stats',
  'string_stats',
  'sum',
  'terms',
  'value_count',
  'variable_width_histogram',
];

const buckets = [
  'avg_bucket',
  'bucket_script',
  'bucket_selector',
  'cumulative_cardinality',
  'cumulative_sum',
  'derivative',
  'extended_stats_bucket',
  'max_bucket',
  'min_bucket',
  'moving_percentiles',
  'normalize',
  'percentiles_bucket',
  'serial_diff',
  'stats_bucket',
  'sum_bucket',
];

/** Named queries, or a list of queries. */
const queries: Place = { rest: query, items: query };

/** One aggregation, with those in its buckets. */
export const aggregation: Place = {
  keys: {
    ...Object.fromEntries(documents.map((name) => [name, ofDocuments])),
    ...Object.fromEntries(buckets.map((name) => [name, ofBuckets])),
    aggs: aggregations,
    aggregations,
    meta: data,
    filter: query,
    filters: { keys: { ...values('other_bucket', 'other_bucket_key', 'keyed'), filters: queries } },
    adjacency_matrix: { keys: { ...values('separator'), filters: queries } },
    multi_terms: { keys: { ...ofDocuments.keys, terms: compared } },
    composite: {
      keys: {
        ...values('size'),
        sources: { rest: { rest: { keys: { ...ofDocuments.keys, order: value } } } },
        after: { rest: value },
      },
    },
    weighted_avg: { keys: { ...values('format', 'value_type'), value: compared, weight: compared } },
    t_test: { keys: { ...values('type'), a: compared, b: compared } },
    top_metrics: { keys: { ...values('size'), metrics: { keys: values('field') }, sort } },
    top_hits: { like: 'hits', keys: values('from', 'size', 'track_scores') },
    scripted_metric: { ...code, keys: { params: data } },
    moving_fn: { keys: { ...ofBuckets.keys, script: code } },
    bucket_sort: { keys: { ...values('from', 'size', 'gap_policy'), sort } },
  },
};
