import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Milliseconds after which a command is ended. */
const longest = 10_000;

/**
 * What no configuration of a repository may change: no program of it is run (hooks, a monitor of files), no folder is
 * taken for a repository because of what is in it.
 */
const fixed = [
  '--no-pager',
  '--no-optional-locks',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit'].flatMap((each) => [
    '-c',
    each,
  ]),
];

/** The variables that git reads of this person. What says where a repository is, or what it runs, is left out. */
const kept = ['PATH', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'SystemRoot', 'TMPDIR', 'TEMP'];

const added = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // An object that is missing is not fetched: that would run what the repository names for it.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
} as const;

/** Runs commands of the git of this system that read, in a folder. */
export class GitCommand {
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(program: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#env = env;
  }

  /** Undefined where this system has no git. */
  static async find(environment: Environment): Promise<GitCommand | undefined> {
    const env = Object.fromEntries(kept.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
    const file = process.platform === 'win32' ? 'git.exe' : 'git';
    const path = environment['PATH'] ?? environment['Path'] ?? '';
    // A folder that is not named by its whole path would be one of the project.
    for (const folder of path.split(delimiter).filter((each) => isAbsolute(each))) {
      const program = join(folder, file);
      if (await isProgram(program)) return new GitCommand(program, { ...env, PATH: path, ...added });
    }
    return undefined;
  }

  /**
   * What a command prints. Undefined where it fails, takes too long or prints more than `most` bytes; status 1 says no
   * to a question.
   */
  run(directory: string, args: readonly string[], most: number, input = ''): Promise<Buffer | undefined> {
    const options = {
      cwd: directory,
      env: this.#env,
      timeout: longest,
      killSignal: 'SIGKILL',
      maxBuffer: most,
      windowsHide: true,
      encoding: 'buffer',
    } as const;
    return new Promise((resolve) => {
      const child = execFile(this.#program, [...fixed, ...args], options, (error, said) =>
        resolve(error === null || error.code === 1 ? said : undefined),
      );
      // It may end before it has read everything.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
