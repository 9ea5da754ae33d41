import { block, connector, int, text } from '@svc/protocol/schema';
import { execAttributes, execEnv, execOperation, execTarget, execWords } from '../spec.ts';

const name = (what: string) => ({
  source: '^[^-\\s@\\0-\\x1f][^\\s@\\0-\\x1f]*$',
  says: `must be the name of a ${what}`,
});

const ssh = block({
  doc: 'The machine that programs run on.',
  required: true,
  attributes: {
    host: text('Its name or address, or a name of the configuration of OpenSSH.', {
      required: true,
      pattern: name('host'),
      example: '"build.internal"',
    }),
    port: int('Port of its SSH server.', { default: 22, min: 1, max: 65_535 }),
    user: text('Who logs in; as OpenSSH is configured when absent.', {
      aliases: ['username'],
      pattern: name('user'),
    }),
    key_file: text('Private key without passphrase; those of OpenSSH and of its agent when absent.', {
      namesFile: 'read',
      example: '"./keys/deploy"',
    }),
    known_hosts: text(
      'File with the keys of hosts, as OpenSSH writes it. A host that is not in it is refused. Without it, the key that the host first shows is kept as long as the service runs, and another one is refused.',
      { namesFile: 'read', example: '"./keys/known_hosts"' },
    ),
    password: text('Is not used: the service logs in with a key.', { secret: true }),
  },
  rules: [{ rule: 'together', name: 'password', needs: ['key_file'] }],
});

const config = block({
  doc: 'Runs programs of another machine over SSH, each call one, by the program `ssh` of OpenSSH. What a call says reaches the other side as words, whatever its shell is, and variables of `env` are in no list of processes. There, a program is ended with every process that it started as soon as its call has ended or the connection is lost.',
  attributes: {
    ...execAttributes,
    working_dir: text(
      'Folder on the other machine that the program runs in; where one is after the login when absent.',
      {
        pattern: { source: '^[^\\0]+$', says: 'must name a folder' },
        example: '"/srv/jobs"',
      },
    ),
  },
  blocks: {
    ssh,
    env: block({
      ...execEnv,
      doc: 'Variables of the program, on the other machine.',
      fields: text('Value of one variable.', {
        required: true,
        secret: true,
        pattern: { source: '^[^\\0\\n]*$', says: 'must be one line' },
      }),
    }),
  },
  example: `connector "reports" {
  type    = "exec"
  driver  = "ssh"
  command = "/opt/reports/build"
  ssh {
    host        = "build.internal"
    user        = "deploy"
    key_file    = "./keys/deploy"
    known_hosts = "./keys/known_hosts"
  }
}`,
});

/** Programs of another machine. */
export const execSsh = connector({
  type: 'exec',
  driver: 'ssh',
  impliedBy: 'ssh',
  canonical: 'exec_ssh',
  kind: 'http',
  config,
  operation: execOperation,
  target: execTarget,
  words: execWords,
  advise: ({ ssh: block }) => {
    if (block === undefined) return undefined;
    const { known_hosts: known, password } = block as { readonly known_hosts?: string; readonly password?: string };
    if (password !== undefined)
      return {
        attribute: 'ssh',
        says: 'a password is not used: the service logs in with a key',
        help: 'Remove password.',
      };
    if (known !== undefined) return undefined;
    return {
      attribute: 'ssh',
      says: 'the host is not verified: the first host that answers is taken for it, until the service ends',
      help: 'Write known_hosts = "…" into ssh, with a line of `ssh-keyscan` that you have compared.',
    };
  },
});
