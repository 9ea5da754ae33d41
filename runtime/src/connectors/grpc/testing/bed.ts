import { rmSync } from 'node:fs';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { freePort } from '../../../../../test/support/free-port.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { RequestServices } from '../../../foundation/contracts/http.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Deliver, reply } from '../../../platform/http/testing/served.ts';
import { create } from '../server/connector.ts';
import { grpcServer } from '../server/spec.ts';

/** The services of the tests. */
export const shop = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/empty.proto";

enum State {
  UNKNOWN = 0;
  OPEN = 1;
}

message Order {
  int64 order_id = 1;
  string text = 2;
  State state = 3;
  bytes data = 4;
  repeated string tags = 5;
  map<string, int32> counts = 6;
  google.protobuf.Timestamp made_at = 7;
  google.protobuf.StringValue note = 8;
  google.protobuf.Struct extra = 9;
  oneof price {
    double amount = 10;
    string free = 11;
  }
  optional int32 zero = 12;
}

message Orders {
  repeated Order orders = 1;
}

service Shop {
  rpc GetOrder (Order) returns (Order);
  rpc CreateOrder (Order) returns (Order);
  rpc ListOrders (Order) returns (Orders);
  rpc WatchOrders (Order) returns (stream Order);
  rpc SendOrders (stream Order) returns (Order);
  rpc Chat (stream Order) returns (stream Order);
}
`;

const types = protobuf.parse(shop.replaceAll(/import "google.*\n/g, ''), new protobuf.Root(), { keepCase: true }).root;
for (const name of ['timestamp', 'wrappers', 'struct']) {
  const known = protobuf.common.get(`google/protobuf/${name}.proto`);
  if (known?.nested !== undefined && types.lookup(`google.protobuf.${name}`) === null) types.addJSON(known.nested);
}
const order = types.lookupType('shop.Order');
const orders = types.lookupType('shop.Orders');

/** What a call was answered: the message as its own library reads it, or the status. */
export interface Answered {
  readonly value?: unknown;
  readonly values?: readonly unknown[];
  readonly code: number;
  readonly details: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface AskOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly deadline?: number;
  /** In place of a message. */
  readonly bytes?: Buffer;
  /** The message is sent with gzip. */
  readonly compressed?: true;
}

export interface ServedShop extends AsyncDisposable {
  readonly port: number;
  readonly lines: readonly LogLine[];
  readonly client: Client;
  readonly server: ReturnType<typeof create>;
  ask(method: string, message?: object, options?: AskOptions): Promise<Answered>;
}

export const bindingOf = (operation: string, deliver: Deliver, more: Partial<Binding> = {}): Binding => ({
  flow: operation.replace(/.*\//, ''),
  operation,
  words: {},
  deliver,
  ...more,
});

/** A flow that waits until its call is given up; `seen` has the messages. */
export const waiting = (seen: Message[]) => async (message: Message) => {
  seen.push(message);
  const { promise, resolve } = Promise.withResolvers<void>();
  message.signal()?.addEventListener('abort', () => resolve());
  await promise;
  throw new Failure('cancelled', 'it was cancelled');
};

/** A flow that answers what it is asked. */
export const echoed = ({ input: { headers: _, ...input } }: Message) => reply(input);

/** As grpc-js numbers what messages are compressed with. */
const gzip = 2;
const asIs = (bytes: Buffer) => bytes;
export const encoded = (message: object) => Buffer.from(order.encode(order.fromObject(message)).finish());
const plain = { longs: String, enums: String, bytes: String };

/** A server with stub flows behind a real socket, and a client of the library. */
export async function servedShop(
  bindings: readonly Binding[],
  config: Record<string, unknown> = {},
  own: Partial<ConnectorServices> = {},
  requests?: RequestServices,
): Promise<ServedShop> {
  const directory = folderWith({ 'proto/shop.proto': shop });
  const lines: LogLine[] = [];
  const port = await freePort();
  const written = { host: '127.0.0.1', port, proto_path: './proto', ...config };
  const services = connectorServices({ directory, log: recordingLog(lines), ...own });
  const server = create('rpc', configured(grpcServer.config, written), services);
  const bound = server.source?.bind(bindings, undefined, requests);
  await server.open(new AbortController().signal);
  await bound?.prepare();
  bound?.use();
  await server.source?.start();
  const clientWith = (options: object) =>
    new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1, ...options });
  const client = clientWith({});
  const compressing = clientWith({ 'grpc.default_compression_algorithm': gzip });
  return {
    port,
    lines,
    client,
    server,
    ask: (method, message = {}, options = {}) =>
      asked(options.compressed === true ? compressing : client, method, message, options),
    [Symbol.asyncDispose]: async () => {
      client.close();
      compressing.close();
      await server.close(AbortSignal.abort());
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function asked(
  client: Client,
  method: string,
  message: object,
  { metadata: sent = {}, deadline, bytes = encoded(message) }: AskOptions,
): Promise<Answered> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(sent)) metadata.set(name, value);
  const options = deadline === undefined ? {} : { deadline: Date.now() + deadline };
  const path = `/shop.Shop/${method}`;
  const type = method === 'ListOrders' ? orders : order;
  const read = (answer: Buffer) => type.toObject(type.decode(answer), plain);
  return new Promise((resolve) => {
    const failed = ({ code, details, metadata: own }: ServiceError) =>
      resolve({ code, details, metadata: own.getMap() });
    if (method === 'WatchOrders') {
      const values: unknown[] = [];
      const call = client.makeServerStreamRequest(path, asIs, asIs, bytes, metadata, options);
      call.on('data', (answer: Buffer) => values.push(read(answer)));
      call.on('error', (error) => failed(error as ServiceError));
      call.on('end', () => resolve({ values, code: 0, details: '', metadata: {} }));
      return;
    }
    let before = {};
    const call = client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, options, (error, answer) => {
      if (error !== null) failed(error);
      else resolve({ value: read(answer as Buffer), code: 0, details: '', metadata: before });
    });
    call.on('metadata', (own) => {
      before = own.getMap();
    });
  });
}
