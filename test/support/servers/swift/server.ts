import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { probe } from '../probe.ts';
import { findProgram, makeFolder, ordinaryUser, startProgram, type User } from '../program.ts';
import type { RunningServer, Server } from '../server.ts';
import { commonFile, device, type Layout, proxyFile, serverFile, serverNames, swiftKeys } from './settings.ts';

/** An unsigned request, which a server of S3 refuses in XML. */
const s3Answers = (address: string): Promise<boolean> =>
  probe(
    address,
    `GET /bucket?location HTTP/1.1\r\nhost: here\r\nauthorization: AWS4-HMAC-SHA256 Credential=a/20200101/${swiftKeys.region}/s3/aws4_request,SignedHeaders=host,Signature=0\r\nconnection: close\r\n\r\n`,
    /^HTTP\/1\.1 4\d\d[\s\S]*<Error>/,
  );
const httpAnswers = (address: string): Promise<boolean> =>
  probe(address, 'OPTIONS / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 \d/);
const memcachedAnswers = (address: string): Promise<boolean> => probe(address, 'version\r\n', /^VERSION /);

const programs = [
  'swift-ring-builder',
  'memcached',
  'swift-proxy-server',
  ...serverNames.map((name) => `swift-${name}-server`),
];

/** OpenStack Swift with its S3 interface: a real object store, which checks signatures. */
export const swift: Server = {
  name: 'Swift (S3)',
  variable: 'TEST_S3_URL',
  usualAddress: 'http://127.0.0.1:8080',
  packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'],
  isInstalled: () => programs.every((program) => findProgram(program) !== undefined),
  answers: s3Answers,
  start: startSwift,
};

async function startSwift(): Promise<RunningServer> {
  const user = ordinaryUser('swift');
  const folder = makeFolder('swift', user);
  const [account, container, object, proxy, memcached] = await Promise.all(Array.from({ length: 5 }, freePort));
  const layout = {
    folder,
    user: user.uid === undefined ? userInfo().username : 'swift',
    ports: { account, container, object, proxy, memcached },
  } as Layout;
  write(layout, user);
  const parts: RunningServer[] = [];
  const start = async (program: string, args: string[], port: number, answers: typeof s3Answers, scheme = 'http') => {
    const own = makeFolder('swift-part', user);
    const address = `${scheme}://127.0.0.1:${port}`;
    const found = findProgram(program) as string;
    const part = await startProgram({ program: found, args, folder: own, user, address, signal: 'SIGTERM', answers });
    parts.push(part);
    return part;
  };
  const stop = async () => {
    await Promise.all(parts.map((part) => part.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { ports } = layout;
    const listening = ['-l', '127.0.0.1', '-p', String(ports.memcached), '-U', '0'];
    const [{ address, log }] = await Promise.all([
      start('swift-proxy-server', [join(folder, 'proxy.conf'), '-v'], ports.proxy, s3Answers),
      start('memcached', listening, ports.memcached, memcachedAnswers, 'tcp'),
      ...serverNames.map((name) =>
        start(`swift-${name}-server`, [join(folder, `${name}.conf`), '-v'], ports[name], httpAnswers),
      ),
    ]);
    return { address, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes the files of all servers, and the rings by which they find each other. */
function write(layout: Layout, { uid, gid }: User): void {
  const { folder, ports } = layout;
  const own = (path: string) => {
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  };
  for (const path of [join(folder, 'devices'), join(folder, 'devices', device)]) {
    mkdirSync(path);
    own(path);
  }
  const files: Readonly<Record<string, string>> = {
    'swift.conf': commonFile,
    'proxy.conf': proxyFile(layout),
    ...Object.fromEntries(serverNames.map((name) => [`${name}.conf`, serverFile(layout, name)])),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const builder = findProgram('swift-ring-builder') as string;
  for (const name of serverNames) {
    const ring = join(folder, `${name}.builder`);
    const build = (...args: string[]) => execFileSync(builder, [ring, ...args], { stdio: 'ignore' });
    build('create', '6', '1', '1');
    build('add', `r1z1-127.0.0.1:${ports[name]}/${device}`, '1');
    build('rebalance');
  }
}
