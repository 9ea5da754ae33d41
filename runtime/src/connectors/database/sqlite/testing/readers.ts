import { execFileSync } from 'node:child_process';

/** Process ids of the readers that this process has. */
export function readerProcesses(): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, state, ...words]) => {
      const isOurs = Number(parent) === process.pid && state?.startsWith('Z') === false;
      return isOurs && words.some((word) => word.endsWith('sqlite-reader.ts'));
    })
    .map(([pid]) => Number(pid));
}
