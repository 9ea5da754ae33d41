// What a good engineer writes for the same job: the usual library, and messages by their definitions.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

interface Asked {
  readonly name: string;
  readonly number: number;
}

const { root } = protobuf.parse(readFileSync(join(process.argv[2] as string, 'greetings.proto'), 'utf8'), {
  keepCase: true,
});
const [asked, greeting] = [root.lookupType('greetings.Asked'), root.lookupType('greetings.Greeting')];

const server = new Server();
server.register(
  '/greetings.Greetings/Greet',
  ({ request }: ServerUnaryCall<Asked, object>, done: sendUnaryData<object>) =>
    done(null, { greeting: `Hello, ${request.name}`, number: request.number }),
  (value: object) => Buffer.from(greeting.encode(value).finish()),
  (bytes: Buffer) => asked.decode(bytes) as unknown as Asked,
  'unary',
);
server.bindAsync(`127.0.0.1:${process.env['GRPC_PORT']}`, ServerCredentials.createInsecure(), () => {
  createServer((_request, response) => response.end('{"ready":true}')).listen(Number(process.env['PORT']), '127.0.0.1');
});
process.on('SIGTERM', () => process.exit());
