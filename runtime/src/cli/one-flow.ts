import { closest } from '@svc/protocol/text';
import type { Plan } from '../contracts/plan.ts';
import { UnreachableProblem } from '../service/problems.ts';
import type { Loaded } from '../service/setup.ts';
import { type ExitStatus, type Streams, UsageError } from './command.ts';
import { reportText } from './report.ts';

/** Shows why a configuration cannot be used. */
export function refuse({ diagnostics, files }: Loaded, { error }: Streams): ExitStatus {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const texts = new Map(files.map(({ file, text: source }) => [file, source]));
  error.write(`${reportText({ diagnostics: errors, texts }, error.colour)}\n`);
  return 1;
}

/** Throws UsageError for a flow that does not exist. */
export function refuseUnknown(flow: string, { flows }: Plan): void {
  if (flows.includes(flow)) return;
  const near = closest(flow, flows);
  const hint = near === undefined ? `; these exist: ${flows.join(', ')}` : `; did you mean "${near}"?`;
  throw new UsageError(`there is no flow "${flow}"${flows.length === 0 ? '' : hint}`);
}

/** One line for each thing to fix. */
export function problemText(error: unknown): string {
  if (!(error instanceof UnreachableProblem)) return error instanceof Error ? error.message : String(error);
  return error.unreachable
    .map(({ connector, type, reason }) => `connector "${connector}" (${type}) cannot be used: ${reason}`)
    .join('\n');
}
