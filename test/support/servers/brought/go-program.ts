import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../program.ts';
import { goCommand, goEnvironment } from './go-toolchain.ts';
import { KeptFolder } from './kept-folder.ts';
import { fetchStep, step } from './step.ts';

export interface GoSource {
  readonly name: string;
  /** Of its module, without the `v`. */
  readonly version: string;
  /** The package that is taken from its module. */
  readonly package: string;
  /** A program of the tests on this package; the package itself is one when absent. */
  readonly main?: string;
}

/** A program that Go makes of a module, whose sums the database of sums of Go confirms. */
export class GoProgram {
  readonly #folder: KeptFolder;
  readonly #path: string;

  constructor(source: GoSource) {
    const { name, version, main } = source;
    // A program of the tests is made again when it has changed.
    const own =
      main === undefined ? '' : `-${createHash('sha256').update(readFileSync(main)).digest('hex').slice(0, 8)}`;
    const isWhole = (folder: string) => existsSync(join(folder, name));
    this.#folder = new KeptFolder({
      name: `${name}-${version}${own}`,
      isWhole,
      make: (folder) => build(source, folder),
    });
    this.#path = join(this.#folder.path, name);
  }

  /** Where it is kept; undefined when it was not made yet. */
  get kept(): string | undefined {
    return this.#folder.isMade ? this.#path : undefined;
  }

  /** Whether it is there, or what makes it is. */
  get isInstalled(): boolean {
    return this.#folder.isMade || findProgram('go') !== undefined;
  }

  /** Its path, as soon as it is made. */
  async made(): Promise<string> {
    await this.#folder.made();
    return this.#path;
  }
}

async function build({ name, version, package: wanted, main }: GoSource, folder: string): Promise<void> {
  const go = await goCommand();
  const options = { cwd: folder, env: goEnvironment };
  await step(go, ['mod', 'init', 'svc.test/server'], options);
  await fetchStep(go, ['get', `${wanted}@v${version}`], options);
  if (main !== undefined) copyFileSync(main, join(folder, 'main.go'));
  // Modules that only the program itself needs are fetched here, and little is computed at a time.
  await fetchStep(go, ['list', '-deps', main === undefined ? wanted : '.'], options);
  await step(go, ['build', '-p', '2', '-o', name, main === undefined ? wanted : '.'], options);
}
