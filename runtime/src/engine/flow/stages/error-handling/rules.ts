import type { Report } from '@svc/protocol/model';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import { specsOf, titleOf } from '../../../../connectors/core/declaration.ts';
import type { FlowRule } from '../../every-flow.ts';
import type { retry as retrySpec } from './spec.ts';

/** Checks that a retry has several attempts, and that its bounds agree. `title` names its owner. */
export function checkRetry(title: string, retry: Values<typeof retrySpec> | undefined, report: Report): void {
  if (retry === undefined) return;
  if (retry.attempts === 1 && !isWritten(retry, 'attempts'))
    report('inert-block', `retry of ${title} has no attempts, so nothing is retried`, originOf(retry), {
      severity: 'warning',
      help: 'Write attempts = 3; it counts the first attempt.',
    });
  if (retry.max_delay < retry.delay && isWritten(retry, 'max_delay'))
    report('contradicting-bounds', 'max_delay is shorter than delay', originOf(retry, 'max_delay'), {
      help: 'Make it at least as long as delay.',
      related: [{ message: 'delay is here', ...originOf(retry, 'delay') }],
    });
}

/** Checks that error handling can take effect: fallbacks can be written to, and retries retry. */
export const checkErrorHandling: FlowRule = ({ name, values }, connectors, report) => {
  const { retry, fallback, on_timeout: late, on_error: failed } = values.error_handling ?? {};
  checkRetry(`flow "${name}"`, retry, report);
  for (const disposition of [late, failed])
    if (disposition?.action === 'retry' && !retry)
      report(
        'inert-block',
        `flow "${name}" has no retry block, so nothing is retried`,
        originOf(disposition, 'action'),
        {
          severity: 'warning',
          help: 'Write retry { attempts = 3 } into error_handling.',
        },
      );
  const connector = fallback && connectors.get(fallback.connector);
  if (!fallback || !connector) return;
  const targets = specsOf(connector).flatMap(({ target }) => target ?? []);
  if (specsOf(connector).length > 0 && !targets.some(({ abilities }) => abilities.includes('write')))
    report('not-a-target', `${titleOf(connector)} cannot be written by a flow`, originOf(fallback, 'connector'), {
      help: 'Name a connector that messages go to.',
    });
  // A refused attribute is absent, although it is required.
  const target: string | undefined = fallback.target;
  if (target === undefined) return;
  const problem = targets.map(({ checkTarget }) => checkTarget?.(target)).find((one) => one !== undefined);
  if (problem !== undefined)
    report('malformed-target', problem, originOf(fallback, 'target'), {
      help: `It is in the fallback of flow "${name}".`,
    });
};
