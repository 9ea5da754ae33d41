import type { Report } from '@svc/protocol/model';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import { sourcesIn } from '../flow/sources-in.ts';
import type { storage } from '../sync/storage-spec.ts';
import type { FlowRule } from './every-flow.ts';

/** Blocks with a `storage` block of their own. */
const words = ['lock', 'semaphore', 'coordinate', 'sequence_guard'] as const;

/** What is written about locks and permits has an effect, and the token of a lock is read where there is a lock. */
export const checkSynchronisation: FlowRule = ({ name, values }, _connectors, report) => {
  for (const word of words) checkStorage(values[word]?.storage, report);
  const { lock, coordinate, sequence_guard: guard } = values;
  if (coordinate?.preflight !== undefined && coordinate.wait === undefined)
    report('inert-block', 'preflight looks before a wait, and there is none', originOf(coordinate, 'preflight'), {
      severity: 'warning',
      help: 'Write wait { … }, or remove it.',
    });
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

function checkStorage(written: Values<typeof storage> | undefined, report: Report): void {
  if (written?.driver !== 'memory') return;
  for (const word of ['url', 'host', 'port', 'password', 'db'] as const)
    if (isWritten(written, word))
      report('inert-attribute', `${word} has no effect with driver = "memory"`, originOf(written, word), {
        help: 'Write driver = "redis", or remove it.',
      });
}
