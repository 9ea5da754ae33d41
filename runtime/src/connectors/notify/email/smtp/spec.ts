import { block, connector, int, oneOf, text } from '@svc/protocol/schema';
import { signIn } from '../../../../platform/net/server-spec.ts';
import { tlsBlock } from '../../../../platform/net/tls-spec.ts';
import { sending, templateWords } from '../../spec.ts';
import { letterAttributes } from '../spec.ts';
import { smtpFields } from './message.ts';

const { enabled: _enabled, ...certificates } = tlsBlock.attributes;

/** A line break would begin another command. */
const oneLine = { source: '^[^\\r\\n\\0]*$', says: 'must be one line' } as const;

const { username, password } = signIn();

/** Letters over a server of mail. */
export const smtp = connector({
  type: 'email',
  driver: 'smtp',
  defaultDriver: true,
  canonical: 'smtp',
  speaks: ({ host, port, tls }) => {
    const { mode = 'starttls' } = (tls as { readonly mode?: string } | undefined) ?? {};
    const isFirst = mode === 'tls';
    return {
      host: host as string,
      port: (port as number | undefined) ?? (isFirst ? 465 : 587),
      tls: isFirst ? 'first' : mode === 'none' ? 'never' : 'later',
      without: 'write tls = "none" where the network is trusted',
      otherwise: isFirst ? 'write tls = "starttls"' : 'write tls = "tls"',
    };
  },
  kind: 'notify',
  config: block({
    doc: 'Sends letters over a server that speaks SMTP. A letter that the server refuses for some recipients reports which.',
    attributes: {
      host: text('Host of the server.', {
        required: true,
        pattern: { source: '^[^\\s/?#@]*$', says: 'must be a host, without scheme and port' },
        example: '"smtp.example.org"',
      }),
      port: int('Port of the server; 587 when absent, 465 with `tls = "tls"`.', { min: 1, max: 65_535 }),
      username: { ...username, pattern: oneLine },
      password: { ...password, pattern: oneLine },
      pool_size: int('Most connections to the server, each of which sends one letter at a time.', {
        default: 5,
        min: 1,
        max: 100,
      }),
      ...letterAttributes,
    },
    blocks: {
      tls: block({
        ...tlsBlock,
        doc: `How the connection is encrypted; \`tls = "tls"\` is enough where the system trusts the certificate of the server. Credentials are sent over TLS, or to this machine. ${tlsBlock.doc}`,
        attributes: {
          mode: oneOf(
            '`starttls` changes to TLS before anything is sent, and sends nothing to a server that cannot; `tls` begins with it; `none` sends in clear.',
            ['starttls', 'tls', 'none'],
            { default: 'starttls', synonyms: { ssl: 'tls', smtps: 'tls', true: 'starttls', false: 'none' } },
          ),
          ...certificates,
        },
        shorthand: 'mode',
      }),
      dkim: block({
        doc: 'Signs letters (DKIM, RSA with SHA-256), where the server does not do it.',
        attributes: {
          domain: text('Domain that signs.', {
            required: true,
            pattern: { source: '^[A-Za-z0-9.-]{1,253}$', says: 'must be the name of a domain' },
          }),
          selector: text('Name under which the public key is in the DNS, before `._domainkey`.', {
            required: true,
            pattern: { source: '^[A-Za-z0-9._-]{1,63}$', says: 'must be the name of a key' },
          }),
          private_key: text('The RSA key: PEM, or the path of its file.', { required: true, secret: true }),
        },
      }),
    },
    rules: [
      { rule: 'together', name: 'username', needs: ['password'] },
      { rule: 'together', name: 'password', needs: ['username'] },
    ],
    example: `connector "mail" {
  type     = "email"
  driver   = "smtp"
  host     = "smtp.example.org"
  username = env("SMTP_USER")
  password = env("SMTP_PASSWORD")
  from     = "Shop <shop@example.org>"
}`,
  }),
  words: templateWords,
  target: { ...sending(smtpFields), checksFiles: true },
});
