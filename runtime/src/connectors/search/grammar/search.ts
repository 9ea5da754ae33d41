import { code, lookup, type Place, query, value, values } from './place.ts';
import { knn } from './queries.ts';
import { suggest } from './suggest.ts';

/** One hit for each value of a field. */
const collapse: Place = {
  keys: { ...values('field', 'max_concurrent_group_searches'), inner_hits: { like: 'innerHits' } },
};

/** The body of a search. */
export const search: Place = {
  like: 'hits',
  keys: {
    ...values('from', 'size', 'timeout', 'terminate_after', 'min_score', 'search_after'),
    ...values('track_scores', 'track_total_hits', 'profile', 'stats'),
    query,
    post_filter: query,
    rescore: {
      keys: {
        window_size: value,
        query: {
          keys: { ...values('query_weight', 'rescore_query_weight', 'score_mode'), rescore_query: query },
        },
      },
    },
    knn: { ...knn, rest: undefined },
    retriever: { like: 'retriever' },
    rank: { keys: { rrf: { keys: values('rank_window_size', 'rank_constant') } } },
    aggs: { like: 'aggregations' },
    aggregations: { like: 'aggregations' },
    collapse,
    suggest,
    runtime_mappings: code,
    derived: code,
    indices_boost: lookup,
    pit: lookup,
  },
};
