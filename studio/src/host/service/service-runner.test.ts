import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { smallService } from '../../../../test/support/small-service.ts';
import { until } from '../../../../test/support/until.ts';
import type { ServiceState } from '../../shared/services.ts';
import { folderWith, type Opened, openHost } from '../testing/opened.ts';
import { readyLine } from './service-runner.ts';

/** A folder whose service listens on ports that are free. */
const small = { ...smallService, '.env': 'SVC_ENV=development\n' };

async function running(host: Opened): Promise<Extract<ServiceState, { kind: 'running' }>> {
  return until(async () => {
    const { state, log } = await host.services['service.state']({});
    if (state.kind === 'stopped') throw new Error(`${state.reason}\n${log.map(({ text }) => text).join('\n')}`);
    return state.kind === 'running' && state.addresses.length > 0 ? state : undefined;
  });
}

const kinds = ({ emitted }: Opened) =>
  emitted
    .flatMap((each) => (each.event === 'service.state' ? each.params.state.kind : []))
    .filter((kind, at, all) => kind !== all[at - 1]);

describe('the service of a folder', () => {
  test('does not run before the folder is trusted', async () => {
    const { services } = await openHost(small);
    await expect(services['service.start']({})).rejects.toThrow('trust this folder first');
    expect(await services['service.state']({})).toEqual({ state: { kind: 'stopped' }, log: [] });
  });

  test('starts, answers, is debugged with its own token, and stops', async () => {
    const host = await openHost(small);
    const { services, emitted } = host;
    await services['project.trust']({});
    expect(await services['service.start']({})).toEqual({});
    await expect(services['service.start']({})).rejects.toThrow('the service is running; stop it first');
    const state = await running(host);
    expect(await (await fetch(`${state.addresses[0]}/status`)).json()).toEqual({ status: 'ok' });

    const { id } = await services['debug.dial']({ address: state.debugAddress });
    await services['debug.send']({ id, text: '{"jsonrpc":"2.0","id":1,"method":"debug.attach","params":{}}' });
    const answer = await until(() => emitted.find(({ event }) => event === 'debug.texts'));
    expect(JSON.parse((answer.params as unknown as { texts: string[] }).texts[0] ?? '')).toMatchObject({
      id: 1,
      result: {},
    });

    await services['service.stop']({});
    await until(() => kinds(host).at(-1) === 'stopped');
    expect(kinds(host)).toEqual(['starting', 'running', 'stopping', 'stopped']);
    expect((await services['service.state']({})).state).toEqual({ kind: 'stopped', code: 0, reason: undefined });
    await expect(fetch(`${state.addresses[0]}/status`)).rejects.toThrow();
    await until(() => emitted.some(({ event }) => event === 'debug.closed'));
    const { log } = await services['service.state']({});
    expect(log.some(({ stream, text }) => stream === 'error' && / ready service=small/.test(text))).toBe(true);
    expect(log.filter(({ text }) => /Bearer|SVC_DEBUG_TOKEN/.test(text))).toEqual([]);
  });

  test('starts again as another process', async () => {
    const host = await openHost(small);
    await host.services['project.trust']({});
    await host.services['service.start']({});
    const first = await running(host);
    await host.services['service.restart']({});
    const second = await running(host);
    expect(second.pid).not.toBe(first.pid);
    await host.close();
    expect(kinds(host).at(-1)).toBe('stopped');
  });

  test('that cannot start says why', async () => {
    const host = await openHost({ 'service.hcl': 'connector "api" { type = "nothing" }\n' });
    await host.services['project.trust']({});
    await host.services['service.start']({});
    await until(() => kinds(host).at(-1) === 'stopped');
    const { state, log } = await host.services['service.state']({});
    expect(state).toEqual({ kind: 'stopped', code: 1, reason: 'the service ended with status 1' });
    expect(log.some(({ text }) => text.includes('nothing'))).toBe(true);
  });

  test('ends when another folder is opened', async () => {
    const host = await openHost(small);
    await host.services['project.trust']({});
    await host.services['service.start']({});
    await running(host);
    await host.services['project.open']({ directory: folderWith() });
    expect((await host.services['service.state']({})).state.kind).toBe('stopped');
  });

  test('cannot be run by a program that is not there', async () => {
    const host = await openHost(small, { program: { executable: '/nowhere/svc', args: [] } });
    await host.services['project.trust']({});
    await host.services['service.start']({});
    await until(() => kinds(host).at(-1) === 'stopped');
    expect((await host.services['service.state']({})).state).toMatchObject({
      reason: expect.stringContaining('/nowhere/svc cannot be run'),
    });
  });
});

test('a service that another program runs is shown, and left alone', async () => {
  const server = createServer((_, response) => void response.end('ok'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const adminPort = (server.address() as AddressInfo).port;
  const host = await openHost({}, { attach: { adminPort, addresses: ['http://localhost:3000'] } });
  expect(await running(host)).toEqual({
    kind: 'running',
    debugAddress: `ws://127.0.0.1:${adminPort}/debug`,
    addresses: ['http://localhost:3000'],
    pid: 0,
  });
  await host.services['project.trust']({});
  await expect(host.services['service.start']({})).rejects.toThrow('another program started this service');
  await expect(host.services['service.stop']({})).rejects.toThrow('another program started this service');
  server.close();
  server.closeAllConnections();
  await until(() => kinds(host).at(-1) === 'stopped');
});

test('the line that says what listens where is read as text and as JSON', () => {
  const said = { admin: 9090, addresses: ['http://localhost:3000', 'https://localhost:3001'] };
  expect(
    readyLine(
      '10:00:00.000 INF ready service=a version=1 api=http://localhost:3000 b=https://localhost:3001 admin=http://localhost:9090 flows=1',
    ),
  ).toEqual(said);
  expect(
    readyLine(
      '{"time":"x","level":"INFO","msg":"ready","service":"a","api":"http://localhost:3000","b":"https://localhost:3001","admin":"http://localhost:9090","flows":1}',
    ),
  ).toEqual(said);
  expect(readyLine('10:00:00.000 INF request path="ready service=http://evil"')).toBeUndefined();
});
