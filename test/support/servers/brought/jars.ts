import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findProgram } from '../program.ts';
import { KeptFolder } from './kept-folder.ts';
import { fetchStep, step } from './step.ts';

export interface JarsSource {
  readonly name: string;
  readonly version: string;
  /** What Maven resolves: `group:artifact:version`. */
  readonly artifacts: readonly string[];
}

/** Archives of Java that Maven keeps in its own repository; here is where they are. */
export class Jars {
  readonly #folder: KeptFolder;

  constructor({ name, version, artifacts }: JarsSource) {
    const make = (folder: string) => resolve(folder, artifacts);
    this.#folder = new KeptFolder({ name: `${name}-${version}`, isWhole: areThere, make });
  }

  /** Whether they can be taken, and used. */
  get isInstalled(): boolean {
    return runs('java') && runs('javac') && (this.#folder.isMade || findProgram('mvn') !== undefined);
  }

  /** All of them, as Java reads it. */
  async classPath(): Promise<string> {
    return classPathIn(await this.#folder.made());
  }
}

function classPathIn(folder: string): string {
  return readFileSync(join(folder, 'classpath'), 'utf8').trim();
}

function areThere(folder: string): boolean {
  return (
    existsSync(join(folder, 'classpath')) &&
    classPathIn(folder)
      .split(delimiter)
      .every((file) => existsSync(file))
  );
}

/** What Maven has already, else from outside. */
async function resolve(folder: string, artifacts: readonly string[]): Promise<void> {
  const mvn = findProgram('mvn') as string;
  const dependencies = artifacts.map((each) => {
    const [group, artifact, version] = each.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  writeFileSync(
    join(folder, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>svc.test</groupId><artifactId>server</artifactId><version>1</version>
<dependencies>${dependencies.join('\n')}</dependencies></project>\n`,
  );
  const file = join(folder, 'classpath');
  const ask = ['-q', '-B', '-C', 'dependency:build-classpath', `-Dmdep.outputFile=${file}`];
  try {
    await step(mvn, ['-o', ...ask], { cwd: folder });
  } catch {
    rmSync(file, { force: true });
    await fetchStep(mvn, ask, { cwd: folder });
  }
}

/** Whether a program runs: Debian may have the name of one that is not there. */
function runs(program: string): boolean {
  const path = findProgram(program);
  if (path === undefined) return false;
  try {
    execFileSync(path, ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
