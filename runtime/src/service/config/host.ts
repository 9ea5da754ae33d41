import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import type { ConfigurationHost } from '@svc/protocol/model';
import { FileProblem, isBelow, readRegularFile } from '../../foundation/disk/regular-file.ts';
import { decodeUtf8 } from '../../platform/formats/encoding.ts';
import type { Variables } from './dotenv.ts';

export interface NodeHostOptions {
  /** Absolute path of the configuration. */
  readonly directory: string;
  readonly workingDirectory: string;
  /** `.env` included. */
  readonly variables: Variables;
  /** Whether files are read only where they are below the directory once every link is followed. Default: anywhere. */
  readonly confined?: boolean;
  /** Called with each file that is found only under the working directory. */
  readonly warn?: (message: string) => void;
}

/** What configuration files may ask of this machine. Relative paths are taken from the configuration directory. */
export function nodeHost({
  directory,
  workingDirectory,
  variables,
  confined = false,
  warn,
}: NodeHostOptions): ConfigurationHost {
  const within = confined ? directory : undefined;
  const absolutePath = (path: string) => (isAbsolute(path) ? path : resolve(directory, path));
  return {
    env: (name) => variables[name],
    absolutePath,
    missingFile: (path) => (existsSync(absolutePath(path)) ? undefined : absolutePath(path)),
    misplacedFile: (path) => {
      const [place, elsewhere] = [absolutePath(path), resolve(workingDirectory, path)];
      return place !== elsewhere && !existsSync(place) && existsSync(elsewhere) ? elsewhere : undefined;
    },
    readFile: (path) => {
      const first = absolutePath(path);
      const second = resolve(workingDirectory, path);
      if (first === second || existsSync(first) || !existsSync(second)) return readText(first, path, within);
      const text = readText(second, path, within);
      warn?.(
        `the file ${path} is not in the configuration directory; ${relativeName(workingDirectory, second)} of the working directory is read`,
      );
      return text;
    },
  };
}

function relativeName(directory: string, path: string): string {
  return relative(directory, path) || path;
}

function readText(path: string, written: string, within: string | undefined): string {
  try {
    if (within !== undefined && !isBelow(path, within)) throw new FileProblem('it is outside the opened folder');
    const { text, unreadable } = decodeUtf8(readRegularFile(path));
    if (unreadable !== undefined) throw new FileProblem('it is not UTF-8 text');
    return text;
  } catch (error) {
    throw new Error(`the file ${written} cannot be read: ${reasonOf(error)} (${path})`);
  }
}

/** Why the system, or we, do not read a file. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ELOOP') return 'its links lead back to themselves';
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES') return 'this user may not read it';
  if (code === 'EISDIR') return 'it is a directory';
  return error instanceof Error ? error.message : String(error);
}
