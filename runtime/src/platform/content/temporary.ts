import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskState } from '../../foundation/disk/disk-state.ts';

/** The disk of the temporary files of this process. */
export const temporaryFiles = new DiskState(`temporary files (${tmpdir()})`);

/** Makes a folder for temporary files whose name begins so. */
export function temporaryFolder(prefix: string): Promise<string> {
  return temporaryFiles.writing(() => mkdtemp(join(tmpdir(), prefix)));
}
