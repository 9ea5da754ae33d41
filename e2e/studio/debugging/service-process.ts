import { readFileSync } from 'node:fs';

/** The process of the service that a studio started, by that of the studio. */
export function servicePid(studio: number): number {
  return Number(readFileSync(`/proc/${studio}/task/${studio}/children`, 'utf8').trim().split(' ').at(-1));
}
