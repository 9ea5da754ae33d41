import { execFile } from 'node:child_process';
import type { PreviewedMessage } from '../../shared/services.ts';
import type { RunnerOptions } from './service-runner.ts';

/** Milliseconds for a flow with everything that it reads. */
const longest = 20_000;
const mostBytes = 16 * 1024 * 1024;
/** Characters of a message that fit into the arguments of a command. */
const longestInput = 100_000;

/** What `svc preview` says that a flow would send for one message. Rejects with why it would send nothing. */
export function preview(
  { program: { executable, args }, environment: env }: Pick<RunnerOptions, 'program' | 'environment'>,
  cwd: string,
  { flow, input }: { readonly flow: string; readonly input: string },
): Promise<readonly PreviewedMessage[]> {
  if (input.length > longestInput) throw new Error('the message is too long for a preview');
  const command = [...args, 'preview', 'all', flow, '--input', input, '--format', 'json', '-c', cwd];
  return new Promise((resolve, reject) => {
    const surroundings = { cwd, env, timeout: longest, maxBuffer: mostBytes, windowsHide: true };
    execFile(executable, command, surroundings, (error, said, complained) => {
      const messages = said.startsWith('[') ? (JSON.parse(said) as readonly PreviewedMessage[]) : [];
      // A flow may send first and fail afterwards.
      if (messages.length > 0) resolve(messages);
      else reject(new Error(complained.trim().replace(/^svc preview: /, '') || error?.message || 'it sends nothing'));
    });
  });
}
