import type { Project } from '@svc/protocol/model';
import { dialectOf } from '../../connectors/database/engines.ts';
import { loadFactory } from '../../connectors/registry.ts';
import { settingsOf } from '../../engine/auth/settings.ts';
import { auth } from '../../engine/auth/spec.ts';
import { accountStoreOf } from '../../engine/plan/auth.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { migrate } from '../../service/migrate/command.ts';
import { directoryOf } from '../call.ts';
import { type Run, UsageError } from '../command.ts';
import { withoutService } from '../connector-services.ts';
import { reportText } from '../report.ts';

export const run: Run = async (invocation) => {
  const { options, positionals, streams, environment, workingDirectory } = invocation;
  const [action] = positionals;
  if (action !== undefined && action !== 'status') throw new UsageError(`"${action}" is unknown; it can be status`);
  const directory = directoryOf({ ...invocation, positionals: [] });
  const load = { environment, workingDirectory, tests: false, workers: 1 };
  const { project, diagnostics, texts } = await loadConfiguration(directory, load);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(reportText({ diagnostics: errors, texts }, streams.error.colour));
    return 1;
  }
  const services = withoutService(directory, streams);
  const connectors: Connector[] = [];
  for (const { name, spec, values } of project.connectors.values())
    if (spec !== undefined && dialectOf(spec) !== undefined)
      connectors.push((await loadFactory(spec))(name, values, services));
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  return migrate({
    action: action === 'status' ? 'status' : 'apply',
    directory,
    connectors,
    connector: typeof options['connector'] === 'string' ? options['connector'] : undefined,
    print: (line) => streams.out.write(`${line}\n`),
    complain: (line) => streams.error.write(`svc migrate: ${line}\n`),
    finish: (connector) => signInTables(project, connector, services.log),
    signal: interrupt.signal,
  });
};

/** The tables of the sign-in system, where it keeps its accounts in this database. */
async function signInTables(project: Project, connector: Connector, log: Log): Promise<readonly string[]> {
  const written = project.one('auth', auth);
  if (written?.users?.connector !== connector.name) return [];
  const settings = settingsOf(written);
  const share = <T>(_key: string, make: () => T) => make();
  const store = accountStoreOf(settings, project, new Map([[connector.name, connector]]), { share, log });
  await store.open(new AbortController().signal);
  return [`Tables of the sign-in system are in "${connector.name}".`];
}
