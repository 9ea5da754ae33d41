import { code, type Place, query, script, value, values } from './place.ts';

const highlighting = values(
  'boundary_chars',
  'boundary_max_scan',
  'boundary_scanner',
  'boundary_scanner_locale',
  'encoder',
  'force_source',
  'fragment_offset',
  'fragment_size',
  'fragmenter',
  'matched_fields',
  'max_analyzed_offset',
  'max_fragment_length',
  'no_match_size',
  'number_of_fragments',
  'order',
  'phrase_limit',
  'post_tags',
  'pre_tags',
  'require_field_match',
  'tags_schema',
  'type',
);
const highlighted: Place = { keys: { ...highlighting, highlight_query: query } };
const highlight: Place = { keys: { ...highlighted.keys, fields: { rest: highlighted } } };

/** A field that is shown, with its format. */
const shownField: Place = { value: true, keys: values('field', 'format', 'include_unmapped') };

/** How hits are shown and ordered, which several parts of a search say. */
export const hits: Place = {
  keys: {
    ...values('stored_fields', 'explain', 'version', 'seq_no_primary_term'),
    _source: { value: true, keys: values('includes', 'excludes', 'include', 'exclude', 'exclude_vectors') },
    fields: shownField,
    docvalue_fields: shownField,
    script_fields: { ...code, rest: { keys: { script, ignore_failure: value } } },
    sort: { like: 'sort' },
    highlight,
  },
};

/** Named hits below a hit. */
export const innerHits: Place = {
  like: 'hits',
  keys: {
    ...values('name', 'from', 'size', 'track_scores', 'ignore_unmapped'),
    collapse: { keys: values('field') },
  },
};
