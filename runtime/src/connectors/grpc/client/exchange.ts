import type * as Grpc from '@grpc/grpc-js';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';

/** One call as it goes out. */
export interface Asked {
  readonly method: RpcMethod;
  readonly messages: readonly Uint8Array[];
  readonly metadata: Grpc.Metadata;
  readonly options: Grpc.CallOptions;
}

/** Messages of one answer, and their bytes. */
const mostMessages = 10_000;
const mostBytes = 64 * 1024 * 1024;

const asIs = (bytes: Buffer) => bytes;

/** A call that was begun, and what it is answered. */
export interface Begun {
  readonly answered: Promise<readonly Buffer[]>;
  cancel(): void;
}

/** Sends the messages of a call. `answered` rejects with the status of the server, or a Failure. */
export function begin(client: Grpc.Client, asked: Asked): Begun {
  return asked.method.responseStream ? stream(client, asked) : single(client, asked);
}

function single(client: Grpc.Client, { method, messages, metadata, options }: Asked): Begun {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Buffer[]>();
  const done: Grpc.requestCallback<Buffer> = (error, answer) => {
    if (error === null) resolve([answer as Buffer]);
    else reject(error);
  };
  if (!method.requestStream) {
    const [message = Buffer.alloc(0)] = messages as readonly Buffer[];
    const call = client.makeUnaryRequest(method.path, asIs, asIs, message, metadata, options, done);
    return { answered: promise, cancel: () => call.cancel() };
  }
  const call = client.makeClientStreamRequest(method.path, asIs, asIs, metadata, options, done);
  call.on('error', () => undefined);
  void writeAll(call, messages, promise);
  return { answered: promise, cancel: () => call.cancel() };
}

async function writeAll(
  call: Grpc.ClientWritableStream<Buffer>,
  messages: readonly Uint8Array[],
  answered: Promise<unknown>,
): Promise<void> {
  let isAnswered = false;
  const over = answered.then(
    () => void (isAnswered = true),
    () => void (isAnswered = true),
  );
  for (const message of messages) {
    if (isAnswered) return;
    if (!call.write(message as Buffer))
      await Promise.race([new Promise((resolve) => call.once('drain', resolve)), over]);
  }
  call.end();
}

function stream(client: Grpc.Client, { method, messages, metadata, options }: Asked): Begun {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Buffer[]>();
  const [message = Buffer.alloc(0)] = messages as readonly Buffer[];
  const call = client.makeServerStreamRequest(method.path, asIs, asIs, message, metadata, options);
  const answers: Buffer[] = [];
  let bytes = 0;
  call.on('data', (answer: Buffer) => {
    bytes += answer.length;
    answers.push(answer);
    if (answers.length <= mostMessages && bytes <= mostBytes) return;
    reject(
      new Failure('connector_failed', `the answer has more than ${mostMessages} messages or 64 MiB`, {
        retriable: false,
      }),
    );
    call.cancel();
  });
  call.on('error', reject);
  call.on('end', () => resolve(answers));
  return { answered: promise, cancel: () => call.cancel() };
}
