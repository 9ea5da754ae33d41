import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { Address } from '../../../../platform/net/redis/address.ts';
import type { AccountStore } from '../accounts.ts';
import type { RelationalAccountOptions } from '../relational/accounts.ts';
import type { Beginning, Session, SessionLife, SessionLimit, SessionStore } from '../sessions.ts';
import type { StateStore } from '../state.ts';

/** The last commit whose state has no scope. */
const commit = '7d5d686f';
const root = join(import.meta.dirname, '../../../../..');

type FormerSessions = Omit<SessionStore, 'begin' | 'generation'> & {
  begin(session: Session, life: SessionLife, limit: SessionLimit): Promise<Beginning>;
};

/** The stores of the version before scopes. */
export interface Former {
  readonly accounts: (options: RelationalAccountOptions) => Omit<AccountStore, 'scope'>;
  readonly state: (
    address: Address,
    log: Log,
  ) => Pick<StateStore, 'open' | 'close' | 'attempts' | 'tickets'> & { readonly sessions: FormerSessions };
}

/** The sources of that commit, loaded from a temporary folder; undefined, with a warning, where git does not have it. */
export async function formerVersion(): Promise<Former | undefined> {
  const run = (file: string, words: readonly string[], input?: Buffer) =>
    execFileSync(file, words, { cwd: root, input, maxBuffer: 256 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] });
  const directory = mkdtempSync(join(tmpdir(), 'svc-former-'));
  try {
    run('tar', ['-x', '-C', directory], run('git', ['archive', commit, 'runtime/src', 'runtime/package.json']));
  } catch {
    process.stderr.write(`SKIPPED: git has no commit ${commit}, so that no test runs the version before scopes\n`);
    return undefined;
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const load = (path: string) =>
    import(/* @vite-ignore */ pathToFileURL(join(directory, 'runtime/src/engine/auth/store', path)).href);
  const { RelationalAccountStore } = await load('relational/accounts.ts');
  const { RedisStateStore } = await load('redis/state.ts');
  return {
    accounts: (options) => new RelationalAccountStore(options),
    state: (address, log) => new RedisStateStore('auth:redis', address, log),
  };
}
