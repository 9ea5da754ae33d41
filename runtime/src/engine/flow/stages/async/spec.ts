import { block, lifetime, oneOf, reference } from '@svc/protocol/schema';

export const async = block({
  doc: 'Answers 202 with the id of a job once the message has passed the gates, and does the rest in the background. `GET /jobs/:job_id` of the same connector returns its state and result.',
  attributes: {
    storage: reference('The cache connector that keeps the records of jobs.', 'storage', { required: true }),
    ttl: lifetime('How long the record of a job is kept.', { default: 3_600_000, min: 1 }),
    scope: oneOf('`process` accepts that each worker sees its own jobs only.', ['process']),
  },
  example: 'async {\n  storage = "memory"\n  ttl     = "2h"\n}',
});
