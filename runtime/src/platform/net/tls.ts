import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import { mebibyte, regularFile } from '../../foundation/disk/regular-file.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { TlsConfig } from './tls-spec.ts';

/** What a TLS connection is made with, as options of `node:tls`. */
export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
  readonly minVersion: 'TLSv1.2';
}

/** TLS as the system trusts it: verified against the public authorities, 1.2 or later. */
export const defaultTls: TlsMaterial = Object.freeze({ rejectUnauthorized: true, minVersion: 'TLSv1.2' });

/**
 * Reads and tries the files of a `tls` block. Undefined when it is absent or disabled. Rejects with
 * `connector_failed` naming the attribute and the file that cannot be read or used. Switched-off verification is
 * logged as a warning in staging and production.
 */
export async function readTls(
  config: TlsConfig | undefined,
  services: Pick<ConnectorServices, 'directory' | 'environment' | 'production' | 'log'>,
): Promise<TlsMaterial | undefined> {
  if (!config?.enabled) return undefined;
  if (config.insecure_skip_verify && (services.production || /^stag(e|ing)$/.test(services.environment))) {
    services.log.warn('tls verification is switched off: insecure_skip_verify accepts any certificate');
  }
  const read = (attribute: 'ca_cert' | 'cert' | 'key') =>
    readMaterial(attribute, config[attribute], services.directory);
  const [ca, cert, key] = await Promise.all([read('ca_cert'), read('cert'), read('key')]);
  const material: TlsMaterial = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(config.server_name !== undefined && { servername: config.server_name }),
    rejectUnauthorized: !config.insecure_skip_verify,
    minVersion: 'TLSv1.2',
  };
  try {
    createSecureContext({ ca, cert, key, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new Failure('connector_failed', `tls: the certificates cannot be used: ${textOf(error)}`, { cause: error });
  }
  return material;
}

/**
 * What a connection to a server is made with: its `tls` block where TLS is spoken, else nothing. Options of its address
 * that mean nothing are logged. Rejects as `readTls` does.
 */
export async function readAccess(
  { isSecure, ignored }: { readonly isSecure: boolean; readonly ignored: readonly string[] },
  config: TlsConfig | undefined,
  services: Parameters<typeof readTls>[1],
): Promise<TlsMaterial | undefined> {
  if (ignored.length > 0) services.log.warn('options of the broker url have no effect', { options: ignored });
  return isSecure ? ((await readTls(config, services)) ?? defaultTls) : undefined;
}

async function readMaterial(attribute: string, path: string | undefined, directory: string) {
  if (path === undefined || path === '') return undefined;
  const content = await regularFile(resolve(directory, path), mebibyte).catch((error: unknown) => {
    throw new Failure('connector_failed', `tls.${attribute}: cannot read "${path}": ${textOf(error)}`, {
      cause: error,
    });
  });
  if (!content.includes('-----BEGIN ')) {
    throw new Failure('connector_failed', `tls.${attribute}: "${path}" is not a PEM file`);
  }
  return content;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
