import { once } from 'node:events';
import { connect } from 'node:net';
import { Client, credentials, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { ask, type Scenario } from '../scenario.ts';
import { called, pascal, proto } from './configuration.ts';
import type { RowVerb } from './flows.ts';
import type { Servers } from './servers.ts';
import type { TargetKind } from './targets.ts';

/** An order; an update or upsert has a state. */
export interface Order {
  readonly key: string;
  readonly state?: string;
}

/** What sources are reached by. */
export interface Places {
  readonly service: Scenario;
  readonly graphql: number;
  readonly soap: number;
  readonly tcp: number;
  readonly grpc: number;
  readonly servers: Servers;
}

/** A kind of source. */
export interface SourceKind {
  readonly name: string;
  readonly title: string;
  /** Whether a caller waits for what the flow answers. */
  readonly answers: boolean;
  /** Sends an order, and resolves with what its sender is answered. */
  send(places: Places, target: TargetKind, verb: RowVerb, order: Order): Promise<string>;
}

const methods = protobuf.parse(proto, new protobuf.Root(), { keepCase: true }).root;
const asIs = (bytes: Buffer) => bytes;

const fieldsOf = ({ key }: TargetKind, order: Order) => ({
  [key]: order.key,
  ...(order.state === undefined ? {} : { state: order.state }),
});

/** Sources whose callers wait for the answer of the flow. */
export const callers: readonly SourceKind[] = [
  {
    name: 'rest',
    title: 'REST',
    answers: true,
    async send({ service }, target, verb, order) {
      const path = `/${target.name}/${verb === 'upsert' ? 'upserts' : 'orders'}`;
      const method = { insert: 'POST', update: 'PUT', upsert: 'PUT', delete: 'DELETE', read: 'GET' }[verb];
      const body = verb === 'insert' ? fieldsOf(target, order) : order.state && { state: order.state };
      const { status, text } = await service.ask(
        method,
        verb === 'insert' ? path : `${path}/${order.key}`,
        body || undefined,
      );
      return `${status} ${text}`;
    },
  },
  {
    name: 'graphql',
    title: 'GraphQL',
    answers: true,
    async send({ graphql }, target, verb, order) {
      const args = Object.entries(fieldsOf(target, order)).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      const field = `${called(target, verb)}(${args.join(', ')}) { ${target.key} state affected }`;
      const query = `${verb === 'read' ? 'query' : 'mutation'} { answer: ${field} }`;
      return (await ask('POST', `http://127.0.0.1:${graphql}/graphql`, { query })).text;
    },
  },
  {
    name: 'soap',
    title: 'SOAP',
    answers: true,
    async send({ soap }, target, verb, order) {
      const operation = pascal(called(target, verb));
      const fields = Object.entries(fieldsOf(target, order)).map(([name, value]) => `<${name}>${value}</${name}>`);
      const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation} xmlns="urn:rows">${fields.join('')}</${operation}></s:Body></s:Envelope>`;
      const headers = { 'content-type': 'text/xml; charset=utf-8', soapaction: `"${operation}"` };
      const { status, text } = await ask('POST', `http://127.0.0.1:${soap}/`, body, headers);
      const [, inner = text] = /<soap:Body>\s*([\s\S]*?)\s*<\/soap:Body>/.exec(text) ?? [];
      const answered = inner.replace(/>\s+</g, '><').replace(/ xmlns:ns="[^"]*"/, '');
      return `${status} ${answered.replaceAll(operation, pascal(called({ name: 'order' }, verb)))}`;
    },
  },
  {
    name: 'tcp',
    title: 'TCP',
    answers: true,
    async send({ tcp }, target, verb, order) {
      const socket = connect(tcp, '127.0.0.1');
      await once(socket, 'connect');
      const sent = Buffer.from(
        JSON.stringify({ type: `${target.name}.${verb}`, id: 'message-1', data: fieldsOf(target, order) }),
      );
      const length = Buffer.alloc(4);
      length.writeUInt32BE(sent.length);
      socket.write(Buffer.concat([length, sent]));
      let bytes = Buffer.alloc(0);
      while (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE(0)) {
        const [piece] = (await once(socket, 'data')) as [Buffer];
        bytes = Buffer.concat([bytes, piece]);
      }
      socket.destroy();
      const { timestamp: _, ...answer } = JSON.parse(String(bytes.subarray(4))) as Record<string, unknown>;
      return JSON.stringify(answer);
    },
  },
  {
    name: 'grpc',
    title: 'gRPC',
    answers: true,
    async send({ grpc }, target, verb, order) {
      const client = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
      const asked = Buffer.from(methods.lookupType('Order').encode(fieldsOf(target, order)).finish());
      const { promise, resolve } = Promise.withResolvers<string>();
      const answer = methods.lookupType(verb === 'read' ? 'Answers' : 'Answer');
      const method = `/Rows/${pascal(called(target, verb))}`;
      client.makeUnaryRequest(method, asIs, asIs, asked, (error, bytes) =>
        resolve(bytes === undefined ? String(status[error?.code ?? 0]) : JSON.stringify(answer.decode(bytes))),
      );
      return promise.finally(() => client.close());
    },
  },
];
