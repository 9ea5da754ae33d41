import { lookup, type Place, query, value, values } from './place.ts';
import { knn } from './queries.ts';

const retriever: Place = { like: 'retriever' };

/** Ways by which a search finds its hits, each of them in one key. */
export const retrievers: Readonly<Record<string, Place>> = {
  standard: {
    keys: {
      ...values('search_after', 'terminate_after', 'min_score', '_name'),
      query,
      filter: query,
      sort: { like: 'sort' },
      collapse: { keys: values('field') },
    },
  },
  knn: { ...knn, rest: undefined },
  rrf: {
    keys: {
      ...values('rank_window_size', 'rank_constant', 'query', 'fields', 'min_score', '_name'),
      retrievers: retriever,
      filter: query,
    },
  },
  linear: {
    keys: {
      ...values('rank_window_size', 'query', 'fields', 'normalizer', 'min_score', '_name'),
      retrievers: { keys: { ...values('weight', 'normalizer'), retriever } },
      filter: query,
    },
  },
  text_similarity_reranker: {
    keys: { ...values('field', 'inference_text', 'rank_window_size', 'min_score'), retriever, filter: query },
  },
  pinned: { keys: { ids: value, docs: { keys: { _id: value, _index: lookup } }, retriever } },
};
