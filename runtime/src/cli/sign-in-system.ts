import type { Project } from '@svc/protocol/model';
import { loadFactory } from '../connectors/registry.ts';
import { noTrail } from '../engine/auth/audit/trail.ts';
import type { AuditWriter } from '../engine/auth/audit/writer.ts';
import { composeAuth } from '../engine/auth/compose.ts';
import { Hooks } from '../engine/auth/hooks/hooks.ts';
import { SessionEndings } from '../engine/auth/sessions/endings.ts';
import { settingsOf } from '../engine/auth/settings.ts';
import { auth } from '../engine/auth/spec.ts';
import type { AuthSystem } from '../engine/auth/system.ts';
import { accountStoreOf, auditWriterOf, stateStoreOf } from '../engine/plan/auth.ts';
import { serviceNameOf } from '../engine/plan/service-name.ts';
import type { Connector, ConnectorServices } from '../foundation/contracts/connector.ts';
import { systemClock } from '../foundation/observe/clock.ts';
import { commandCloseTime, withinTime } from '../platform/net/within-time.ts';
import { loadConfiguration } from '../service/config/load.ts';
import { directoryOf } from './call.ts';
import type { ExitStatus, Invocation } from './command.ts';
import { withoutService } from './connector-services.ts';
import { reportText } from './report.ts';

export interface SignInWork {
  /** As messages begin. */
  readonly command: string;
  /** Whether sessions and tickets are needed, so that their store is opened. */
  readonly state: boolean;
  readonly work: (system: AuthSystem, signal: AbortSignal) => Promise<ExitStatus>;
}

/**
 * Does work with the sign-in system of a configuration, without a service around it, and closes it afterwards. Resolves
 * with 1 where the configuration has errors or no accounts that anything but the service can reach, or the work failed.
 */
export async function withSignInSystem(invocation: Invocation, { command, state: needsState, work }: SignInWork) {
  const { streams, environment, workingDirectory } = invocation;
  const complain = (text: string): ExitStatus => {
    streams.error.write(`svc ${command}: ${text}\n`);
    return 1;
  };
  const directory = directoryOf({ ...invocation, positionals: [] });
  const load = { environment, workingDirectory, tests: false, workers: 1 };
  const { project, diagnostics, texts } = await loadConfiguration(directory, load);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(reportText({ diagnostics: errors, texts }, streams.error.colour));
    return 1;
  }
  const written = project.one('auth', auth);
  if (written === undefined) return complain('the configuration has no auth block');
  const settings = settingsOf(written);
  if (settings.users === undefined)
    return complain('the memory of the service alone holds its accounts; write auth { users { connector = … } }');
  const name = settings.users.connector;
  const services = withoutService(directory, streams);
  const connectors = await made(project, [name, settings.audit?.enabled ? settings.audit.connector : name], services);
  const shared = { ...services, share: <T>(_key: string, make: () => T) => make() };
  const accounts = accountStoreOf(settings, project, connectors, shared);
  const state = stateStoreOf(settings, accounts, shared);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  let audit: AuditWriter | undefined;
  try {
    audit = auditWriterOf(settings, project, connectors, { ...services, failed: () => undefined });
    const system = composeAuth({
      settings,
      serviceName: serviceNameOf(project),
      accounts,
      state,
      hooks: new Hooks(new Map(), { log: services.log, background: () => undefined }),
      audit: audit ?? noTrail,
      places: undefined,
      providers: undefined,
      clock: systemClock,
      log: services.log,
      endings: new SessionEndings(),
      limitsAlone: () => undefined,
    });
    for (const connector of connectors.values()) await connector.open(interrupt.signal);
    await system.accounts.open(interrupt.signal);
    await audit?.open();
    if (needsState) await state.open(interrupt.signal);
    return await work(system, interrupt.signal);
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error));
  } finally {
    process.off('SIGINT', stop);
    // What waits to be recorded is written first.
    await audit?.stop();
    const close = () => Promise.all([...[...connectors.values()].map((each) => each.close()), state.close()]);
    await withinTime(commandCloseTime, close).catch(() => undefined);
  }
}

async function made(project: Project, names: readonly string[], services: ConnectorServices) {
  const connectors = new Map<string, Connector>();
  for (const name of new Set(names)) {
    const declaration = project.connectors.get(name);
    if (declaration?.spec === undefined) continue;
    connectors.set(name, (await loadFactory(declaration.spec))(name, declaration.values, services));
  }
  return connectors;
}
