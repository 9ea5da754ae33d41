import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Processes that a process has started, and that run. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  const processes = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return processes.flatMap(([own, parent, state]) =>
    Number(parent) === pid && !state?.startsWith('Z') ? [Number(own)] : [],
  );
}
