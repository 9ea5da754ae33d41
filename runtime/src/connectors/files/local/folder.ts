import { existsSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure } from '../../../foundation/errors/failure.ts';

/**
 * The folder of a connector: relative to the configuration directory. One that exists only below the working directory is
 * refused, naming both, since an empty one instead would look like lost files.
 */
export async function openFolder(
  connector: string,
  written: string,
  { directory, create }: { readonly directory: string; readonly create: boolean },
): Promise<string> {
  const path = resolve(directory, written);
  const elsewhere = resolve(written);
  const refuse = (message: string, cause?: unknown) =>
    new Failure('connector_refused', `connector "${connector}": ${message}`, {
      cause,
      retriable: false,
      at: { connector },
    });
  if (elsewhere !== path && !existsSync(path) && existsSync(elsewhere))
    throw refuse(
      `base_path "${written}" does not exist at ${path}, where relative paths begin at the configuration, but at ${elsewhere}. Move the folder, or write its whole path`,
    );
  try {
    if (create) await mkdir(path, { recursive: true });
    const real = await realpath(path);
    if (!(await stat(real)).isDirectory()) throw refuse(`base_path ${path} is not a folder`);
    return real;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw refuse(`base_path ${path} ${remedies[code] ?? `cannot be used: ${message}`}`, error);
  }
}

/** What is wrong with a folder, and how it is corrected, by the error of the system. */
const remedies: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist. Make the folder, or write create_dirs = true',
  EACCES: 'may not be used by the user of the service: permission denied. Give it the folder and those around it',
};
