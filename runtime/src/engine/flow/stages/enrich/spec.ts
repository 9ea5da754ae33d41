import { block, cel, reference, text } from '@svc/protocol/schema';
import { carriedByEnrichment } from '../../../../connectors/core/words-spec.ts';

const reads = ['input', 'step', 'lock'];

export const enrich = block({
  doc: 'Fetches something that the transform reads as `enriched.<name>`.',
  label: { name: 'name', doc: 'Name of the result.' },
  result: 'enriched',
  repeated: true,
  attributes: {
    connector: reference('The connector that is asked.', 'connector', { required: true }),
    operation: text('An operation of the connector, or a table to read.', {
      required: true,
      refersTo: 'operation',
      atConnector: true,
    }),
  },
  blocks: {
    params: block({
      doc: 'Parameters of the call, or the filters of a read.',
      asAttribute: true,
      keys: 'parameters',
      fields: cel('Value of one parameter.', { reads, waits: true }),
    }),
  },
  dependent: { by: 'connector', at: 'enrich', reads, shared: carriedByEnrichment },
  example:
    'enrich "price" {\n  connector = "prices"\n  operation = "GET /prices/:sku"\n  params {\n    sku = "input.sku"\n  }\n}',
});
