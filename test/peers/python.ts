import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KeptFolder } from '../support/servers/brought/kept-folder.ts';
import { fetchStep, step } from '../support/servers/brought/step.ts';
import { findProgram } from '../support/servers/program.ts';

/** What a machine without Python lacks; absent when it has it. */
export function missingPython(): string | undefined {
  return findProgram('python3') === undefined ? 'python3 (apt-get install python3-venv)' : undefined;
}

/** Packages of Python (`httpx[http2]==0.28.1`) in an environment of their own; gives its interpreter. */
export async function pythonWith(name: string, packages: readonly string[]): Promise<string> {
  const interpreter = join('bin', 'python3');
  const digest = createHash('sha256').update(packages.join()).digest('hex').slice(0, 12);
  const kept = new KeptFolder({
    name: `${name}-${digest}`,
    isWhole: (folder) => existsSync(join(folder, interpreter)),
    make: async (folder) => {
      await step(findProgram('python3') as string, ['-m', 'venv', folder]);
      const install = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', ...packages];
      await fetchStep(join(folder, interpreter), install);
    },
  });
  return join(await kept.made(), interpreter);
}
