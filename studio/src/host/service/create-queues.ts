import { execFile } from 'node:child_process';
import type { RunnerOptions } from './runner-options.ts';

const longest = 60_000;

/** Declares the queues that a service takes messages from and that do not exist; gives what was made. */
export function createQueues(
  { program: { executable, args }, environment: env }: Pick<RunnerOptions, 'program' | 'environment'>,
  cwd: string,
): Promise<readonly string[]> {
  const command = [...args, 'check', '--create-queues', '-c', cwd];
  return new Promise((resolve, reject) => {
    execFile(executable, command, { cwd, env, timeout: longest, windowsHide: true }, (error, said, complained) => {
      const lines = said.split('\n');
      const failed = lines.find((line) => /^failed .*could not be created: /.test(line));
      const created = lines.flatMap((line) => /^created [\w-]+: queue "(.+)"$/.exec(line)?.[1] ?? []);
      if (failed !== undefined) reject(new Error(failed.replace(/^failed\s+/, '')));
      // Another connector that cannot be reached is reported when the service starts.
      else if (created.length > 0 || error === null) resolve(created);
      else reject(new Error(`the queues could not be created: ${complained.trim() || error.message}`));
    });
  });
}

/** The queue that a line of a service's log says is missing; undefined for every other line. */
export function missingQueue(line: string): string | undefined {
  return /\bqueue \\?"(.+?)\\?" does not exist/.exec(line)?.[1];
}
