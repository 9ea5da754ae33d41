import type { ConnectorValues } from '@svc/protocol/schema';
import type { FileCheck, PublishedProblem } from '../../../../foundation/contracts/published.ts';
import { checkTemplate } from '../template-check.ts';

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i;

/** The template of letters, and that credentials are not sent in clear. */
export const checkFiles: FileCheck = (published, read, list) => [
  ...checkTemplate(published, read, list),
  ...clearCredentials(published.connector, published.config),
];

function clearCredentials(connector: string, config: ConnectorValues): readonly PublishedProblem[] {
  const { host, username, tls } = config as {
    readonly host?: string;
    readonly username?: string;
    readonly tls?: { readonly mode?: string };
  };
  if (tls?.mode !== 'none' || !username || !host || loopback.test(host)) return [];
  const message = `connector "${connector}" would send its credentials to "${host}" in clear, which it refuses at start`;
  return [
    {
      code: 'clear-credentials',
      message,
      at: { of: 'connector', path: ['tls'] },
      help: 'Write tls = "starttls" or "tls", or remove username and password.',
    },
  ];
}
