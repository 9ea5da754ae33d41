import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { Failure } from '../../foundation/errors/failure.ts';

const isWindows = process.platform === 'win32';

/** Where programs are looked for. */
export interface Lookup {
  /** Variables of the program, of which `PATH` and, on Windows, `PATHEXT` are read. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path that relative paths of the configuration are taken from. */
  readonly directory: string;
  /** Notified when a program is found below the working directory alone. */
  readonly warn: (message: string) => void;
}

/**
 * The absolute path of a program: a name is looked for in `PATH`, a path is taken from the configuration directory. Rejects
 * with `connector_refused` when no program may be run there.
 */
export async function programPath(command: string, { env, directory, warn }: Lookup): Promise<string> {
  if (!/[/\\]/.test(command) || (!isWindows && !command.includes('/'))) {
    const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
    for (const folder of folders)
      for (const path of spellings(join(folder, command), env)) if (await isProgram(path)) return path;
    throw new Failure('connector_refused', `there is no program "${command}" in PATH (${folders.join(delimiter)})`);
  }
  const path = resolve(directory, command);
  const elsewhere = resolve(command);
  for (const each of spellings(path, env)) if (await isProgram(each)) return each;
  if (elsewhere !== path && (await isProgram(elsewhere))) {
    warn(`the program ${command} is not in the configuration directory; ${elsewhere} of the working directory is run`);
    return elsewhere;
  }
  throw new Failure('connector_refused', `${path} is not a program that may be run`);
}

function spellings(path: string, env: Readonly<Record<string, string>>): readonly string[] {
  if (!isWindows) return [path];
  return [path, ...(env['PATHEXT'] ?? '.COM;.EXE').split(';').map((ending) => `${path}${ending.toLowerCase()}`)];
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
