import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { goCommand, goEnvironment } from '../support/servers/brought/go-toolchain.ts';
import { KeptFolder } from '../support/servers/brought/kept-folder.ts';
import { fetchStep, step } from '../support/servers/brought/step.ts';
import { findProgram } from '../support/servers/program.ts';

/** What a machine without Go lacks; absent when it has it. */
export function missingGo(): string | undefined {
  return findProgram('go') === undefined ? 'go (apt-get install golang-go)' : undefined;
}

/** Sums of what is fetched are written where it is built. */
const env = { ...goEnvironment, GOFLAGS: `${goEnvironment.GOFLAGS} -mod=mod` };

export interface Making {
  /** Further files that it is made of. */
  readonly beside?: readonly string[];
  /** A command of Go that writes sources. */
  readonly generate?: readonly string[];
}

/** A program whose sources are a folder here, with a `go.mod` that says what it is made of. It is made again when these change. */
export class GoSource {
  readonly #name: string;
  readonly #kept: KeptFolder;

  constructor(name: string, folder: string, { beside = [], generate }: Making = {}) {
    const sources = readdirSync(folder)
      .filter((file) => !file.endsWith('.ts'))
      .map((file) => join(folder, file));
    const all = [...sources, ...beside];
    const digest = all.reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256')).digest('hex');
    this.#name = name;
    this.#kept = new KeptFolder({
      name: `${name}-${digest.slice(0, 12)}`,
      isWhole: (made) => existsSync(join(made, name)),
      make: async (made) => {
        for (const file of all) copyFileSync(file, join(made, basename(file)));
        const [go, options] = [await goCommand(), { cwd: made, env }];
        // What sources still to be written import is in `go.mod` already.
        await fetchStep(go, ['mod', 'download', 'all'], options);
        if (generate !== undefined) await fetchStep(go, generate, options);
        await fetchStep(go, ['build', '-p', '2', '-o', name, '.'], options);
      },
    });
  }

  async path(): Promise<string> {
    return join(await this.#kept.made(), this.#name);
  }
}

export interface ReleasedModule {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** Packages of it that are programs, by the name of the program. */
  readonly programs: Readonly<Record<string, string>>;
  readonly tags: string;
  /** Changes of its `go.mod`, such as of a replacement by a folder that its archive does not have. */
  readonly edits?: readonly string[];
}

/** Programs of a module whose `go.mod` replaces others, which Go follows only where the module itself is built. */
export class GoModule {
  readonly #kept: KeptFolder;

  constructor({ name, module, version, programs, tags, edits = [] }: ReleasedModule) {
    this.#kept = new KeptFolder({
      name: `${name}-${version}`,
      isWhole: (made) => Object.keys(programs).every((program) => existsSync(join(made, program))),
      make: async (made) => {
        const go = await goCommand();
        const said = await fetchStep(go, ['mod', 'download', '-json', `${module}@v${version}`], { cwd: made, env });
        const { Dir } = JSON.parse(said) as { readonly Dir: string };
        const source = join(made, 'source');
        cpSync(Dir, source, { recursive: true });
        // What Go keeps of modules is for reading alone.
        await step('chmod', ['-R', 'u+w', source]);
        const options = { cwd: source, env };
        if (edits.length > 0) await step(go, ['mod', 'edit', ...edits], options);
        for (const [program, path] of Object.entries(programs))
          await fetchStep(go, ['build', '-p', '2', '-tags', tags, '-o', join(made, program), path], options);
        rmSync(source, { recursive: true, force: true });
      },
    });
  }

  async path(program: string): Promise<string> {
    return join(await this.#kept.made(), program);
  }
}
