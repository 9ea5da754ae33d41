import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const compiler = join(dirname(createRequire(import.meta.url).resolve('assemblyscript/package.json')), 'bin', 'asc.js');

/** Carries out the `build` of a package whose command is `asc`. Rejects with what the compiler reports. */
export async function compileAssemblyScript(folder: string, build: string): Promise<void> {
  const [program, ...words] = build.split(' ');
  if (program !== 'asc') throw new Error(`the build is not one of asc: ${build}`);
  await promisify(execFile)(process.execPath, [compiler, ...words], { cwd: folder });
}
