import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../support/servers/program.ts';

/** What a machine without Java or Maven lacks; absent when it has both. */
export function missingJava(): string | undefined {
  for (const program of ['java', 'mvn']) {
    if (findProgram(program) === undefined) return `${program} (apt-get install default-jdk-headless maven)`;
  }
  return undefined;
}

/** Fetches artifacts of Maven (`group:artifact:version`) with what they need, into a class path. */
export async function classPath(folder: string, artifacts: readonly string[]): Promise<string> {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  const own = '<groupId>svc</groupId><artifactId>peer</artifactId><version>1</version>';
  const project = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${own}`;
  writeFileSync(join(folder, 'pom.xml'), `${project}<dependencies>${dependencies.join('')}</dependencies></project>`);
  const file = join(folder, 'classpath');
  const ask = ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${file}`];
  const run = (args: readonly string[]) => promisify(execFile)('mvn', [...args], { cwd: folder });
  await run(['-o', ...ask]).catch(() => run(ask));
  return readFileSync(file, 'utf8').trim();
}
