import { Failure } from '../../../foundation/errors/failure.ts';
import { programPath } from '../../../platform/processes/lookup.ts';
import { Program } from '../../../platform/processes/program.ts';
import { PluginProblem } from '../install/problem.ts';
import { shownPath } from './file-writer.ts';

/** Settings that hold whatever the configuration of the user says: nothing of a repository is run or followed. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.symlinks=false',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.bigFileThreshold=16m',
  'fetch.recurseSubmodules=false',
  'fetch.unpackLimit=1',
  'fetch.writeCommitGraph=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'protocol.https.allow=always',
  'protocol.ssh.allow=always',
  'protocol.file.allow=always',
  'protocol.ext.allow=never',
  'http.followRedirects=initial',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=30',
  'advice.detachedHead=false',
] as const;

/** Variables of git that say how a user signs in; all others, such as where a repository is, are left out. */
const kept =
  /^GIT_(ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|CONFIG_GLOBAL|CONFIG_COUNT|CONFIG_(KEY|VALUE)_\d+)$/;

export interface GitCall {
  readonly args: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path that it runs in. */
  readonly cwd: string;
  /** What it reads. Default: nothing. */
  readonly input?: string;
  /** What is done, for messages: `list the tags of github.com/x/geo`. */
  readonly doing: string;
}

/**
 * Runs the `git` of this machine and gives what it writes as it comes. Throws PluginProblem when there is no git, when it fails,
 * or does not end in time; it is ended when the reader stops reading.
 */
export async function* git(call: GitCall): AsyncGenerator<Buffer, void, undefined> {
  const { args, timeout, signal, cwd, input = '', doing } = call;
  const env = environmentOfGit(call.variables);
  const file = await programPath('git', { env, directory: cwd, warn: () => undefined }).catch((cause: unknown) => {
    throw new PluginProblem('There is no git in PATH, which fetches repositories: install it (https://git-scm.com).', {
      cause,
    });
  });
  const stop = new AbortController();
  const end = (reason: string) => stop.abort(new Failure('connector_timeout', reason));
  const timer = setTimeout(() => end(`git did not ${doing} within ${timeout / 1000} s`), timeout);
  const interrupted = () => end('interrupted');
  signal.addEventListener('abort', interrupted, { once: true });
  if (signal.aborted) interrupted();
  try {
    const all = [...settings.flatMap((setting) => ['-c', setting]), ...args];
    const options = { stop: stop.signal, killAfter: 2_000, maxStderr: 4_096 };
    const program = new Program({ file, args: all, env, cwd }, options);
    try {
      program.stdin.end(input);
      yield* program.output();
      const { status } = await program.exit;
      if (status !== 0) throw new PluginProblem(`git could not ${doing}: ${said(program.stderr)}`);
    } finally {
      program.end(new Failure('cancelled', 'no one reads it any more'), true);
      await program.gone;
    }
  } catch (error) {
    throw error instanceof Failure ? new PluginProblem(`${error.message}.`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupted);
  }
}

/** Everything that git writes, at most `most` bytes. Throws as `git` does. */
export async function gitText(call: GitCall, most: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of git(call)) {
    length += piece.length;
    if (length > most) throw new PluginProblem(`git wrote more than ${most} bytes to ${call.doing}.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/**
 * The variables of git: those of the service, since helpers for credentials may read any, but none that would point git to
 * another repository or at another program, and those that keep it from asking.
 */
export function environmentOfGit(
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables))
    if (value !== undefined && name !== 'SSH_ASKPASS' && (!/^GIT_/i.test(name) || kept.test(name))) env[name] = value;
  return {
    ...(env['GIT_SSH'] === undefined && { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20' }),
    ...env,
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PROTOCOL_FROM_USER: '0',
    GCM_INTERACTIVE: 'never',
    LC_ALL: 'C',
  };
}

/** The last lines of what git says, without credentials that an address may hold. */
function said(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const text = lines
    .slice(-3)
    .join(' ')
    .replace(/:\/\/[^/\s@]*@/g, '://***@');
  return text === '' ? 'it said nothing.' : `${shownPath(text).replace(/\.?$/, '')}.`;
}
