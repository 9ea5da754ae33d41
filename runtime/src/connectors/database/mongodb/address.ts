import { createSecureContext } from 'node:tls';
import type { Values } from '@svc/protocol/schema';
import type { MongoClientOptions } from 'mongodb';
import { Failure } from '../../../foundation/errors/failure.ts';
import { hostAndPort } from '../../../platform/net/server-url.ts';
import type { TlsMaterial } from '../../../platform/net/tls.ts';
import type { mongodb } from './spec.ts';

export type MongodbConfig = Values<(typeof mongodb)['config']>;

const standardPort = 27_017;

/** What of the block says where the server is and who connects: it has no effect beside `uri`. */
const parts = ['host', 'port', 'user', 'password', 'auth_source', 'replica_set', 'read_concern'] as const;

export interface Address {
  readonly uri: string;
  /** For people, without credentials. */
  readonly text: string;
  /** Attributes that are written and have no effect. */
  readonly ignored: readonly string[];
}

/** Where the server is. Throws a Failure for an address that switches the verification of certificates off. */
export function addressOf(config: MongodbConfig): Address {
  const { uri } = config;
  if (uri === undefined) return composed(config);
  if (/[?&]tls(?:Insecure|Allow\w+)=true/i.test(uri))
    throw new Failure(
      'connector_failed',
      'its uri switches the verification of certificates off: write that in the block `tls`',
      {
        retriable: false,
      },
    );
  const [, scheme = '', hosts = ''] = /^(mongodb(?:\+srv)?:\/\/)(?:[^/?]*@)?([^/?]*)/.exec(uri) ?? [];
  return { uri, text: `${scheme}${hosts}`, ignored: parts.filter((name) => config[name] !== undefined) };
}

function composed(config: MongodbConfig): Address {
  const { host = 'localhost', port, user, password, srv } = config;
  const place = srv ? host : hostAndPort(host, port ?? standardPort);
  const scheme = srv ? 'mongodb+srv://' : 'mongodb://';
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  const credentials = user === undefined ? '' : `${encodeURIComponent(user)}${secret}@`;
  const options = new URLSearchParams();
  if (config.auth_source !== undefined) options.set('authSource', config.auth_source);
  if (config.replica_set !== undefined) options.set('replicaSet', config.replica_set);
  if (config.read_concern !== undefined) options.set('readConcernLevel', config.read_concern);
  const text = `${scheme}${place}`;
  return { uri: `${scheme}${credentials}${place}/?${options}`, text, ignored: [] };
}

/** Milliseconds beyond those of an operation after which a silent connection is given up. */
const silence = 5_000;
/** Connections for change streams and the check of health. */
const mostStreams = 1_000;

/** What the client is made with, beside the address. */
export function clientOptions(config: MongodbConfig, tls: TlsMaterial | undefined, name: string): MongoClientOptions {
  const { pool, statement_timeout, direct, srv } = config;
  const most = pool?.max ?? poolDefaults.max;
  const connectTimeout = pool?.connect_timeout ?? poolDefaults.connectTimeout;
  return {
    appName: name.slice(0, 100),
    // Operations are bounded before they ask for a connection; change streams have theirs beside them.
    maxPoolSize: most + mostStreams,
    minPoolSize: Math.min(pool?.min ?? poolDefaults.min, most),
    connectTimeoutMS: connectTimeout,
    serverSelectionTimeoutMS: connectTimeout,
    ...(statement_timeout > 0 && { socketTimeoutMS: statement_timeout + silence }),
    serverMonitoringMode: 'poll',
    monitorCommands: true,
    ...(direct && { directConnection: true }),
    ...(tls !== undefined && tlsOptions(tls)),
    ...(tls === undefined && srv && { secureContext: createSecureContext({ minVersion: 'TLSv1.2' }) }),
  };
}

export const poolDefaults = { max: 100, min: 5, connectTimeout: 10_000 } as const;

function tlsOptions({ ca, cert, key, servername, rejectUnauthorized, minVersion }: TlsMaterial): MongoClientOptions {
  return {
    tls: true,
    secureContext: createSecureContext({ ca, cert, key, minVersion }),
    rejectUnauthorized,
    ...(servername !== undefined && { servername }),
    ...(!rejectUnauthorized && { checkServerIdentity: () => undefined }),
  };
}
