import { resolve } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { mebibyte, readRegularFile } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Address } from './address.ts';

/**
 * What `ssl_mode` means: `require` encrypts only, `verify-ca` checks the chain, `verify-full` the host name too. As in
 * libpq, `require` beside a root certificate checks the chain. Throws a Failure when a file cannot be read.
 */
export function tlsOptions(connector: string, address: Address, directory: string): false | ConnectionOptions {
  const { sslMode } = address;
  if (sslMode === 'disable') return false;
  const read = (attribute: string, path: string | undefined) =>
    path === undefined ? {} : load(connector, attribute, resolve(directory, path));
  const chain = sslMode !== 'require' || address.rootCert !== undefined;
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: chain,
    ...(chain && sslMode !== 'verify-full' ? { checkServerIdentity: () => undefined } : {}),
    ...rename('ca', read('ssl_root_cert', address.rootCert)),
    ...rename('cert', read('ssl_cert', address.cert)),
    ...rename('key', read('ssl_key', address.key)),
  };
}

function rename(name: 'ca' | 'cert' | 'key', loaded: { readonly pem?: string }): Partial<Record<typeof name, string>> {
  return loaded.pem === undefined ? {} : { [name]: loaded.pem };
}

function load(connector: string, attribute: string, path: string): { readonly pem: string } {
  try {
    const pem = readRegularFile(path, mebibyte).toString('utf8');
    if (pem.includes('-----BEGIN ')) return { pem };
  } catch (cause) {
    throw refuse(connector, attribute, path, (cause as NodeJS.ErrnoException).code ?? (cause as Error).message, cause);
  }
  throw refuse(connector, attribute, path, 'it holds no PEM block', undefined);
}

function refuse(connector: string, attribute: string, path: string, reason: string, cause: unknown): Failure {
  const text = `connector "${connector}": the file of \`${attribute}\`, ${path}, cannot be used: ${reason}`;
  return new Failure('connector_failed', text, { cause, retriable: false, at: { connector } });
}
