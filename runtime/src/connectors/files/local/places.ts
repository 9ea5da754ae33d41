import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Failure } from '../../../foundation/errors/failure.ts';
import { folderOf, nameOf } from '../path.ts';
import { failureOf } from './failure.ts';

/** Names that Windows gives to devices, whatever is behind a dot. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Where the files of a folder are on the disk. Links are followed, and refused where they lead out of the folder. */
export class Places {
  /** The folder itself, without links. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** The file that a path leads to, through links; where it does not exist, the place where it would be. */
  async file(path: string): Promise<string> {
    refuseDevices(path);
    try {
      return this.#contained(await realpath(join(this.root, path)), path);
    } catch (error) {
      if (!isMissing(error)) throw failureOf(error, path);
      return this.entry(path);
    }
  }

  /** The entry of a path in its folder: of a link, the link itself. */
  async entry(path: string): Promise<string> {
    refuseDevices(path);
    return path === '' ? this.root : join(await this.file(folderOf(path)), nameOf(path));
  }

  /** Makes the folder around a path, where the connector may; otherwise it must exist. */
  async makeAround(path: string, mayCreate: boolean): Promise<void> {
    const folder = folderOf(path);
    const at = await this.file(folder);
    if (mayCreate) await makeFolders(at, folder);
    else if (!(await isThere(at)))
      throw new Failure('not_found', `the folder "${folder}" does not exist, and create_dirs is false`);
  }

  #contained(real: string, path: string): string {
    const { root } = this;
    if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
    throw new Failure('value_refused', `"${path}" leads out of its folder through a link`);
  }
}

/** Makes a folder and those around it; one that is there stays. */
export async function makeFolders(at: string, path: string): Promise<void> {
  try {
    await makeFolder(at);
  } catch (error) {
    throw failureOf(error, path);
  }
}

/** Node's own recursion says of a file system that is read-only that the folder does not exist. */
async function makeFolder(at: string): Promise<void> {
  try {
    await mkdir(at);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(at) !== at) {
      await makeFolder(dirname(at));
      await makeFolder(at);
    } else if (code !== 'EEXIST' || !(await isFolder(at))) throw error;
  }
}

async function isFolder(at: string): Promise<boolean> {
  return stat(at).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function isThere(at: string): Promise<boolean> {
  return lstat(at).then(
    () => true,
    () => false,
  );
}

/** Nothing is there, or a part of the path is a file. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function refuseDevices(path: string): void {
  if (process.platform !== 'win32') return;
  if (path.split('/').some((name) => device.test(name) || /[:<>"|?*]|[. ]$/.test(name)))
    throw new Failure('value_refused', `"${path}" has a name that Windows keeps for itself`);
}
