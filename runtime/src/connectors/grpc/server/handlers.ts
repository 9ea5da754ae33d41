import type * as Grpc from '@grpc/grpc-js';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { type AnyCall, IncomingCall } from './incoming-call.ts';
import type { RunningCall } from './running-call.ts';
import type { CallEnd } from './serving.ts';
import { writeAll } from './write-all.ts';

/** Begins a call; `done` is called once. */
type Begin = (call: IncomingCall, done: (end: CallEnd) => void) => RunningCall;
type Unary = Grpc.ServerUnaryCall<Buffer, Buffer>;
type Readable = Grpc.ServerReadableStream<Buffer, Buffer>;
type Writable = Grpc.ServerWritableStream<Buffer, Buffer>;
type Callback = Grpc.sendUnaryData<Buffer>;

const asIs = (bytes: Buffer) => bytes;
/** Messages of one stream of a caller. */
const mostMessages = 10_000;
/** Bytes of all of them. */
const mostBytes = 64 * 1024 * 1024;

/** Serves a method of which bytes are read and written elsewhere. */
export function registerMethod(server: Grpc.Server, method: RpcMethod, begin: Begin): void {
  const { path, requestStream, responseStream } = method;
  const incoming = (call: AnyCall) => new IncomingCall(call, path);
  if (responseStream) {
    const handle = (call: Writable) =>
      begin(incoming(call), (end) => {
        if ('status' in end) call.emit('error', end.status);
        else void writeAll(call, end.messages);
      }).receive([call.request]);
    server.register(path, handle, asIs, asIs, 'serverStream');
  } else if (requestStream) {
    const handle = (call: Readable, done: Callback) =>
      collect(
        call,
        begin(incoming(call), (end) => settle(end, done)),
      );
    server.register(path, handle, asIs, asIs, 'clientStream');
  } else {
    const handle = (call: Unary, done: Callback) =>
      begin(incoming(call), (end) => settle(end, done)).receive([call.request]);
    server.register(path, handle, asIs, asIs, 'unary');
  }
}

function settle(end: CallEnd, done: Callback): void {
  if ('status' in end) done(end.status);
  else done(null, end.messages[0] as Buffer);
}

/** Reads the messages of a stream, all of which its flow is given. */
function collect(call: Readable, running: RunningCall): void {
  const messages: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  call.on('data', (message: Buffer) => {
    if (isOver) return;
    bytes += message.length;
    if (messages.length < mostMessages && bytes <= mostBytes) return void messages.push(message);
    isOver = true;
    messages.length = 0;
    running.refuse(new Failure('body_too_large', `the stream has more than ${mostMessages} messages or 64 MiB`));
  });
  call.on('end', () => {
    if (!isOver) running.receive(messages);
  });
}
