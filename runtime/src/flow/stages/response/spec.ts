import { block, cel } from '@svc/protocol/schema';

const reads = ['input', 'output', 'step', 'enriched', 'lock'];

export const response = block({
  doc: 'Shapes the answer. `output` is what the destination answered; a list is `output.items`.',
  reusable: true,
  attributes: {
    http_status_code: cel('HTTP status of the answer: a number or its digits.', { reads }),
  },
  fields: cel('A field of the answer.', { reads }),
  unavailable: ['grpc_status_code'],
  example: 'response {\n  http_status_code = "201"\n  id               = "output.id"\n}',
});
