import { describe } from 'vitest';
import { targetConformance } from '../../testing/target-conformance.ts';
import { filesConformance } from '../testing/files-conformance.ts';
import { ftpBed, ftpUrl, sftpBed, sshUrl } from './testing/bed.ts';
import { targetBed } from './testing/target-bed.ts';

describe.skipIf(ftpUrl === undefined)('over FTP', () => {
  targetConformance('ftp', () => targetBed(ftpBed()));
  filesConformance('ftp', () => ftpBed());
});

describe.skipIf(sshUrl === undefined)('over SFTP', () => {
  targetConformance('sftp', () => targetBed(sftpBed()));
  filesConformance('sftp', () => sftpBed());
});
