import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isMissing } from './stored.ts';

const longest = 1_024;
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Why a path may not name something of a project; undefined when it may. The rules are those of every system at once,
 * so that a project does not mean one thing here and another there.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'the path is empty';
  if (path.length > longest) return `the path is longer than ${longest} characters`;
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'the path has a control character';
  if (path.includes('\\') || path.includes(':')) return `"${path}" has a character that paths of a project do not have`;
  if (path.startsWith('/')) return `"${path}" is not relative to the project`;
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return `"${path}" is not a plain path below the project`;
    if (/[. ]$/.test(part)) return `"${part}" ends with a dot or a blank`;
    if (device.test(part)) return `"${part}" is the name of a device`;
    if (isGitFolder(part)) return gitProblem;
  }
  return undefined;
}

/**
 * The absolute path of what a path of a project leads to, with every link on the way resolved, the last one too. The
 * last part may be missing. Rejects when that is not below `root`, which is itself resolved, or is below `.git`.
 */
export async function confined(root: string, path: string): Promise<string> {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new Error(problem);
  return below(root, path, await resolveExisting(join(root, path)));
}

/**
 * The absolute path of an entry itself, to rename or delete: a link is not followed, only those of the folders above it
 * are. Rejects as `confined` does.
 */
export async function confinedEntry(root: string, path: string): Promise<string> {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new Error(problem);
  const absolute = join(root, path);
  const folder = await resolveExisting(dirname(absolute));
  return below(root, path, folder && join(folder, basename(absolute)));
}

/** The resolved path, checked again: links may have led anywhere. */
function below(root: string, path: string, resolved: string | undefined): string {
  if (resolved === undefined || !resolved.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error(`"${path}" leads out of the project`);
  if (relative(root, resolved).split(sep).some(isGitFolder)) throw new Error(gitProblem);
  return resolved;
}

const gitProblem = 'what is below .git is not opened';
/** Characters that some file systems leave out when they compare names. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether a file system may take a name for `.git`, whose files are run by git; `git~1` is its short name on Windows.
 */
function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~\d+)$/i.test(name.replace(ignoredCharacters, ''));
}

/** Undefined for a link that leads nowhere: writing through it would make what it names. */
async function resolveExisting(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (await exists(path)) return undefined;
  const parent = await resolveExisting(dirname(path));
  return parent === undefined ? undefined : join(parent, basename(path));
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
