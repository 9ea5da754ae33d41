import { randomBytes } from 'node:crypto';
import { folderOf, joined, nameOf } from '../path.ts';

const unfinished = /^\.svc-[0-9a-f]{24}\.tmp$/;

/** A name beside a file under which it is written, until it takes its place. */
export function unfinishedBeside(path: string): string {
  return joined(folderOf(path), `.svc-${randomBytes(12).toString('hex')}.tmp`);
}

/** Whether the last name of a path is that of a file that is being written. Lists leave it out. */
export function isUnfinished(path: string): boolean {
  return unfinished.test(nameOf(path));
}
