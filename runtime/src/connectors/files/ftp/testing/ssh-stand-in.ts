import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import ssh, { type AuthContext, type SFTPWrapper } from 'ssh2';

export interface SshStandInOptions {
  readonly password: string;
  /** Names that every folder has. */
  readonly names?: readonly string[];
}

/** An SSH server that lets users in with a password, which real ones of the tests do not, and lists the names that it is given. */
export class SshStandIn {
  /** How clients tried to sign in: `publickey`, `password`. */
  readonly tries: string[] = [];
  readonly #server: ssh.Server;

  private constructor({ password, names = [] }: SshStandInOptions) {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    this.#server = new ssh.Server({ hostKeys: [privateKey] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (context: AuthContext) => {
        if (context.method !== 'none') this.tries.push(context.method);
        if (context.method === 'password' && context.password === password) context.accept();
        else context.reject(['publickey', 'password']);
      });
      client.on('session', (accept) => accept().on('sftp', (begin) => serve(begin(), names)));
    });
  }

  static async start(options: SshStandInOptions): Promise<SshStandIn> {
    const made = new SshStandIn(options);
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

/** Every path is a folder of the same names. */
function serve(sftp: SFTPWrapper, names: readonly string[]): void {
  const handle = Buffer.from('1');
  const attrs = { mode: 0o100644, uid: 0, gid: 0, size: 1, atime: 0, mtime: 0 };
  let isRead = false;
  sftp.on('REALPATH', (id, path) => {
    const filename = path === '.' ? '/home' : path;
    sftp.name(id, [{ filename, longname: filename, attrs }]);
  });
  sftp.on('STAT', (id) => sftp.attrs(id, { ...attrs, mode: 0o40755 }));
  sftp.on('OPENDIR', (id) => {
    isRead = false;
    sftp.handle(id, handle);
  });
  sftp.on('READDIR', (id) => {
    if (isRead) return sftp.status(id, 1);
    isRead = true;
    sftp.name(
      id,
      names.map((filename) => ({ filename, longname: filename, attrs })),
    );
  });
  sftp.on('CLOSE', (id) => sftp.status(id, 0));
}
