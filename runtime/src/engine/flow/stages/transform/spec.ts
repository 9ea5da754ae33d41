import { block, cel } from '@svc/protocol/schema';
import { enrich } from '../enrich/spec.ts';

export const transform = block({
  doc: 'Builds the payload: one field after another, in written order. `output` holds the fields above.',
  reusable: true,
  builds: 'output',
  blocks: { enrich },
  fields: cel('A field of the payload.', { reads: ['input', 'output', 'step', 'enriched', 'lock'], waits: true }),
  example: 'transform {\n  id    = "uuid()"\n  email = "lower(input.email)"\n}',
});
