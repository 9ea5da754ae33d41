import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isMissing } from './stored.ts';

const longest = 1_024;
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Why a path may not name something of a project; undefined when it may. The rules are those of every system at once, so
 * that a project does not mean one thing here and another there.
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
    // What stands there is run by git.
    if (part.toLowerCase() === '.git') return 'what is below .git is not opened';
  }
  return undefined;
}

/**
 * The absolute path of something in a project, with every link on the way resolved. The last part may be missing. Rejects
 * when the path is not below `root`, which is itself resolved.
 */
export async function confined(root: string, path: string): Promise<string> {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new Error(problem);
  const resolved = await resolveExisting(join(root, path));
  if (resolved === undefined || !resolved.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error(`"${path}" leads out of the project`);
  return resolved;
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
  return parent === undefined ? undefined : join(parent, path.slice(dirname(path).length + 1));
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
