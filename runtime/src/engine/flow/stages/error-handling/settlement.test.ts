import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../../foundation/errors/failures.ts';
import { serve } from '../../../plan/testing/service.ts';

/** The outcome that the source of a message gets when the work of its flow failed. */
async function settled(
  handling: string,
  code: FailureCode,
  options: { retriable?: boolean; sinkFails?: boolean } = {},
) {
  const service = await serve(
    `flow "f" {
  from {
    connector = "events"
  }
  to {
    connector = "db"
    target    = "t"
  }
  error_handling {
    ${handling}
  }
}`,
    {
      answer: ({ connector }) => {
        if (connector === 'db' || options.sinkFails) throw new Failure(code, 'it broke', options);
        return { affected: 1 };
      },
    },
  );
  const failure = await Promise.resolve()
    .then(() => service.deliver('f', { n: 1 }))
    .catch((error: Failure) => error);
  return failure instanceof Failure ? failure.settle : failure;
}

const onError = (action: string) => `on_error {\n action = "${action}"\n }`;
const fallback = 'fallback {\n connector = "peer"\n target = "lost"\n }';

describe('the outcome of a message whose flow failed', () => {
  test.each([
    ['on_error for failures that may pass', onError('ack'), 'connector_refused', {}, 'ack'],
    ['on_error, with the word reject', onError('reject'), 'connector_refused', {}, 'reject'],
    ['on_error, which is not for timeouts', onError('reject'), 'connector_timeout', {}, undefined],
    ['on_timeout for those', 'on_timeout {\n action = "requeue"\n }', 'connector_timeout', {}, 'requeue'],
    [
      'permanent failures are left to the source',
      onError('reject'),
      'connector_refused',
      { retriable: false },
      undefined,
    ],
    ['retry, which does not settle', onError('retry'), 'connector_refused', {}, undefined],
    ['what the fallback took is done', fallback, 'connector_refused', {}, 'ack'],
    ['what it did not take is not', fallback, 'connector_refused', { sinkFails: true }, undefined],
    ['unless configured otherwise', `${fallback}\n${onError('reject')}`, 'connector_refused', {}, 'reject'],
    [
      'no caller waits for the answer of error_response',
      'error_response {\n status = 502\n }',
      'connector_refused',
      {},
      undefined,
    ],
  ] as const)('%s', async (_title, handling, code, options, expected) => {
    expect(await settled(handling, code, options)).toBe(expected);
  });
});
