import { once } from 'node:events';
import { connect } from 'node:net';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { decode, encode } from '@msgpack/msgpack';
import { createClient } from 'graphql-ws';
import protobuf from 'protobufjs';
import { WebSocket } from 'ws';
import { capital, key } from './configuration.ts';

/** What a caller sees of one failure, as its protocol has it. */
export interface Seen {
  /** The sign by which clients of the protocol know that it failed: a status, a code, the kind of a message. */
  readonly sign: string;
  readonly text: string;
  /** The rest of what came. */
  readonly details: unknown;
}

/** Asks for the flow of a way at a port of this machine. */
export type Ask = (port: number, way: string) => Promise<Seen>;

const sent = { n: 'x' };
/** Servers that know no keys leave it unread. */
const keyed = { 'x-api-key': key };

const rest: Ask = async (port, way) => {
  const headers = { 'content-type': 'application/json', ...keyed };
  const answer = await fetch(`http://127.0.0.1:${port}/${way}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(sent),
  });
  const body = (await answer.json()) as Readonly<Record<string, unknown>>;
  const { error, message = error } = body;
  return { sign: String(answer.status), text: String(message), details: body };
};

interface GraphqlAnswer {
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

function ofGraphql({ errors = [] }: GraphqlAnswer): Seen {
  const [error] = errors;
  if (error === undefined) return { sign: 'data', text: '', details: undefined };
  return { sign: `errors, ${error.extensions?.code}`, text: error.message, details: error.extensions };
}

const document = (kind: string, way: string) => `${kind} { ${way}(n: "x") { a } }`;

const graphql: Ask = async (port, way) => {
  const headers = { 'content-type': 'application/json', ...keyed };
  const body = JSON.stringify({ query: document('mutation', way) });
  const answer = await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body });
  return ofGraphqlHttp(answer);
};

/** What is refused beside the execution of a document has the form of every server. */
async function ofGraphqlHttp(answer: Response): Promise<Seen> {
  const body = (await answer.json()) as GraphqlAnswer & { readonly error?: string; readonly code?: string };
  if (body.error === undefined) return ofGraphql(body);
  const sign = `${answer.status}${body.code === undefined ? '' : `, ${body.code}`}`;
  return { sign, text: body.error, details: body };
}

/** Over server-sent events: the first event of the stream. */
const overEvents =
  (kind: string): Ask =>
  async (port, way) => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...keyed };
    const body = JSON.stringify({ query: document(kind, way) });
    const answer = await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body });
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return ofGraphqlHttp(answer);
    const text = await answer.text();
    const [, event, data] = /^event: (\w+)\ndata: ?(.*)$/m.exec(text) ?? [];
    if (event !== 'next' || data === undefined) return { sign: event ?? text, text: '', details: undefined };
    return ofGraphql(JSON.parse(data) as GraphqlAnswer);
  };

class KeyedSocket extends WebSocket {
  constructor(address: string, protocols?: string | string[]) {
    super(address, protocols, { headers: keyed });
  }
}

const overSocket =
  (kind: string): Ask =>
  async (port, way) => {
    const client = createClient({
      url: `ws://127.0.0.1:${port}/subscriptions`,
      webSocketImpl: KeyedSocket,
      retryAttempts: 0,
    });
    try {
      const { promise, resolve, reject } = Promise.withResolvers<Seen>();
      client.subscribe(
        { query: document(kind, way) },
        {
          next: (result) => resolve(ofGraphql(result as GraphqlAnswer)),
          error: (errors) => (Array.isArray(errors) ? resolve(ofGraphql({ errors })) : reject(errors)),
          complete: () => resolve({ sign: 'complete', text: '', details: undefined }),
        },
      );
      return await promise;
    } finally {
      await client.dispose();
    }
  };

const details = protobuf.parse(`syntax = "proto3"; package google.rpc;
message Any { string type_url = 1; bytes value = 2; }
message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
message ErrorInfo { string reason = 1; string domain = 2; }
message Violation { string field = 1; string description = 2; }
message BadRequest { repeated Violation field_violations = 1; }
message Value { oneof kind { int32 null_value = 1; double number_value = 2; string string_value = 3; bool bool_value = 4; Struct struct_value = 5; ListValue list_value = 6; } }
message ListValue { repeated Value values = 1; }
message Struct { map<string, Value> fields = 1; }`).root;

function ofGrpc(error: ServiceError | undefined): Seen {
  if (error === undefined) return { sign: 'OK', text: '', details: undefined };
  const bytes = error.metadata.get('grpc-status-details-bin')[0];
  const shown: Record<string, unknown> = {};
  if (bytes !== undefined) {
    const read = (type: string, from: Uint8Array) =>
      details.lookupType(type).decode(from).toJSON() as Record<string, unknown>;
    const { details: all = [] } = details.lookupType('google.rpc.Status').decode(bytes as Buffer) as unknown as {
      readonly details?: readonly { readonly type_url: string; readonly typeUrl: string; readonly value: Uint8Array }[];
    };
    for (const { typeUrl, value } of all) {
      const name = typeUrl.split('.').at(-1) as string;
      shown[name] = read(`google.rpc.${name}`, value);
    }
  }
  return { sign: status[error.code] as string, text: error.details, details: shown };
}

const empty = Buffer.from([0x0a, 0x01, 0x78]);
const asIs = (bytes: Buffer) => bytes;

const calling =
  (isStream: boolean): Ask =>
  async (port, way) => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const { promise, resolve } = Promise.withResolvers<Seen>();
    const metadata = new Metadata();
    metadata.set('x-api-key', key);
    const end = (error: ServiceError | null | undefined) => resolve(ofGrpc(error ?? undefined));
    if (isStream) {
      const call = client.makeServerStreamRequest(`/Failures/Watch${capital(way)}`, asIs, asIs, empty, metadata);
      call.on('data', () => undefined);
      call.on('error', (error) => end(error as ServiceError));
      call.on('end', () => end(undefined));
    } else client.makeUnaryRequest(`/Failures/${capital(way)}`, asIs, asIs, empty, metadata, end);
    return promise.finally(() => client.close());
  };

const soap =
  (namespace: string, type: string): Ask =>
  async (port, way) => {
    const body = `<s:Envelope xmlns:s="${namespace}"><s:Body><${capital(way)} xmlns="http://tempuri.org/"><n>x</n></${capital(way)}></s:Body></s:Envelope>`;
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': type, ...keyed },
      body,
    });
    const text = (await answer.text()).replaceAll(/>\s+</g, '><');
    const one = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
    const code = one(/<(?:faultcode|soap:Value)>([^<]*)</);
    const detail = one(/<(?:detail|soap:Detail)>(.*)<\/(?:detail|soap:Detail)>/);
    return { sign: `${answer.status} ${code}`, text: one(/<(?:faultstring|soap:Text[^>]*)>([^<]*)</), details: detail };
  };

type Envelope = Readonly<Record<string, unknown>>;

/** Writes one message to a socket and reads one; `length` says where an answer ends, once that is known. */
async function exchange(port: number, message: Buffer, length: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  socket.write(message);
  let bytes = Buffer.alloc(0);
  try {
    for (;;) {
      const whole = length(bytes);
      if (whole !== undefined && bytes.length >= whole) return bytes.subarray(0, whole);
      const [piece] = (await once(socket, 'data')) as [Buffer];
      bytes = Buffer.concat([bytes, piece]);
    }
  } finally {
    socket.destroy();
  }
}

async function prefixed(port: number, message: Uint8Array): Promise<Buffer> {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(message.length);
  const answer = await exchange(port, Buffer.concat([head, message]), (bytes) =>
    bytes.length < 4 ? undefined : 4 + bytes.readUInt32BE(),
  );
  return answer.subarray(4);
}

function ofEnvelope({ type, error, code, data }: Envelope): Seen {
  return {
    sign: `${String(type)}${code === undefined ? '' : `, ${String(code)}`}`,
    text: String(error),
    details: data,
  };
}

const json: Ask = async (port, way) => {
  const answer = await prefixed(port, Buffer.from(JSON.stringify({ type: way, id: '1', data: sent })));
  return ofEnvelope(JSON.parse(answer.toString()) as Envelope);
};

const msgpack: Ask = async (port, way) =>
  ofEnvelope(decode(await prefixed(port, encode({ type: way, id: '1', data: sent }))) as Envelope);

const nestjs: Ask = async (port, way) => {
  const message = JSON.stringify({ pattern: way, data: sent, id: '1' });
  const answer = await exchange(port, Buffer.from(`${message.length}#${message}`), (bytes) => {
    const mark = bytes.indexOf('#');
    return mark < 0 ? undefined : mark + 1 + Number(bytes.subarray(0, mark).toString());
  });
  const { err } = JSON.parse(answer.toString().replace(/^\d+#/, '')) as { readonly err?: unknown };
  if (err === undefined) return { sign: 'response', text: '', details: undefined };
  if (typeof err === 'string') return { sign: 'err', text: err, details: undefined };
  const { message: text, ...others } = err as Envelope;
  return { sign: 'err', text: String(text), details: others };
};

const live =
  (type: string): Ask =>
  async (port, way) => {
    const socket = new KeyedSocket(`ws://127.0.0.1:${port}/${way}`);
    try {
      await once(socket, 'open');
      const answer = once(socket, 'message');
      socket.send(JSON.stringify({ type, data: sent }));
      const [frame] = (await answer) as [Buffer];
      const { type: kind, message, code, ...others } = JSON.parse(frame.toString()) as Envelope;
      const sign = `${String(kind)}${code === undefined ? '' : `, ${String(code)}`}`;
      return { sign, text: String(message), details: others };
    } finally {
      socket.close();
    }
  };

export interface Protocol {
  readonly title: string;
  /** The variable of the port. */
  readonly port: string;
  readonly ask: Ask;
  /** Whether a sign says that it went well. */
  readonly success: RegExp;
  /** False: it has no time within which it answers. */
  readonly isTimed?: false;
  /** False: it does not know who calls. */
  readonly knowsCallers?: false;
}

/** Everything that answers a caller. */
export const protocols: readonly Protocol[] = [
  { title: 'REST', port: 'PORT', ask: rest, success: /^[23]/ },
  { title: 'GraphQL', port: 'GRAPHQL_PORT', ask: graphql, success: /^data/ },
  { title: 'GraphQL, WebSocket', port: 'GRAPHQL_PORT', ask: overSocket('mutation'), success: /^(data|complete)/ },
  {
    title: 'GraphQL, subscription',
    port: 'GRAPHQL_PORT',
    ask: overSocket('subscription'),
    success: /^(data|complete)/,
    isTimed: false,
  },
  { title: 'GraphQL, events', port: 'GRAPHQL_PORT', ask: overEvents('mutation'), success: /^data|^complete/ },
  {
    title: 'GraphQL, subscription over events',
    port: 'GRAPHQL_PORT',
    ask: overEvents('subscription'),
    success: /^(data|complete)/,
  },
  { title: 'gRPC', port: 'GRPC_PORT', ask: calling(false), success: /^OK/ },
  { title: 'gRPC, stream', port: 'GRPC_PORT', ask: calling(true), success: /^OK/ },
  {
    title: 'SOAP 1.1',
    port: 'SOAP11_PORT',
    ask: soap('http://schemas.xmlsoap.org/soap/envelope/', 'text/xml'),
    success: /^(2|\d+ $)/,
  },
  {
    title: 'SOAP 1.2',
    port: 'SOAP12_PORT',
    ask: soap('http://www.w3.org/2003/05/soap-envelope', 'application/soap+xml'),
    success: /^(2|\d+ $)/,
  },
  { title: 'tcp, json', port: 'JSON_PORT', ask: json, success: /^response/, isTimed: false, knowsCallers: false },
  {
    title: 'tcp, msgpack',
    port: 'MSGPACK_PORT',
    ask: msgpack,
    success: /^response/,
    isTimed: false,
    knowsCallers: false,
  },
  { title: 'tcp, nestjs', port: 'NESTJS_PORT', ask: nestjs, success: /^response/, isTimed: false, knowsCallers: false },
  { title: 'WebSocket', port: 'LIVE_PORT', ask: live('message'), success: /^message/, isTimed: false },
  { title: 'WebSocket, another type', port: 'LIVE_PORT', ask: live('save'), success: /^message/, isTimed: false },
];
