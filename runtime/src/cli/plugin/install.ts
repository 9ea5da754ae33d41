import { install, type Outcome, type Purpose } from '../../engine/plugins/install/install.ts';
import type { Streams } from '../command.ts';
import { table } from '../table.ts';
import type { RunAction } from './action.ts';
import { untilInterrupted } from './interrupt.ts';
import { siteOf } from './site.ts';

/** `svc plugin install`: brings what the lock names, and what is declared and not in it. */
export const run: RunAction = installing('install');

/** Installs for one purpose, and says what was done. */
export function installing(purpose: Purpose): RunAction {
  return async (invocation, only) => {
    const { options, streams } = invocation;
    const site = await siteOf(invocation);
    const outcomes = await untilInterrupted((signal) =>
      install(site, {
        purpose,
        only,
        frozen: options['frozen'] === true,
        signal,
        progress: (line) => streams.error.write(`${line}\n`),
      }),
    );
    if (options['format'] === 'json') streams.out.write(`${JSON.stringify({ plugins: outcomes }, null, 2)}\n`);
    else show(outcomes, streams);
    return 0;
  };
}

function show(outcomes: readonly Outcome[], { out }: Streams): void {
  if (outcomes.length === 0) out.write('No plugins are declared.\n');
  else {
    const rows = outcomes.map(({ name, version, result }) => [name, version ?? '', result]);
    for (const line of table([['NAME', 'VERSION', 'RESULT'], ...rows])) out.write(`${line}\n`);
  }
}
