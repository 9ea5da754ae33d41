import { spawn } from 'node:child_process';

/** Runs a script of a program, and gives what it wrote, as JSON. Rejects with what it wrote of errors. */
export async function askProgram(program: string, args: readonly string[]): Promise<unknown> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    error += text;
  });
  await new Promise((resolve) => child.on('close', resolve));
  try {
    return JSON.parse(out);
  } catch {
    throw new Error(`${program} wrote: ${out}\n${error}`);
  }
}
