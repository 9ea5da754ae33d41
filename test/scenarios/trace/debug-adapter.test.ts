import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { FrameReader, frameHeader } from '@svc/protocol/lsp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { program } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { copyConfiguration, migrate } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Message extends Fields {
  readonly type: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly body: Body;
}

/** Of the answers, what is looked into. */
interface Body extends Fields {
  readonly stackFrames: readonly { readonly name: string }[];
  readonly scopes: readonly Fields[];
  readonly variables: readonly { readonly name: string; readonly variablesReference: number }[];
}

let directory: string;
let payments: Upstream;
let child: ChildProcess;
let said = '';
let port: number;
let status: Promise<number | null>;

beforeEach(async () => {
  payments = await startUpstream(() => ({ body: { amount: 4 } }));
  directory = copyConfiguration(import.meta.dirname);
  const PAYMENTS = payments.address;
  await migrate(directory, ['db'], { PAYMENTS });
  said = '';
  child = spawn(process.execPath, [program, 'trace', 'buy', '--dap', '0', '-c', directory], {
    env: { ...process.env, PAYMENTS, SVC_ENV: '' },
  });
  child.stderr?.on('data', (piece) => {
    said += piece;
  });
  status = new Promise((resolve) => child.on('close', resolve));
  port = Number(await until(() => /127\.0\.0\.1:(\d+)/.exec(said)?.[1]));
});

afterEach(async () => {
  child.kill('SIGKILL');
  await status;
  await payments.close();
  rmSync(directory, { recursive: true });
});

/** A client that sends requests and keeps what it hears. */
class Client {
  readonly heard: Message[] = [];
  readonly #socket: Socket = connect(port, '127.0.0.1');
  #seq = 0;

  constructor() {
    const reader = new FrameReader((bytes) => Buffer.from(bytes).toString('utf8'));
    this.#socket.on('data', (chunk) => {
      for (const text of reader.push(chunk)) this.heard.push(JSON.parse(text));
    });
  }

  async ask(command: string, given: Fields = {}): Promise<Message> {
    const seq = ++this.#seq;
    const body = JSON.stringify({ seq, type: 'request', command, arguments: given });
    this.#socket.write(frameHeader(Buffer.byteLength(body)) + body);
    return until(() => this.heard.find((message) => message.request_seq === seq));
  }

  /** Sends a text as it is, and waits for the answer that has no request of its own. */
  async send(text: string, answersTo = 0): Promise<Message> {
    this.heard.splice(0);
    this.#socket.write(frameHeader(Buffer.byteLength(text)) + text);
    return until(() => this.heard.find((message) => message.request_seq === answersTo));
  }

  async event(name: string): Promise<Fields> {
    const found = await until(() => this.heard.find(({ event }) => event === name));
    this.heard.splice(this.heard.indexOf(found), 1);
    return found.body;
  }

  leave(): void {
    this.#socket.destroy();
  }
}

const input = { kind: 'order', item: 'cup' };

test('an editor sets breakpoints in lines, sees values, steps, and hears the end', async () => {
  const client = new Client();
  expect((await client.ask('initialize', { adapterID: 'svc' })).body).toMatchObject({
    supportsConfigurationDoneRequest: true,
  });
  await client.event('initialized');
  await client.ask('launch', { input, dryRun: true, breakAt: 'write:db' });
  const path = join(directory, 'flows.hcl');
  const set = await client.ask('setBreakpoints', {
    source: { path },
    breakpoints: [{ line: 17, condition: 'input.item == "cup"' }, { line: 18, condition: 'false' }, { line: 9_999 }],
  });
  expect(set.body['breakpoints']).toEqual([
    { verified: true, line: 17 },
    { verified: true, line: 18 },
    { verified: false, message: 'no flow stops here' },
  ]);
  await client.ask('configurationDone');

  expect(await client.event('stopped')).toEqual({ reason: 'breakpoint', threadId: 1, allThreadsStopped: false });
  expect((await client.ask('threads')).body).toEqual({ threads: [{ id: 1, name: 'flow buy' }] });
  expect((await client.ask('stackTrace', { threadId: 1 })).body.stackFrames).toEqual([
    { id: 1, name: 'buy: transform', line: 17, column: 1, source: { name: 'flows.hcl', path } },
  ]);
  const { scopes } = (await client.ask('scopes', { frameId: 1 })).body;
  const { variables } = (await client.ask('variables', scopes[0])).body;
  expect(variables.map(({ name }) => name)).toEqual(['input', 'output', 'step', 'enriched']);
  const members = await client.ask('variables', { variablesReference: variables[0]?.variablesReference });
  expect(members.body.variables).toContainEqual({
    name: 'item',
    value: '"cup"',
    type: 'string',
    variablesReference: 0,
  });
  expect((await client.ask('evaluate', { expression: 'input.item + "!"', frameId: 1 })).body).toMatchObject({
    result: '"cup!"',
    type: 'string',
  });
  expect(await client.ask('evaluate', { expression: 'nope', frameId: 1 })).toMatchObject({
    success: false,
    message: 'there is no variable "nope" here',
  });
  expect(await client.ask('stepOut', { threadId: 1 })).toMatchObject({ success: false });

  await client.ask('stepIn', { threadId: 1 });
  expect(await client.event('stopped')).toMatchObject({ reason: 'step' });
  expect((await client.ask('stackTrace', { threadId: 1 })).body.stackFrames[0]?.name).toBe('buy: transform: item');
  await client.ask('continue', { threadId: 1 });
  await client.event('stopped');
  expect((await client.ask('stackTrace', { threadId: 1 })).body.stackFrames[0]?.name).toBe('buy: write db');
  await client.ask('next', { threadId: 1 });
  await client.event('stopped');
  await client.ask('continue', { threadId: 1 });
  expect(await client.event('output')).toMatchObject({
    output: expect.stringContaining('[dry-run] db: create not done'),
  });
  expect(await client.event('exited')).toEqual({ exitCode: 0 });
  await client.event('terminated');
  await client.ask('disconnect');
  expect(await status).toBe(0);
  expect(payments.received.map(({ method }) => method)).toEqual(['GET']);
});

test('a client that goes away ends the flow where it is', async () => {
  const client = new Client();
  await client.ask('initialize');
  await client.ask('launch', { input, breakAt: ['step:charge'] });
  await client.ask('configurationDone');
  await client.event('stopped');
  client.leave();
  expect(await status).toBe(0);
  expect(payments.received.map(({ method }) => method)).toEqual(['GET']);
});

test('a place that the flow does not have, and a message that is not an object, are reported', async () => {
  const client = new Client();
  await client.ask('launch', { input, breakAt: 'nowhere' });
  await client.ask('configurationDone');
  expect(await client.event('output')).toMatchObject({ output: expect.stringContaining('has no stage "nowhere"') });
  expect(await client.event('exited')).toEqual({ exitCode: 1 });
  await client.ask('disconnect');
  expect(await status).toBe(1);
});

test('a page of a browser that reaches the port is not heard', async () => {
  const body = JSON.stringify({ seq: 1, type: 'request', command: 'initialize' });
  await expect(fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).rejects.toThrow();
  const client = new Client();
  expect(await client.ask('initialize')).toMatchObject({ success: true });
  client.leave();
  expect(await status).toBe(0);
});

test('lines and columns are counted as the client counts them', async () => {
  const client = new Client();
  await client.ask('initialize', { linesStartAt1: false, columnsStartAt1: false });
  await client.ask('launch', { input, dryRun: true });
  const path = join(directory, 'flows.hcl');
  const set = await client.ask('setBreakpoints', { source: { path }, breakpoints: [{ line: 16 }, { line: 29 }] });
  expect(set.body['breakpoints']).toEqual([
    { verified: true, line: 16 },
    { verified: false, message: 'no flow stops here' },
  ]);
  await client.ask('configurationDone');
  await client.event('stopped');
  expect((await client.ask('stackTrace', { threadId: 1 })).body.stackFrames).toEqual([
    { id: 1, name: 'buy: transform', line: 16, column: 0, source: { name: 'flows.hcl', path } },
  ]);
  client.leave();
  expect(await status).toBe(0);
});

test('a breakpoint stays in its block: it never lands in a flow further down', async () => {
  const client = new Client();
  await client.ask('initialize');
  const source = { path: join(directory, 'flows.hcl') };
  const breakpoints = [{ line: 11 }, { line: 24 }, { line: 34 }, { line: 35 }, {}, { line: '17' }, null];
  const set = await client.ask('setBreakpoints', { source, breakpoints });
  const none = { verified: false, message: 'no flow stops here' };
  expect(set.body['breakpoints']).toEqual([
    { verified: true, line: 12 },
    { verified: true, line: 25 },
    none,
    none,
    none,
    none,
    none,
  ]);
  client.leave();
  expect(await status).toBe(0);
});

test('messages that are not requests are answered, and the next one is read', async () => {
  const client = new Client();
  await client.ask('initialize');
  const refused = { type: 'response', success: false, message: expect.stringContaining('is not a request') };
  for (const text of ['{', 'null', '[]', '7', '{}', '{"seq":"1","command":"threads"}', '{"type":"event","event":"x"}'])
    expect(await client.send(text)).toMatchObject(refused);
  expect(await client.send('{"seq":90,"command":7}', 90)).toMatchObject(refused);
  expect(await client.send('{"seq":91,"command":"threads","arguments":[]}', 91)).toMatchObject(refused);
  expect(
    await client.send('{"seq":92,"type":"request","command":"setBreakpoints","arguments":{"source":7}}', 92),
  ).toMatchObject({
    success: true,
    body: { breakpoints: [] },
  });
  expect(await client.ask('threads')).toMatchObject({ success: true, body: { threads: [] } });
  client.leave();
  expect(await status).toBe(0);
});

test('a reference that was not given, or is over, is refused', async () => {
  const client = new Client();
  await client.ask('initialize');
  await client.ask('launch', { input, dryRun: true, breakAt: 'transform,write:db' });
  await client.ask('configurationDone');
  await client.event('stopped');
  const { scopes } = (await client.ask('scopes', { frameId: 1 })).body;
  const before = scopes[0]?.['variablesReference'];
  for (const variablesReference of [0, 99, -1, 1.5, '1', undefined])
    expect(await client.ask('variables', { variablesReference })).toMatchObject({
      success: false,
      message: expect.stringContaining('there is no value with the reference'),
    });
  for (const [command, given] of [
    ['scopes', { frameId: 9 }],
    ['stackTrace', { threadId: 'x' }],
    ['evaluate', { expression: '1', frameId: 9 }],
    ['continue', { threadId: 9 }],
  ] as const)
    expect(await client.ask(command, given)).toMatchObject({ success: false });
  await client.ask('continue', { threadId: 1 });
  await client.event('stopped');
  expect(await client.ask('variables', { variablesReference: before })).toMatchObject({ success: false });
  const again = (await client.ask('scopes', { frameId: 1 })).body.scopes[0]?.['variablesReference'];
  expect(again).not.toBe(before);
  client.leave();
  expect(await status).toBe(0);
});
