import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../program.ts';
import { KeptFolder } from './kept-folder.ts';
import { fetchStep, step } from './step.ts';

export interface PythonSource {
  readonly name: string;
  readonly version: string;
  /** Optional parts of the package. */
  readonly extras?: readonly string[];
  /** Further packages of the same environment: `httpx[http2]==0.28.1`. */
  readonly beside?: readonly string[];
}

/** A package of Python, in an environment of its own. */
export class PythonPackage {
  readonly #folder: KeptFolder;

  constructor({ name, version, extras = [], beside = [] }: PythonSource) {
    const isWhole = (folder: string) => existsSync(interpreter(folder));
    const wanted = [`${name}[${extras.join()}]==${version}`, ...beside];
    const digest = createHash('sha256').update(beside.join()).digest('hex').slice(0, 12);
    const make = async (folder: string) => {
      await step(findProgram('python3') as string, ['-m', 'venv', folder]);
      await fetchStep(interpreter(folder), ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', ...wanted]);
    };
    this.#folder = new KeptFolder({
      name: [name, version, ...(beside.length > 0 ? [digest] : [])].join('-'),
      isWhole,
      make,
    });
  }

  /** Whether it is there, or what makes it is. */
  get isInstalled(): boolean {
    return this.#folder.isMade || makesEnvironments();
  }

  /** The interpreter that has the package, as soon as it is made. */
  async python(): Promise<string> {
    return interpreter(await this.#folder.made());
  }
}

function interpreter(folder: string): string {
  return join(folder, 'bin', 'python3');
}

/** Debian has Python without what makes environments. */
function makesEnvironments(): boolean {
  const python = findProgram('python3');
  if (python === undefined) return false;
  try {
    execFileSync(python, ['-c', 'import ensurepip, venv'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
