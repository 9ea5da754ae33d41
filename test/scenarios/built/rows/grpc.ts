import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { freePort } from '../../../support/free-port.ts';
import { until } from '../../../support/until.ts';
import { answering, type Row, sending, taking } from '../row.ts';

const files = {
  'texts.proto': `
syntax = "proto3";
package texts;

message Text {
  string text = 1;
}

service Texts {
  rpc Echo (Text) returns (Text);
  rpc Watch (Text) returns (stream Text);
}
`,
};

const asIs = (bytes: Buffer) => bytes;
/** A message whose field 1 is a text, and the text of one (https://protobuf.dev/programming-guides/encoding/). */
const encoded = (text: string) => Buffer.concat([Buffer.from([0x0a, Buffer.byteLength(text)]), Buffer.from(text)]);
const decoded = (bytes: Buffer) => bytes.subarray(2).toString();

export const grpc: readonly Row[] = [
  {
    name: 'grpc_server',
    connector: 'grpc/server',
    start: async (name) => {
      const port = await freePort();
      return {
        block: { host: '127.0.0.1', port, proto_path: '.' },
        files,
        hcl: answering(name, 'operation = "texts.Texts/Echo"'),
        takes: (text) => echoOf(port, text),
      };
    },
  },
  ...['none', 'gzip', 'deflate'].map(
    (compression): Row => ({
      name: `grpc_client_${compression}`,
      connector: 'grpc/client',
      chosen: { compression },
      start: async (name) => {
        const { server, port, streams } = await echoServer();
        return {
          block: { target: `127.0.0.1:${port}`, proto_path: '.' },
          files,
          hcl:
            sending(name, 'operation = "texts.Texts/Echo"\nparams = { text = "input.text" }', 'step.sent.text') +
            taking(name, 'operation = "texts.Texts/Watch"'),
          takes: async (text, place) => {
            (await until(() => streams[0])).write(encoded(text));
            return place.reported(name, text);
          },
          close: () => server.forceShutdown(),
        };
      },
    }),
  ),
];

/** Asks a server for the same text. */
async function echoOf(port: number, text: string): Promise<string> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest('/texts.Texts/Echo', asIs, asIs, encoded(text), (error, answer) => {
        if (error === null && answer !== undefined) resolve(decoded(answer));
        else reject(error);
      });
    });
  } finally {
    client.close();
  }
}

/** A server of the library alone, with the streams that it was asked for. */
async function echoServer() {
  const server = new Server();
  const streams: ServerWritableStream<Buffer, Buffer>[] = [];
  const echo = ({ request }: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => answer(null, request);
  const watch = (stream: ServerWritableStream<Buffer, Buffer>) => void streams.push(stream);
  server.register('/texts.Texts/Echo', echo, asIs, asIs, 'unary');
  server.register('/texts.Texts/Watch', watch, asIs, asIs, 'serverStream');
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { server, port, streams };
}
