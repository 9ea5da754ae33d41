import { createHash } from 'node:crypto';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { KnownHost } from './known-hosts.ts';

/** Decides whether a server is who it should be, by the key that it shows. */
export interface HostKeys {
  /** Kinds of keys that are asked for; empty: any. */
  readonly types: readonly string[];
  /** Why a key is refused; undefined when it is accepted. */
  problem(key: Buffer): string | undefined;
}

/** The keys that a file of known hosts has. */
export function knownKeys(known: KnownHost, file: string): HostKeys {
  return {
    types: known.types,
    problem: (key) => {
      if (known.isRevoked(key)) return `the key ${fingerprintOf(key)} is revoked in ${file}`;
      if (known.has(key)) return undefined;
      return known.types.length === 0
        ? `${file} has no key of it; the one that it shows is ${fingerprintOf(key)}`
        : `the key ${fingerprintOf(key)} is not the one in ${file}: it is another server, or it has new keys`;
    },
  };
}

/** The first key that a server shows, for as long as the process has the connector; another one is refused. */
export function firstKey(log: Log): HostKeys {
  let pinned: Buffer | undefined;
  return {
    types: [],
    problem: (key) => {
      if (pinned === undefined) {
        pinned = Buffer.from(key);
        log.warn('the key of the host is not known, and is trusted: write known_hosts', {
          fingerprint: fingerprintOf(key),
        });
        return undefined;
      }
      if (pinned.equals(key)) return undefined;
      return `it shows the key ${fingerprintOf(key)}, and showed ${fingerprintOf(pinned)} before`;
    },
  };
}

/** As `ssh-keygen -l` writes it. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
