import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Certificates, openssl } from '../../../support/certificates.ts';
import { folderWith } from '../../../support/folder.ts';
import { MailServer, textIn } from '../../../support/mail-server.ts';
import type { Row } from '../row.ts';

/** Letters over each way to encrypt a connection. */
export const mail: readonly Row[] = ['none', 'starttls', 'tls'].map((mode) => ({
  name: `smtp_${mode}`,
  connector: 'notify/email/smtp',
  chosen: { tls: { mode } },
  isMissing: mode !== 'none' && openssl === undefined,
  start: async (name) => {
    const folder = folderWith();
    const server = await MailServer.start(undefined, mode === 'none' ? {} : certified(folder, mode));
    return {
      block: {
        host: 'localhost',
        port: server.port,
        from: 'shop@example.org',
        ...(mode !== 'none' && { tls: { ca_cert: join(folder, 'ca.pem') } }),
      },
      hcl: letter(name),
      sends: async (text, place) => {
        const answer = await place.call(name, text);
        const texts = server.letters.map(({ raw, secure }) => [textIn(raw)?.trim(), secure] as const);
        const sent = texts.find(([each, secure]) => each === text && secure === (mode !== 'none'));
        return sent?.[0] ?? answer;
      },
      close: async () => {
        await server.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
}));

/** What a server presents whose authority is in the folder. */
function certified(folder: string, mode: string) {
  const certificates = new Certificates(folder);
  certificates.authority('ca');
  certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
  const [key, cert] = ['server.key', 'server.pem'].map((file) => readFileSync(join(folder, file), 'utf8'));
  return { key, cert, secure: mode === 'tls' } as { key: string; cert: string; secure: boolean };
}

const letter = (name: string) => `
flow "${name}_sends" {
  from {
    connector = "api"
    operation = "POST /${name}"
  }
  transform {
    to       = "'ana@example.org'"
    subject  = "'Your order'"
    textBody = "input.text"
  }
  to {
    connector = "${name}"
    operation = "send"
  }
}
`;
