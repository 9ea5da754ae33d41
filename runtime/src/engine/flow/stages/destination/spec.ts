import { argument, block, cel, flag, reference, text } from '@svc/protocol/schema';
import { carriedByDestination } from '../../../../connectors/core/words-spec.ts';

const reads = ['input', 'output', 'step', 'lock'];

export const to = block({
  doc: 'Where the message goes, or what a reading flow reads. Several may be written.',
  repeated: true,
  attributes: {
    connector: reference('The destination.', 'connector', { required: true }),
    target: argument('Table, path, queue or topic; `input.x` takes it from the message.', {
      reads,
      refersTo: 'operation',
      atConnector: true,
    }),
    operation: text(
      'Overrides the verb (`SELECT`, `INSERT`, `UPSERT`, `UPDATE`, `DELETE`), or names an operation of the connector.',
      { refersTo: 'operation' },
    ),
    params: argument('Further parameters for the connector.', { reads, keys: 'parameters' }),
    when: cel('The write happens only when this is true.', { reads, gives: 'bool', waits: true }),
    parallel: flag('Runs concurrently with the other destinations instead of after them.', { default: true }),
    required: flag('With several destinations: the flow fails when this one does.', { default: false }),
    facet: text('Facet of `dedupe` that the destination belongs to: it is written only when that part changed.'),
  },
  blocks: {
    transform: block({
      doc: 'Builds the payload of this destination only.',
      fields: cel('A field of the payload.', { reads: ['input', 'output', 'step', 'enriched', 'lock'], waits: true }),
    }),
  },
  dependent: { by: 'connector', at: 'to', reads, shared: carriedByDestination },
  unavailable: ['filter'],
  example: 'to {\n  connector = "db"\n  target    = "orders"\n}',
});
