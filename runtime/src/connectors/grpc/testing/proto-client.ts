import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const asIs = (bytes: Buffer) => bytes;
const plain = { longs: String, enums: String, bytes: String };

/** The messages of a text of definitions, read without a part of the product. */
export function definitionsOf(text: string): protobuf.Root {
  const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
  for (const [, name = ''] of text.matchAll(/import "(google[^"]+)"/g)) {
    const known = protobuf.common.get(name);
    if (known?.nested !== undefined) root.addJSON(known.nested);
  }
  root.resolveAll();
  return root;
}

/** What one call is. */
export interface PlainCall {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
  readonly message: object;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A connection of its own for one call, as another program would make it. Rejects with the status of the call. */
export async function callOnce(port: number, call: PlainCall): Promise<unknown> {
  const { path, request, response, message, metadata = {} } = call;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const sent = new Metadata();
  for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
  const bytes = Buffer.from(request.encode(request.fromObject(message)).finish());
  try {
    return await new Promise<unknown>((resolve, reject) => {
      client.makeUnaryRequest(path, asIs, asIs, bytes, sent, (error: ServiceError | null, answer) => {
        if (error !== null) reject(error);
        else resolve(response.toObject(response.decode(answer as Buffer), plain));
      });
    });
  } finally {
    client.close();
  }
}
