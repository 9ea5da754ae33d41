import { type ExecFileOptions, execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PreviewedMessage } from '../../shared/services.ts';
import type { RunnerOptions } from './runner-options.ts';

/** Milliseconds for a flow with everything that it reads. */
const longest = 20_000;
const mostBytes = 16 * 1024 * 1024;

/** What `svc preview` says that a flow would send for one message. Rejects with why it would send nothing. */
export async function preview(
  { program: { executable, args }, environment: env }: Pick<RunnerOptions, 'program' | 'environment'>,
  cwd: string,
  { flow, input }: { readonly flow: string; readonly input: string },
): Promise<readonly PreviewedMessage[]> {
  // Arguments of a command can be read by everyone on the machine.
  const folder = await mkdtemp(join(tmpdir(), 'svc-preview-'));
  try {
    const file = join(folder, 'input.json');
    await writeFile(file, input, { mode: 0o600 });
    const command = [...args, 'preview', 'all', flow, '--input-file', file, '--format', 'json', '-c', cwd];
    return await previewed(executable, command, {
      cwd,
      env,
      timeout: longest,
      maxBuffer: mostBytes,
      windowsHide: true,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function previewed(
  executable: string,
  command: readonly string[],
  surroundings: ExecFileOptions,
): Promise<readonly PreviewedMessage[]> {
  return new Promise((resolve, reject) => {
    execFile(executable, command, { ...surroundings, encoding: 'utf8' }, (error, said, complained) => {
      const messages = messagesIn(said);
      // A flow may send first and fail afterwards.
      if (messages.length > 0) resolve(messages);
      else reject(new Error(complained.trim().replace(/^svc preview: /, '') || error?.message || 'it sends nothing'));
    });
  });
}

/** Empty for what is not whole: the program was ended in the middle of it, or has said too much. */
function messagesIn(said: string): readonly PreviewedMessage[] {
  try {
    const value: unknown = JSON.parse(said);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
