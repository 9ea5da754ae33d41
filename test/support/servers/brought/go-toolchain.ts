import { chmodSync, cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../program.ts';
import { KeptFolder } from './kept-folder.ts';
import { fetchStep, step } from './step.ts';

/** The first version that gets a later one itself where a module asks for it. */
const firstThatSwitches = 21;
/** What an older one gets: its modules have every version since. */
const version = '1.26.8';

export const goEnvironment = { GOTOOLCHAIN: 'auto', GOFLAGS: '-buildvcs=false', GOWORK: 'off' } as const;

const later = new KeptFolder({
  name: `go-${version}`,
  isWhole: (folder) => existsSync(join(folder, 'bin', 'go')),
  make: takeFromModule,
});

/** A command of Go that builds modules which ask for a later version than that of the system. */
export async function goCommand(): Promise<string> {
  const go = findProgram('go') as string;
  const minor = /go1\.(\d+)/.exec(await step(go, ['version'], { env: { GOTOOLCHAIN: 'local' } }))?.[1];
  return Number(minor) >= firstThatSwitches ? go : join(await later.made(), 'bin', 'go');
}

/** Toolchains are modules too. Those that know it give their files the rights to be run, and their own module its name. */
async function takeFromModule(folder: string): Promise<void> {
  const go = findProgram('go') as string;
  const platform = (await step(go, ['env', 'GOHOSTOS', 'GOHOSTARCH'])).trim().replace('\n', '-');
  const module = `golang.org/toolchain@v0.0.1-go${version}.${platform}`;
  const { Dir } = JSON.parse(await fetchStep(go, ['mod', 'download', '-json', module], { cwd: folder })) as {
    readonly Dir: string;
  };
  cpSync(Dir, folder, { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  renameSync(join(folder, 'src', '_go.mod'), join(folder, 'src', 'go.mod'));
  for (const tools of ['bin', join('pkg', 'tool', platform.replace('-', '_'))])
    for (const tool of readdirSync(join(folder, tools))) chmodSync(join(folder, tools, tool), 0o755);
}
