import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../free-port.ts';
import { Jars } from '../brought/jars.ts';
import { findProgram, makeFolder, startProgram } from '../program.ts';
import type { RunningServer, Server } from '../server.ts';

const version = '2.19.6';

const jars = new Jars({
  name: 'opensearch',
  version,
  artifacts: [
    `org.opensearch:opensearch:${version}`,
    ...['transport-netty4-client', 'reindex-client', 'lang-painless', 'analysis-common'].map(
      (module) => `org.opensearch.plugin:${module}:${version}`,
    ),
    'org.apache.logging.log4j:log4j-core:2.25.4',
  ],
});

/** Its cluster has a master, and its indices can be used. */
async function answers(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/_cluster/health`);
    return answer.ok && /"status":"(green|yellow)"/.test(await answer.text());
  } catch {
    return false;
  }
}

/** One node of OpenSearch. */
export const opensearch: Server = {
  name: 'OpenSearch',
  variable: 'TEST_OPENSEARCH_URL',
  usualAddress: 'http://127.0.0.1:9200',
  packages: ['default-jdk-headless', 'maven'],
  isInstalled: () => jars.isInstalled,
  answers,
  start: startOpensearch,
};

async function startOpensearch(): Promise<RunningServer> {
  const libraries = await jars.classPath();
  const folder = makeFolder('opensearch');
  const [port, transport] = [await freePort(), await freePort()];
  const launcher = join(import.meta.dirname, 'Launcher.java');
  await promisify(execFile)(findProgram('javac') as string, ['-cp', libraries, '-d', folder, launcher]);
  const quick = ['-Xms512m', '-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  return startProgram({
    program: findProgram('java') as string,
    args: [
      ...quick,
      '-cp',
      `${folder}${delimiter}${libraries}`,
      'Launcher',
      join(folder, 'home'),
      String(port),
      String(transport),
    ],
    folder,
    address: `http://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers,
  });
}
