import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Lines that answer a command; none: the server is silent. */
type Answer = string | undefined;

export interface StandInOptions {
  /** What FEAT says. */
  readonly features?: readonly string[];
  /** Answers of commands that are not the usual ones, by their first word; the rest of the line is given. */
  readonly answers?: Readonly<Record<string, (rest: string) => Answer>>;
  /** Raw text that MLSD and LIST send. */
  readonly list?: string;
  /** What RETR sends. */
  readonly bytes?: Buffer;
  /** The address that PASV says, as six numbers without the port. */
  readonly passiveHost?: string;
}

/** An FTP server that says what no real one does. */
export class FtpStandIn {
  readonly commands: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(options: StandInOptions = {}): Promise<FtpStandIn> {
    const server = createServer((socket) => made.#serve(socket, options));
    const made = new FtpStandIn(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket, options: StandInOptions): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    const answer = (text: Answer) => text !== undefined && socket.write(`${text}\r\n`);
    answer('220 ready');
    let data = Promise.resolve<Socket | undefined>(undefined);
    const passive = (tell: (port: number) => string) => {
      const listening = createServer();
      data = new Promise((resolve) => listening.once('connection', resolve));
      listening.listen(0, '127.0.0.1', () => answer(tell((listening.address() as AddressInfo).port)));
      void data.then(() => listening.close());
    };
    const send = (bytes: Buffer | string) => {
      answer('150 here it comes');
      void data.then((peer) => peer?.on('error', () => undefined).end(bytes, () => answer('226 done')));
    };
    const usual: Readonly<Record<string, (rest: string) => Answer>> = {
      USER: () => '331 password',
      PASS: () => '230 in',
      FEAT: () => ['211-Features', ...(options.features ?? []).map((each) => ` ${each}`), '211 End'].join('\r\n'),
      PWD: () => '257 "/home" is it',
      CWD: (path) => (path.endsWith('.txt') ? '550 no folder' : '250 there'),
      SIZE: () => `213 ${options.bytes?.length ?? 0}`,
      MDTM: () => '213 20240229123456.5',
      EPSV: () => void passive((port) => `229 passive (|||${port}|)`),
      PASV: () =>
        void passive((port) => `227 passive (${options.passiveHost ?? '127,0,0,1'},${port >> 8},${port & 255})`),
      MLSD: () => void send(options.list ?? ''),
      LIST: () => void send(options.list ?? ''),
      RETR: () => void send(options.bytes ?? Buffer.alloc(0)),
    };
    let rest = '';
    socket.on('data', (piece) => {
      const lines = (rest + piece.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        this.commands.push(line);
        const [word = ''] = line.split(' ', 1);
        const given = options.answers?.[word] ?? usual[word] ?? (() => '200 ok');
        answer(given(line.slice(word.length + 1)));
      }
    });
  }
}
