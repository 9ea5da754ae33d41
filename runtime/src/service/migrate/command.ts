import { type DatabaseConnector, isDatabase } from '../../connectors/database/engine.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import { type Clock, systemClock } from '../../foundation/observe/clock.ts';
import { planMigrations } from './files.ts';
import { applyMigrations, migrationStatus } from './migrate.ts';

export interface MigrateOptions {
  readonly action: 'apply' | 'status';
  /** Absolute path of the configuration. */
  readonly directory: string;
  /** Every connector of the configuration, made and not open. */
  readonly connectors: readonly Connector[];
  /** `--connector`; needed when there are several databases. */
  readonly connector?: string | undefined;
  /** Standard output: the result, line by line. */
  readonly print: (line: string) => void;
  /** Standard error. */
  readonly complain: (line: string) => void;
  /** Makes what the service itself needs in a database, after its files are applied; says what it did. */
  readonly finish?: ((connector: Connector) => Promise<readonly string[]>) | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `svc migrate` and `svc migrate status` (docs/specification/command-line.md#migrations). Resolves with the exit
 * status: 0 when all is applied (or the status was printed), 1 when a migration or the database failed or a file was
 * edited, 2 when the connector is not clear.
 */
export async function migrate(options: MigrateOptions): Promise<0 | 1 | 2> {
  const chosen = choose(options);
  if (typeof chosen === 'string') {
    options.complain(chosen);
    return 2;
  }
  try {
    const files = await planMigrations(options.directory, chosen.name);
    await chosen.open(options.signal ?? new AbortController().signal);
    const clock = options.clock ?? systemClock;
    return options.action === 'status'
      ? await status(options, chosen, files, clock)
      : await apply(options, chosen, files, clock);
  } catch (error) {
    options.complain(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    const closed = new AbortController();
    const late = systemClock.sleep(closeTime, closed.signal).catch(() => undefined);
    await Promise.race([chosen.close().catch(() => undefined), late]);
    closed.abort();
  }
}

/** Milliseconds in which the connector may close: a database that does not answer may prevent it. */
const closeTime = 2_000;

type Files = Awaited<ReturnType<typeof planMigrations>>;

async function apply(options: MigrateOptions, connector: DatabaseConnector, files: Files, clock: Clock): Promise<0> {
  const progress = {
    applied: (file: Files[number]) => options.print(`Applying ${file.name}... OK`),
    failed: (file: Files[number]) => options.print(`Applying ${file.name}... FAILED`),
  };
  const applied = await applyMigrations(connector, files, clock, progress, options.signal);
  if (files.length === 0) options.print(`No migrations for "${connector.name}".`);
  else
    options.print(
      applied.length === 0 ? `"${connector.name}" is up to date.` : `${applied.length} applied to "${connector.name}".`,
    );
  for (const line of (await options.finish?.(connector)) ?? []) options.print(line);
  return 0;
}

async function status(
  options: MigrateOptions,
  connector: DatabaseConnector,
  files: Files,
  clock: Clock,
): Promise<0 | 1> {
  const states = await migrationStatus(connector, files, clock);
  for (const { name, state } of states) options.print(`[${state}] ${name}`);
  if (states.length === 0) options.print(`No migrations for "${connector.name}".`);
  return states.some(({ state }) => state === 'edited') ? 1 : 0;
}

/** The database that is meant, or what to say when that is not clear. */
function choose({ connectors, connector }: MigrateOptions): DatabaseConnector | string {
  const databases = connectors.filter(isDatabase);
  const names = databases.map((database) => database.name).join(', ');
  if (connector !== undefined) {
    const found = databases.find((database) => database.name === connector);
    if (found !== undefined) return found;
    return `there is no relational database connector "${connector}"${names === '' ? '' : `; there is ${names}`}`;
  }
  if (databases.length === 1) return databases[0] as DatabaseConnector;
  return databases.length === 0
    ? 'the configuration has no relational database connector'
    : `there are several databases; choose one with --connector: ${names}`;
}
