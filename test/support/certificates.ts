import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './servers/program.ts';

/** Undefined on a machine without it; tests that need certificates are skipped then. */
export const openssl = findProgram('openssl');

/** PEM files in a folder: `name.pem` is a certificate, `name.key` its private key. */
export class Certificates {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** An authority that signs others; its certificate is signed by itself. */
  authority(name: string): void {
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
    this.run('req', '-x509', ...key, '-days', '2', '-subj', `/CN=${name}`, '-out', `${name}.pem`);
  }

  /** A certificate that `authority` signs; `subject` such as `/CN=localhost`, `extension` such as `extendedKeyUsage=clientAuth`. */
  signed(name: string, subject: string, extension: string, authority = 'ca'): void {
    writeFileSync(join(this.folder, 'extensions'), `${extension}\n`);
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
    this.run('req', ...key, '-subj', subject, '-out', `${name}.csr`);
    const by = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    this.run(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...by,
      '-days',
      '2',
      '-extfile',
      'extensions',
      '-out',
      `${name}.pem`,
    );
    chmodSync(join(this.folder, `${name}.key`), 0o644);
  }

  private run(...args: readonly string[]): void {
    execFileSync(openssl as string, args, { cwd: this.folder, stdio: 'ignore' });
  }
}
