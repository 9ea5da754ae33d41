import { satisfies } from 'semver';

/** Whether a range allows a version (https://semver.org). In a file of its own, which is imported when it is needed. */
export function isWithin(version: string, range: string): boolean {
  return satisfies(version, range);
}
