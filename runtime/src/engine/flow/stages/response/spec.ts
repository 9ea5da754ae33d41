import { block, cel } from '@svc/protocol/schema';

const reads = ['input', 'output', 'step', 'enriched', 'lock'];

export const response = block({
  doc: 'Shapes the answer. `output` is what the destination answered; a list is `output.items`.',
  reusable: true,
  attributes: {
    http_status_code: cel('HTTP status of the answer: a number or its digits.', { reads, waits: true }),
    grpc_status_code: cel(
      'Status of gRPC that a call ends with, 0 to 16, a number or its digits; 0 answers. The text of the status is the field `error` or `message`.',
      { reads, waits: true },
    ),
  },
  blocks: {
    headers: block({
      doc: 'Headers of an answer over HTTP, such as `location` of a redirect. Null sends none.',
      asAttribute: true,
      fields: cel('Value of one header.', { reads, waits: true }),
      example: 'headers {\n  location = "step.begun.auth_url"\n}',
    }),
  },
  fields: cel('A field of the answer.', { reads, waits: true }),
  example: 'response {\n  http_status_code = "201"\n  id               = "output.id"\n}',
});
