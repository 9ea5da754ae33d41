import { basename, dirname, relative, resolve, sep } from 'node:path';
import { mebibyte, readRegularFile } from '../foundation/disk/regular-file.ts';
import { projectText } from '../platform/formats/project-text.ts';
import { ContractProblem } from '../tools/import/contract.ts';

/** Largest file that is read, in bytes. */
const largest = 8 * mebibyte;

/** The text of a contract; `path` is what it is called. Throws ContractProblem. */
export function textOf(file: string, path: string): string {
  try {
    return readRegularFile(file, largest).toString('utf8');
  } catch (error) {
    throw new ContractProblem(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The files of the working directory, or of the folder of a file that is elsewhere. */
export function besideOf(file: string, workingDirectory: string) {
  const within = relative(workingDirectory, file);
  const isWithin = !within.startsWith('..') && resolve(workingDirectory, within) === file;
  const [folder, path] = isWithin ? [workingDirectory, within] : [dirname(file), basename(file)];
  return { path: path.replaceAll(sep, '/'), read: (each: string) => projectText(folder, each) };
}
