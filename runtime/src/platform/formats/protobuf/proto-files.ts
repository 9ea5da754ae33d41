import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files that are looked at in one folder and those below it. */
const mostFiles = 1_000;
const deepest = 16;

/**
 * The `.proto` files of a folder and of those below it, sorted, by their paths from `directory` on. Links are not followed.
 * Throws an Error that says why a folder cannot be read, or that it holds too many files.
 */
export function protoFilesIn(directory: string, folder: string): readonly string[] {
  const found: string[] = [];
  const visit = (place: string, depth: number) => {
    if (depth > deepest) throw new Error(`${folder} holds folders deeper than ${deepest} levels`);
    for (const entry of readdirSync(join(directory, place), { withFileTypes: true })) {
      const path = place === '' ? entry.name : `${place}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') visit(path, depth + 1);
      else if (entry.isFile() && entry.name.endsWith('.proto')) found.push(path);
      if (found.length > mostFiles) throw new Error(`${folder} holds more than ${mostFiles} .proto files`);
    }
  };
  visit(folder, 0);
  return found.sort();
}
