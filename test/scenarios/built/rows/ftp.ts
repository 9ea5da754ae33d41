import {
  ftpBed,
  ftpUrl,
  type RemoteBed,
  sftpBed,
  sshUrl,
} from '../../../../runtime/src/connectors/files/ftp/testing/bed.ts';
import { type OtherEnd, type Row, sending } from '../row.ts';

export const ftp: readonly Row[] = [
  {
    name: 'ftp',
    connector: 'files/ftp',
    chosen: { protocol: 'ftp' },
    isMissing: ftpUrl === undefined,
    start: async (name) => folderOf(name, await ftpBed()),
  },
  {
    name: 'sftp',
    connector: 'files/ftp',
    chosen: { protocol: 'sftp' },
    isMissing: sshUrl === undefined,
    start: async (name) => folderOf(name, await sftpBed()),
  },
];

/** A file is written, and read again. */
function folderOf(name: string, { access: { timeout: _, ...access }, close }: RemoteBed): OtherEnd {
  const write = 'operation = "write"\nparams = { path = "echo.json", content = "{\'text\': input.text}" }';
  return {
    block: access,
    hcl: sending(name, write, 'step.read[0].text', 'operation = "read"\nparams = { path = "echo.json" }'),
    close,
  };
}
