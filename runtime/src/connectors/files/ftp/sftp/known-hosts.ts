import { createHmac, timingSafeEqual } from 'node:crypto';

/** A line of a file of known hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). */
interface Line {
  readonly isRevoked: boolean;
  readonly matches: (name: string) => boolean;
  readonly type: string;
  readonly key: Buffer;
}

/** What a file of known hosts says of one host. */
export interface KnownHost {
  /** Kinds of the keys that it may show: `ssh-ed25519`. */
  readonly types: readonly string[];
  /** Whether a key, as it is sent, is one of them. */
  has(key: Buffer): boolean;
  isRevoked(key: Buffer): boolean;
}

/**
 * Reads a file of known hosts for a host at a port. Malformed lines are passed over, as OpenSSH does; so are authorities
 * that sign keys of hosts, since certificates are not read.
 */
export function knownHost(text: string, host: string, port: number): KnownHost {
  const name = port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
  const lines = text.split(/\r?\n/).map(lineOf);
  const own = lines.filter((line) => line?.matches(name) === true) as readonly Line[];
  const [revoked, known] = [own.filter((line) => line.isRevoked), own.filter((line) => !line.isRevoked)];
  const isAmong = (among: readonly Line[], key: Buffer) => among.some((line) => isSame(line.key, key));
  return {
    types: [...new Set(known.map(({ type }) => type))],
    has: (key) => isAmong(known, key),
    isRevoked: (key) => isAmong(revoked, key),
  };
}

function lineOf(written: string): Line | undefined {
  const words = written.trim().split(/\s+/);
  const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
  const [hosts, type, key] = words;
  if (hosts === undefined || hosts.startsWith('#') || type === undefined || key === undefined) return undefined;
  if (marker !== undefined && marker !== '@revoked') return undefined;
  return { isRevoked: marker === '@revoked', matches: hostsOf(hosts), type, key: Buffer.from(key, 'base64') };
}

function hostsOf(written: string): Line['matches'] {
  if (written.startsWith('|1|')) {
    const [, , salt = '', hash = ''] = written.split('|');
    const expected = Buffer.from(hash, 'base64');
    const digest = (name: string) => createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
    return (name) => isSame(digest(name), expected);
  }
  const patterns = written.toLowerCase().split(',');
  const matching = (name: string) => patterns.filter((pattern) => isLike(pattern.replace(/^!/, ''), name));
  return (name) => {
    const found = matching(name);
    return found.length > 0 && !found.some((pattern) => pattern.startsWith('!'));
  };
}

/** `*` and `?` in time that is the product of both lengths at most. */
function isLike(pattern: string, name: string): boolean {
  let [at, star, begun] = [0, -1, 0];
  for (let letter = 0; letter < name.length; ) {
    if (pattern[at] === '*') {
      star = at++;
      begun = letter;
    } else if (pattern[at] === '?' || pattern[at] === name[letter]) {
      at++;
      letter++;
    } else if (star >= 0) {
      at = star + 1;
      letter = ++begun;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
