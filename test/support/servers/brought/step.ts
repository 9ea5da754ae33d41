import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Says that what comes from outside cannot be had here: nothing of the project is wrong. */
export class Unobtainable extends Error {}

export interface StepOptions {
  readonly cwd?: string;
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Milliseconds for one step of what is made the first time. */
const timeout = 900_000;
const mostOutput = 64 * 1024 * 1024;

/** Runs a program to its end behind everything else of the machine; resolves with what it wrote. */
export function step(program: string, args: readonly string[], { cwd, env }: StepOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout, maxBuffer: mostOutput };
    const child = execFile(program, [...args], options, (error, output, complaints) => {
      if (error === null) return resolve(output);
      const said = `${output}\n${complaints}`.trim().split('\n').slice(-3).join('\n');
      reject(new Error(`${program} ${args.slice(0, 3).join(' ')}: ${said === '' ? error.message : said}`));
    });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  });
}

/** The same for one that takes something from outside. */
export async function fetchStep(program: string, args: readonly string[], options?: StepOptions): Promise<string> {
  try {
    return await step(program, args, options);
  } catch (error) {
    throw new Unobtainable((error as Error).message);
  }
}
