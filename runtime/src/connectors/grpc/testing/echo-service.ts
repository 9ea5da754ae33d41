import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';

type UnaryCall = ServerUnaryCall<Buffer, Buffer>;
type Answer = sendUnaryData<Buffer>;

const asIs = (bytes: Buffer) => bytes;

/** The definitions of the service. */
export const echoProto = `syntax = "proto3";
package echo;

message Text {
  string text = 1;
}

service Texts {
  rpc Echo (Text) returns (Text);
  rpc Stuck (Text) returns (Text);
}
`;

/** A server of the library alone: `Echo` answers its request, and `Stuck` does so when it is released. */
export class EchoService {
  readonly port: number;
  /** Answers of calls that wait. */
  readonly held = new Set<() => void>();
  readonly #server: Server;
  #isReleased = false;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    const echo = ({ request }: UnaryCall, done: Answer) => done(null, request);
    server.register('/echo.Texts/Echo', echo, asIs, asIs, 'unary');
    server.register(
      '/echo.Texts/Stuck',
      (call: UnaryCall, done: Answer) => this.#hold(call, done),
      asIs,
      asIs,
      'unary',
    );
  }

  static async start(credentials = ServerCredentials.createInsecure()): Promise<EchoService> {
    const server = new Server();
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error))),
    );
    return new EchoService(server, port);
  }

  /** From now on every call is answered. */
  release(): void {
    this.#isReleased = true;
    for (const answer of this.held) answer();
    this.held.clear();
  }

  close(): void {
    this.#server.forceShutdown();
  }

  #hold(call: UnaryCall, done: Answer): void {
    const answer = () => done(null, call.request);
    if (this.#isReleased) return answer();
    this.held.add(answer);
    call.on('cancelled', () => this.held.delete(answer));
  }
}
