import type { DatabaseConnector, MigrationSession } from '../../connectors/database/engine.ts';
import type { Dialect } from '../../connectors/database/statement/dialect.ts';
import { scan } from '../../connectors/database/statement/scanner.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { MigrationFile } from './files.ts';
import {
  type AppliedMigration,
  createLedger,
  formerTable,
  ledgerTable,
  readFormer,
  readLedger,
  record,
} from './ledger.ts';

/** One migration and whether the database has it. */
export interface MigrationState {
  readonly name: string;
  /** `edited`: the file is not what was applied; `missing`: it was applied and is no longer there. */
  readonly state: 'applied' | 'pending' | 'edited' | 'missing';
  /** RFC 3339; undefined while pending. */
  readonly appliedAt: string | undefined;
}

/** Called while migrations are applied. */
export interface MigrationProgress {
  started?(file: MigrationFile): void;
  applied?(file: MigrationFile): void;
  failed?(file: MigrationFile, failure: Failure): void;
}

/** What the database has and lacks, in the order of names. Changes nothing; waits while another process migrates. */
export async function migrationStatus(
  connector: DatabaseConnector,
  files: readonly MigrationFile[],
  clock: Clock,
): Promise<readonly MigrationState[]> {
  const applied = await connector.schema.exclusively((session) => known(session, files, clock), undefined);
  return statesOf(files, applied);
}

/**
 * Applies what is pending, in the order of names, each file in one transaction unless it says otherwise
 * (docs/specification/command-line.md#migrations). One process at a time: others wait. Rejects before anything runs
 * when an applied file was edited, and stops at the first file that fails; the files before it stay applied. Resolves
 * with the names that were applied now.
 */
export function applyMigrations(
  connector: DatabaseConnector,
  files: readonly MigrationFile[],
  clock: Clock,
  progress: MigrationProgress = {},
  signal?: AbortSignal,
): Promise<readonly string[]> {
  return connector.schema.exclusively(async (session) => {
    const applied = await known(session, files, clock);
    refuseEdited(connector.name, files, applied);
    const { dialect } = connector;
    if (!(await session.tableExists(ledgerTable))) {
      await createLedger(session, dialect, files, await session.tableExists(formerTable), clock.now());
    }
    const done: string[] = [];
    for (const file of files.filter((one) => !applied.has(one.name))) {
      signal?.throwIfAborted();
      progress.started?.(file);
      try {
        await applyOne(session, dialect, file, clock);
      } catch (error) {
        const failure = explain(error, file, dialect);
        progress.failed?.(file, failure);
        throw failure;
      }
      done.push(file.name);
      progress.applied?.(file);
    }
    return done;
  }, signal);
}

async function known(
  session: MigrationSession,
  files: readonly MigrationFile[],
  clock: Clock,
): Promise<Map<string, AppliedMigration>> {
  if (await session.tableExists(ledgerTable)) return readLedger(session);
  if (!(await session.tableExists(formerTable))) return new Map();
  const former = await readFormer(session, files, clock.now());
  return new Map(former.map((entry) => [entry.name, entry]));
}

async function applyOne(session: MigrationSession, dialect: Dialect, file: MigrationFile, clock: Clock): Promise<void> {
  const entry = () => ({ name: file.name, checksum: file.checksum, appliedAt: new Date(clock.now()).toISOString() });
  if (!file.transactional) {
    await session.script(file.sql);
    return record(session, dialect, entry());
  }
  refuseOwnTransaction(file, dialect);
  await session.transaction(async () => {
    await session.script(file.sql);
    await record(session, dialect, entry());
  });
}

function statesOf(
  files: readonly MigrationFile[],
  applied: ReadonlyMap<string, AppliedMigration>,
): readonly MigrationState[] {
  const present = new Set(files.map((file) => file.name));
  const states = files.map((file): MigrationState => {
    const entry = applied.get(file.name);
    if (entry === undefined) return { name: file.name, state: 'pending', appliedAt: undefined };
    return { name: file.name, state: isEdited(file, entry) ? 'edited' : 'applied', appliedAt: entry.appliedAt };
  });
  for (const entry of applied.values()) {
    if (!present.has(entry.name)) states.push({ name: entry.name, state: 'missing', appliedAt: entry.appliedAt });
  }
  return states.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isEdited(file: MigrationFile, entry: AppliedMigration): boolean {
  return entry.checksum !== '' && entry.checksum !== file.checksum;
}

function refuseEdited(
  connector: string,
  files: readonly MigrationFile[],
  applied: ReadonlyMap<string, AppliedMigration>,
): void {
  const edited = files.filter((file) => {
    const entry = applied.get(file.name);
    return entry !== undefined && isEdited(file, entry);
  });
  if (edited.length === 0) return;
  const names = edited.map((file) => file.name).join(', ');
  throw new Failure(
    'connector_failed',
    `${names}: edited after being applied to database "${connector}". Restore the file, and write the change as a new migration`,
    { retriable: false },
  );
}

const endings = new Set(['begin', 'commit', 'rollback', 'start', 'abort']);

function refuseOwnTransaction(file: MigrationFile, { lexis }: Dialect): void {
  if (!scan(file.sql, lexis).statements.some((one) => endings.has(one.words[0] ?? ''))) return;
  throw new Failure(
    'connector_failed',
    `${file.name} begins or ends a transaction, and already runs in one. Remove its BEGIN and COMMIT, or begin it with \`-- svc: no-transaction\``,
    { retriable: false },
  );
}

function explain(error: unknown, file: MigrationFile, { runtimeTables }: Dialect): Failure {
  const failure = error instanceof Failure ? error : new Failure('internal', String(error), { cause: error });
  const rest = !file.transactional
    ? 'it runs without a transaction, so what came before may have been kept'
    : runtimeTables.undoesSchema
      ? 'nothing of this file was kept'
      : 'a statement that changes tables ends its transaction in this database, so what came before may have been kept';
  return new Failure(failure.code, `${file.name}: ${failure.message}; ${rest}`, {
    cause: failure,
    at: failure.at,
    retriable: failure.retriable,
  });
}
