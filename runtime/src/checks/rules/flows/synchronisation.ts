import type { Report } from '@svc/protocol/model';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { blockOf, blockStages } from '../../../engine/flow/pipeline/stages.ts';
import { sourcesIn } from '../../../engine/flow/sources-in.ts';
import type { coordinate } from '../../../engine/flow/stages/coordinate/spec.ts';
import { isProcessLocal, sharedStorage, type storage } from '../../../platform/sync/storage-spec.ts';

/** Blocks with a `storage` block of their own. */
const words = blockStages.filter(({ keeps }) => keeps?.storage === 'own').map(({ word }) => word);

/** What is written about locks and permits has an effect, and the token of a lock is read where there is a lock. */
export const checkSynchronisation: FlowRule = ({ name, values }, _connectors, report) => {
  for (const word of words) {
    const block = blockOf(values, word) as { readonly storage?: Values<typeof storage> } | undefined;
    checkStorage(block?.storage, report);
  }
  const { lock, coordinate, sequence_guard: guard } = values;
  if (coordinate !== undefined) checkWaiting(coordinate, report);
  if (guard !== undefined && lock === undefined)
    report(
      'unguarded-sequence',
      `two messages of one key may pass the sequence_guard of flow "${name}" at once`,
      originOf(values, 'sequence_guard'),
      {
        severity: 'info',
        help: 'Put a lock with the same key into the flow.',
      },
    );
  if (lock?.wait === false && isWritten(lock, 'retry'))
    report('inert-attribute', 'retry has no effect with wait = false', originOf(lock, 'retry'), {
      severity: 'warning',
      help: 'Remove it, or let messages wait.',
    });
  if (lock !== undefined) return;
  for (const { source, origin } of sourcesIn(values))
    if (/(^|[^\w.'"])lock\s*\.\s*token\b/.test(source))
      report('missing-lock', `lock.token is read, and flow "${name}" has no lock`, origin, {
        help: 'Write lock { key = "…" } into the flow.',
      });
};

/** Attributes of a wait that only say something where there is one. */
const aboutWaiting = ['timeout', 'on_timeout', 'max_retries', 'max_concurrent_waits'] as const;

function checkWaiting(block: Values<typeof coordinate>, report: Report): void {
  if (block.wait !== undefined) {
    if (isWritten(block, 'max_retries') && block.on_timeout !== 'retry')
      report(
        'inert-attribute',
        'max_retries has no effect without on_timeout = "retry"',
        originOf(block, 'max_retries'),
        {
          severity: 'warning',
          help: 'Write on_timeout = "retry", or remove it.',
        },
      );
    return;
  }
  const help = 'Write wait { … }, or remove it.';
  if (block.preflight !== undefined)
    report('inert-block', 'preflight looks before a wait, and the block has no wait', originOf(block, 'preflight'), {
      severity: 'warning',
      help,
    });
  for (const word of aboutWaiting)
    if (isWritten(block, word))
      report('inert-attribute', `${word} is about a wait, and the block has no wait`, originOf(block, word), {
        severity: 'warning',
        help,
      });
}

function checkStorage(written: Values<typeof storage> | undefined, report: Report): void {
  if (written === undefined || !isProcessLocal(written)) return;
  for (const word of ['url', 'host', 'port', 'password', 'db'] as const)
    if (isWritten(written, word))
      report('inert-attribute', `${word} has no effect with driver = "${written.driver}"`, originOf(written, word), {
        help: `Write ${sharedStorage}, or remove it.`,
      });
}
