import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import type { ConfigurationHost } from '@svc/protocol/model';
import type { Variables } from './dotenv.ts';

export interface NodeHostOptions {
  /** Absolute path of the configuration. */
  readonly directory: string;
  readonly workingDirectory: string;
  /** `.env` included. */
  readonly variables: Variables;
  /** Told of each file that is found only under the working directory (decisions 47). */
  readonly warn?: (message: string) => void;
}

const largestFile = 16 * 1024 * 1024;

/** What configuration files may ask of this machine. Relative paths are taken from the configuration directory. */
export function nodeHost({ directory, workingDirectory, variables, warn }: NodeHostOptions): ConfigurationHost {
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
      if (first === second || existsSync(first) || !existsSync(second)) return readText(first, path);
      const text = readText(second, path);
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

function readText(path: string, written: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`the file ${written} cannot be read: ${reasonOf(error)} (${path})`);
  }
  if (bytes.length > largestFile) throw new Error(`the file ${written} is larger than 16 MiB (${path})`);
  return bytes.toString('utf8');
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES') return 'this user may not read it';
  if (code === 'EISDIR') return 'it is a directory';
  return error instanceof Error ? error.message : String(error);
}
