import { chmodSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { configured } from '../../../../../../test/support/configured.ts';
import { folderWith } from '../../../../../../test/support/folder.ts';
import { type FaultProxy, faultProxy } from '../../../../../../test/support/proxy.ts';
import { knownHost, sshAccess } from '../../../../../../test/support/servers/sshd.ts';
import { ftpAccess } from '../../../../../../test/support/servers/vsftpd.ts';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import type { FilesBed } from '../../testing/files-bed.ts';
import { ofPaths } from '../../testing/naming-conformance.ts';
import { create } from '../connector.ts';
import { ftp } from '../spec.ts';

/** What a block says, over what is usual. */
export type WrittenBlock = Readonly<Record<string, unknown>>;

/** A folder of its own at a server, how it is reached through a proxy, and how it is looked into without it. */
export interface RemoteBed extends FilesBed {
  /** The folder on this machine. */
  readonly folder: string;
  readonly proxy: FaultProxy;
  /** What a block must say to reach it. */
  readonly access: WrittenBlock;
  /** What must never be shown. */
  readonly secrets: readonly string[];
}

export const ftpUrl = process.env['TEST_FTP_URL'];
export const sshUrl = process.env['TEST_SSH_URL'];

/** Makes a connector of a block that is not open. */
export function remoteConnector(written: WrittenBlock, services: ConnectorServices, name = 'files'): TargetConnector {
  return create(name, configured(ftp.config, written), services) as TargetConnector;
}

/** A folder of the FTP server of the tests, or of another one. `written` is added to its block. */
export async function ftpBed(written: WrittenBlock = {}, address = ftpUrl as string): Promise<RemoteBed> {
  const { port, username, password, folder: files } = ftpAccess(address);
  const folder = await mkdtemp(join(files, 'bed-'));
  const base = `/files/${relative(files, folder)}`;
  return bedOf(folder, port, { username, password, base_path: base, ...written }, [password]);
}

/** A folder that the SSH server of the tests gives. */
export async function sftpBed(written: WrittenBlock = {}, address = sshUrl as string): Promise<RemoteBed> {
  const access = sshAccess(address);
  const folder = folderWith();
  const proxy = await faultProxy({ port: access.port });
  const hosts = join(dirname(folder), `${relative(dirname(folder), folder)}.known_hosts`);
  await writeFile(hosts, knownHost({ ...access, port: proxy.port }));
  const key = await readFile(access.keyFile, 'utf8');
  const block = {
    protocol: 'sftp',
    username: access.username,
    key_file: access.keyFile,
    known_hosts: hosts,
    base_path: folder,
    ...written,
  };
  return bedOf(folder, access.port, block, key.split('\n').slice(1, -2), proxy, () => rm(hosts));
}

async function bedOf(
  folder: string,
  port: number,
  block: WrittenBlock,
  secrets: readonly string[],
  before?: FaultProxy,
  after: () => Promise<void> = async () => undefined,
): Promise<RemoteBed> {
  // The user of the server need not be that of the tests.
  chmodSync(folder, 0o777);
  const proxy = before ?? (await faultProxy({ port }));
  const access = { host: '127.0.0.1', port: proxy.port, timeout: 5_000, ...block };
  const at = (path: string) => join(folder, path);
  return {
    folder,
    proxy,
    access,
    secrets,
    connector: (written, services) => remoteConnector({ ...access, ...written }, services),
    written: (path, size) => ({ path, size, uploaded: true }),
    wholeRow: (path, content, size) => ({ _path: path, _name: basename(path), _content: content, _size: size }),
    named: 'path',
    bytesOf: (path) => readFile(at(path)),
    put: async (path, bytes) => {
      const names = path.split('/').slice(0, -1);
      for (const [count] of names.entries()) {
        const around = at(names.slice(0, count + 1).join('/'));
        await mkdir(around, { recursive: true });
        chmodSync(around, 0o777);
      }
      await writeFile(at(path), bytes);
      chmodSync(at(path), 0o666);
    },
    names: async () => {
      const all = await readdir(folder, { recursive: true, withFileTypes: true });
      return all.map((each) => relative(folder, join(each.parentPath, each.name))).sort();
    },
    ...ofPaths,
    hasFolders: true,
    appends: true,
    close: async () => {
      await proxy.close();
      await rm(folder, { recursive: true });
      await after();
    },
  };
}
