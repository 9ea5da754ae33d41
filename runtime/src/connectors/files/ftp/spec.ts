import { block, connector, duration, flag, int, oneOf, text } from '@svc/protocol/schema';
import { fileFormatNames, fileFormatSynonyms } from '../../../platform/formats/files/names.ts';
import { signIn } from '../../../platform/net/server-spec.ts';
import type { TlsConfig } from '../../../platform/net/tls-spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { actions } from '../actions.ts';
import type { StoreSpec } from '../parameters.ts';
import { pathNaming } from '../path.ts';
import { fileAttributes, fileOperation, fileTarget, fileWords } from '../spec.ts';

/** What a folder on a server of FTP or SFTP has. */
export const remoteStore: StoreSpec = {
  actions: actions.filter((action) => !action.startsWith('presign')),
  naming: pathNaming,
};

/** A line break would begin another command of the control connection. */
const oneLine = { source: '^[^\\r\\n\\0]*$', says: 'must be one line' } as const;

const { username, password } = signIn();

/** Files in a folder of an FTP or SFTP server. */
export const ftp = connector({
  type: 'ftp',
  kind: 'file',
  canonical: 'ftp',
  // Nothing is known of SSH here: its greeting is in clear.
  speaks: ({ protocol, host, port, tls }) =>
    protocol === 'sftp'
      ? undefined
      : {
          host: host as string,
          port: (port as number | undefined) ?? 21,
          tls: (tls as TlsConfig | undefined)?.enabled ? 'later' : 'never',
          otherwise: 'implicit TLS is not spoken here: write the port of FTP with AUTH TLS, mostly 21, and tls = true',
          without: 'remove tls where the network is trusted',
        },
  config: block({
    doc: 'Reads and writes files in a folder of an FTP or SFTP server. A file is written beside its place and takes it when every byte has come.',
    attributes: {
      protocol: oneOf(
        'What the server speaks: `ftp`, also with TLS, or `sftp`, which is files over SSH.',
        ['ftp', 'sftp'],
        {
          default: 'ftp',
        },
      ),
      host: text('Host of the server.', { required: true, pattern: oneLine, example: '"files.example.com"' }),
      port: int('Port of the server; 21 when absent, and 22 of sftp.', { min: 1, max: 65_535 }),
      username: {
        ...username,
        doc: 'Who connects; `anonymous` when absent, which sftp does not know.',
        pattern: oneLine,
      },
      password: { ...password, pattern: oneLine },
      key_file: text(
        'File of the private key of the user, without passphrase. It is tried before the password. Only sftp.',
        {
          namesFile: 'read',
        },
      ),
      known_hosts: text(
        'File with the keys of hosts, as OpenSSH writes it. Without it the first key that the server shows is kept until the process ends, and another one refused. Only sftp.',
        { namesFile: 'read' },
      ),
      base_path: text(
        'Folder that every path begins at, which must exist; where the server puts the user when it does not begin with `/` or is absent.',
        { pattern: oneLine, example: '"/outgoing"' },
      ),
      passive: flag(
        'Whether this side makes the connections that files pass over, which is the only way that is built.',
        {
          default: true,
        },
      ),
      timeout: duration(
        'Longest time for a connection to be made and the user to sign in, for each answer of the server, without a byte in a transfer, and of a wait for a free connection.',
        { default: 30_000, min: 1 },
      ),
      max_connections: int('Most connections to the server, each of which serves one call at a time.', {
        default: 4,
        min: 1,
        max: 256,
      }),
      idle_timeout: duration('A connection that was not used for this long is closed.', { default: 60_000, min: 1 }),
      atomic: flag(
        'Writes a file under another name beside its place, and renames it. Without it a file is written in its place, for servers that do not let users rename.',
        { default: true },
      ),
      ...fileAttributes,
      format: oneOf(
        'Format of files of which neither the call nor the name says one. When absent, they are read as bytes, and written as JSON.',
        fileFormatNames,
        { synonyms: fileFormatSynonyms },
      ),
      ...everyConnector.attributes,
    },
    blocks: {
      tls: block({
        ...tlsBlock,
        doc: `TLS over the connection that was made in clear (AUTH TLS), for commands and files; \`tls = true\` is enough where the system trusts the certificate of the server. Only ftp. ${tlsBlock.doc}`,
        shorthand: 'enabled',
      }),
    },
    rules: [
      { rule: 'requiredWhen', name: 'username', when: 'protocol', is: ['sftp'] },
      { rule: 'together', name: 'password', needs: ['username'] },
      { rule: 'onlyWhen', name: 'key_file', when: 'protocol', is: ['sftp'] },
      { rule: 'onlyWhen', name: 'known_hosts', when: 'protocol', is: ['sftp'] },
      { rule: 'onlyWhen', name: 'tls', when: 'protocol', is: ['ftp'] },
      {
        rule: 'refused',
        name: 'passive',
        is: false,
        says: 'active mode is not built: the server would have to connect to this machine. Remove it',
      },
    ],
    example: `connector "partner" {
  type        = "ftp"
  protocol    = "sftp"
  host        = "files.example.com"
  username    = "acme"
  key_file    = "./keys/id_ed25519"
  known_hosts = "./known_hosts"
  base_path   = "/outgoing"
}`,
  }),
  advise: ({ protocol, known_hosts }) =>
    protocol === 'sftp' && known_hosts === undefined
      ? {
          attribute: 'protocol',
          says: 'the first key that the server shows is trusted',
          help: 'Write known_hosts with a file of the keys, such as `ssh-keyscan` writes.',
        }
      : undefined,
  operation: fileOperation(remoteStore),
  target: fileTarget(remoteStore),
  words: fileWords,
});
