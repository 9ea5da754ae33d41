import { block, flag, text, type Values } from '@svc/protocol/schema';

/** The `tls` block of every client and server that speaks TLS. */
export const tlsBlock = block({
  doc: 'Certificates and verification of TLS connections. TLS 1.2 is the oldest version spoken.',
  attributes: {
    enabled: flag('Whether the block is used.', { default: true }),
    ca_cert: text('PEM file with the authorities that may have signed the certificate of the peer.', {
      namesFile: 'read',
      aliases: ['ca_file'],
      example: '"./certs/ca.pem"',
    }),
    cert: text('PEM file with the certificate that this side presents.', {
      namesFile: 'read',
      aliases: ['cert_file', 'client_cert'],
    }),
    key: text('PEM file with the private key of `cert`.', { namesFile: 'read', aliases: ['key_file', 'client_key'] }),
    server_name: text('Name that the certificate of the peer must carry, when it is not the name in the address.'),
    insecure_skip_verify: flag('Accept any certificate. Anyone on the way can then read and change the traffic.', {
      default: false,
      aliases: ['skip_verify'],
    }),
  },
  rules: [
    { rule: 'together', name: 'cert', needs: ['key'] },
    { rule: 'together', name: 'key', needs: ['cert'] },
  ],
});

export type TlsConfig = Values<typeof tlsBlock>;

/** The `tls` block of a server that is not one of HTTP. */
export const serverTlsBlock = block({
  doc: 'Certificate of the server, and whose certificates it asks of clients. TLS 1.2 is the oldest version spoken.',
  attributes: {
    enabled: flag('Whether the block is used.', { default: true }),
    cert: text('PEM file with the certificate of the server.', {
      required: true,
      namesFile: 'read',
      aliases: ['cert_file'],
      example: '"./certs/server.pem"',
    }),
    key: text('PEM file with the private key of `cert`.', {
      required: true,
      namesFile: 'read',
      aliases: ['key_file'],
      example: '"./certs/server.key"',
    }),
    ca_cert: text(
      'PEM file with authorities: every client must present a certificate that one of them has signed, and its name is `auth.user_id`.',
      { namesFile: 'read', aliases: ['ca_file', 'client_ca'] },
    ),
  },
});
