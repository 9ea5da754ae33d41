import { argument, block, cel, ofPlace, text } from '@svc/protocol/schema';
import { transaction } from './transaction-spec.ts';

const query = text('SQL with `:name` parameters, taken from the message and the payload.');
const queryFilter = argument('Filters by name; `":id"` takes the field `id` of the message.', { reads: ofPlace });
const headers = block({
  doc: 'Headers of the request; they win over those of the connector. Null sends none.',
  asAttribute: true,
  fields: cel('Value of one header.', { reads: ofPlace }),
});

/**
 * Words that flows carry out for the connectors that take them. A connector takes one by naming it in its own `words`;
 * its calls then have it in `query`, `filters`, `headers` and `within`.
 */
export const carried = {
  query,
  query_filter: queryFilter,
  headers,
  transaction,
} as const;

/** What flows may find written in a `to`. */
export const carriedByDestination = block({
  doc: 'Words that destinations of some connectors have.',
  attributes: { query, query_filter: queryFilter },
  blocks: { headers, transaction },
});

/** What flows may find written in a step. */
export const carriedByStep = block({
  doc: 'Words that steps of some connectors have.',
  attributes: { query },
  blocks: { headers },
});

export const carriedByEnrichment = block({
  doc: 'Words that enrichments of some connectors have.',
  blocks: { headers },
});

export const carriedByAction = block({ doc: 'Words that actions on some connectors have.', attributes: { query } });
