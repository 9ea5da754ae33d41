import { homedir } from 'node:os';
import { join } from 'node:path';

/** How the other machine is reached. Paths are absolute. */
export interface SshPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly keyFile: string | undefined;
  readonly knownHosts: string | undefined;
  /** Where the key of a host is kept that is in no file. */
  readonly pinned: string;
  /** Milliseconds. */
  readonly connectTimeout: number;
}

/** Arguments of OpenSSH that run a script for the login shell of the other side. It never asks a person anything. */
export function clientArguments(place: SshPlace, script: string): readonly string[] {
  const { host, port, user, keyFile, connectTimeout } = place;
  const options: readonly (readonly [string, string])[] = [
    ['BatchMode', 'yes'],
    ['ConnectTimeout', String(Math.max(1, Math.ceil(connectTimeout / 1000)))],
    ['ServerAliveInterval', '15'],
    ['ServerAliveCountMax', '2'],
    // The other side learns of the end of a call by the end of its connection, which is its alone.
    ['ControlMaster', 'no'],
    ['ControlPath', 'none'],
    ['ClearAllForwardings', 'yes'],
    ['ForwardAgent', 'no'],
    ['PermitLocalCommand', 'no'],
    ['LogLevel', 'ERROR'],
    ...hostKeys(place),
    ...(keyFile === undefined ? [] : [['IdentitiesOnly', 'yes'] as const]),
  ];
  return [
    '-T',
    '-p',
    String(port),
    ...options.flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    ...(keyFile === undefined ? [] : ['-i', keyFile]),
    ...(user === undefined ? [] : ['-l', user]),
    '--',
    host,
    script,
  ];
}

function hostKeys({ knownHosts, pinned }: SshPlace): readonly (readonly [string, string])[] {
  if (knownHosts !== undefined)
    return [
      ['StrictHostKeyChecking', 'yes'],
      ['UserKnownHostsFile', asValue(knownHosts)],
      ['GlobalKnownHostsFile', '/dev/null'],
      ['UpdateHostKeys', 'no'],
    ];
  return [
    ['StrictHostKeyChecking', 'accept-new'],
    ['UserKnownHostsFile', [pinned, join(homedir(), '.ssh', 'known_hosts')].map(asValue).join(' ')],
    ['HashKnownHosts', 'no'],
    ['UpdateHostKeys', 'no'],
  ];
}

/** A path as the configuration of OpenSSH has it: it expands `%`, and divides at blanks that are not quoted. */
function asValue(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}
