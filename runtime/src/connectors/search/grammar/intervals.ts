import { type Place, script, values } from './place.ts';

const intervals: Place = { like: 'intervals' };

const filter: Place = {
  keys: {
    after: intervals,
    before: intervals,
    contained_by: intervals,
    containing: intervals,
    not_contained_by: intervals,
    not_containing: intervals,
    not_overlapping: intervals,
    overlapping: intervals,
    script,
  },
};

/** Rules of `intervals`, which are a language of their own. */
export const rules: Readonly<Record<string, Place>> = {
  match: { keys: { ...values('query', 'max_gaps', 'ordered', 'analyzer', 'use_field'), filter } },
  prefix: { keys: values('prefix', 'analyzer', 'use_field') },
  wildcard: { keys: values('pattern', 'analyzer', 'use_field', 'max_expansions') },
  regexp: { keys: values('pattern', 'flags', 'flags_value', 'use_field', 'max_expansions', 'case_insensitive') },
  fuzzy: { keys: values('term', 'prefix_length', 'transpositions', 'fuzziness', 'analyzer', 'use_field') },
  range: { keys: values('gt', 'gte', 'lt', 'lte', 'analyzer', 'use_field') },
  all_of: { keys: { ...values('max_gaps', 'ordered', 'mode'), intervals, filter } },
  any_of: { keys: { intervals, filter } },
};
