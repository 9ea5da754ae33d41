import { code, data, type Place, value, values } from './place.ts';

/** How words are corrected or completed. */
const suggesting = values(
  'accuracy',
  'analyzer',
  'confidence',
  'field',
  'force_unigrams',
  'fuzziness',
  'gram_size',
  'lowercase_terms',
  'max_edits',
  'max_errors',
  'max_inspections',
  'max_term_freq',
  'min_doc_freq',
  'min_length',
  'min_word_length',
  'post_filter',
  'pre_filter',
  'prefix_length',
  'real_word_error_likelihood',
  'separator',
  'shard_size',
  'size',
  'skip_duplicates',
  'sort',
  'string_distance',
  'suggest_mode',
  'token_limit',
);
const fuzzy = values('fuzziness', 'transpositions', 'min_length', 'prefix_length', 'unicode_aware');

/** Suggestions by their names. */
export const suggest: Place = {
  keys: values('text'),
  rest: {
    keys: {
      ...values('text', 'prefix', 'regex'),
      term: { keys: suggesting },
      phrase: {
        keys: {
          ...suggesting,
          direct_generator: { keys: suggesting },
          highlight: { keys: values('pre_tag', 'post_tag') },
          smoothing: { rest: { rest: value } },
          // A template of a query, which is run for each suggestion.
          collate: { ...code, keys: { params: data } },
        },
      },
      completion: {
        keys: {
          ...suggesting,
          fuzzy: { value: true, keys: fuzzy },
          regex: { keys: values('flags', 'max_determinized_states') },
          contexts: data,
        },
      },
    },
  },
};
