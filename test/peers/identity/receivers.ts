import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import protobuf from 'protobufjs';
import type { Provider } from './provider.ts';

export const proto = `syntax = "proto3";
package machine;
service Names {
  rpc Mine (Nothing) returns (Name);
}
message Nothing {}
message Name {
  string client = 1;
}
`;

/** Servers that answer which client the token of a request was made for, over HTTP, GraphQL, SOAP and gRPC. */
export interface Receivers {
  /** Where HTTP, GraphQL and SOAP are answered. */
  readonly address: string;
  readonly grpc: string;
  stop(): Promise<void>;
}

/** The name that a provider gives the client of a token: `azp` or `client_id`. */
export const clientOf = ({ azp, client_id: client }: JWTPayload): string => String(azp ?? client);

export async function startReceivers({ keySet, issuer }: Provider, folder: string): Promise<Receivers> {
  const keys = createRemoteJWKSet(new URL(keySet));
  const named = async (header: string | undefined) =>
    clientOf((await jwtVerify(header?.replace(/^Bearer /, '') ?? '', keys, { issuer })).payload);
  const web = createServer(async (request, response) => {
    await text(request);
    const client = await named(request.headers.authorization).catch(() => undefined);
    const [type, body] = answer(request.headers['content-type'] ?? '', client);
    response.writeHead(client === undefined ? 401 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const grpc = grpcServer(named);
  const pem = (name: string) => readFileSync(join(folder, name));
  const pair = { cert_chain: pem('server.pem'), private_key: pem('server.key') };
  const port = await new Promise<number>((resolve, reject) =>
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createSsl(null, [pair]), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return {
    address: `http://127.0.0.1:${(web.address() as AddressInfo).port}`,
    grpc: `localhost:${port}`,
    async stop() {
      grpc.forceShutdown();
      web.closeAllConnections();
      await new Promise((resolve) => web.close(resolve));
    },
  };
}

function answer(asked: string, client: string | undefined): readonly [string, string] {
  if (!asked.includes('xml')) return ['application/json', JSON.stringify({ data: { client } })];
  const body = `<MineResponse><client>${client}</client></MineResponse>`;
  const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
  return ['text/xml', `<s:Envelope xmlns:s="${soap}"><s:Body>${body}</s:Body></s:Envelope>`];
}

function grpcServer(named: (header: string | undefined) => Promise<string>): Server {
  const { root } = protobuf.parse(proto);
  const [nothing, name] = [root.lookupType('machine.Nothing'), root.lookupType('machine.Name')];
  const server = new Server();
  server.register(
    '/machine.Names/Mine',
    ({ metadata }: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => {
      named(metadata.get('authorization')[0]?.toString()).then(
        (client) => done(null, { client }),
        () => done({ code: status.UNAUTHENTICATED }),
      );
    },
    (value: object) => Buffer.from(name.encode(value).finish()),
    (bytes: Buffer) => nothing.decode(bytes),
    'unary',
  );
  return server;
}
