import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderWith } from '../../../test/support/folder.ts';
import { runCommand } from '../../../test/support/service.ts';
import { smallService } from '../../../test/support/small-service.ts';
import { until } from '../../../test/support/until.ts';
import { builtWithEmptyPage } from '../built.ts';
import { bridgeContract, callBridge } from '../contract.ts';

let browser: Browser;
const built = builtWithEmptyPage();
const settings = folderWith();

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  built.remove();
  rmSync(settings, { recursive: true, force: true });
});

/** The built program, and the address that it printed. */
async function startStudio(directory: string) {
  const child = spawn(process.execPath, [join(built.directory, 'runtime/dist/main.js'), 'studio', directory], {
    env: { ...process.env, XDG_CONFIG_HOME: settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  const ended = new Promise<unknown>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  const url = await until(() => {
    if (child.exitCode !== null) throw new Error(said);
    return /studio +(http:\S+)/.exec(said)?.[1];
  });
  return {
    url,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** A page of the studio with the bridge as a browser has it: JSON-RPC over a WebSocket of its own address. */
async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await connect(page);
}

async function connect(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const socket = new WebSocket('ws://' + location.host + '/bridge');
    const waiting = new Map();
    const listeners = new Map();
    let last = 0;
    socket.onmessage = ({ data }) => {
      const { id, method, params, result, error } = JSON.parse(data);
      if (method !== undefined) for (const listen of listeners.get(method) ?? []) listen(params);
      else if (error === undefined) waiting.get(id).resolve(result);
      else waiting.get(id).reject(new Error(error.message));
    };
    const call = (method) => (params) => new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }));
    });
    const on = (event) => (listen) => void listeners.set(event, [...(listeners.get(event) ?? []), listen]);
    const events = ['files.changed', 'service.state', 'service.log', 'debug.texts', 'debug.closed', 'menu.command'];
    window.studio = {
      call: new Proxy({}, { get: (_, name) => call(name) }),
      on: Object.fromEntries(events.map((event) => [event, on(event)])),
    };
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error('refused'));
  })`);
}

bridgeContract('a browser', async () => {
  const directory = folderWith();
  const studio = await startStudio(directory);
  const context = await browser.newContext();
  const page = await context.newPage();
  await openPage(page, studio.url);
  return {
    page,
    close: async () => {
      await context.close();
      expect(await studio.stop()).toEqual({ code: 0, signal: null });
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

test('a page that is loaded again finds its running service; the end of the studio ends it', async () => {
  const directory = folderWith(smallService);
  const studio = await startStudio(directory);
  const context = await browser.newContext();
  const page = await context.newPage();
  await openPage(page, studio.url);
  expect(page.url()).toBe(`${new URL(studio.url).origin}/`);
  await callBridge(page, 'project.trust', {});
  await callBridge(page, 'service.start', {});
  const running = async () => {
    const { state } = (await callBridge(page, 'service.state', {})) as { state: { kind: string; pid: number } };
    return state.kind === 'running' ? state : undefined;
  };
  const before = await until(running);
  await page.reload();
  await connect(page);
  expect(await running()).toMatchObject({ pid: before.pid });
  expect(() => process.kill(before.pid, 0)).not.toThrow();
  expect(await studio.stop()).toEqual({ code: 0, signal: null });
  expect(() => process.kill(before.pid, 0)).toThrow('ESRCH');
  await context.close();
  rmSync(directory, { recursive: true, force: true });
});

test.skipIf(process.platform !== 'linux')('a service ends with a studio that was killed', async () => {
  const directory = folderWith(smallService);
  const studio = await startStudio(directory);
  const context = await browser.newContext();
  const page = await context.newPage();
  await openPage(page, studio.url);
  await callBridge(page, 'project.trust', {});
  await callBridge(page, 'service.start', {});
  const { pid } = await until(async () => {
    const { state } = (await callBridge(page, 'service.state', {})) as { state: { kind: string; pid: number } };
    return state.kind === 'running' ? state : undefined;
  });
  expect(await studio.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  await until(() => !isThere(pid));
  await context.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Whether a process runs; one that has exited and was not reaped yet does not. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test.each([
  [['--port', '70000'], '--port is a port from 0 to 65535'],
  [['--attach', 'example.org:9090'], '--attach is the admin port of this machine'],
  [['--attach', '127.0.0.1'], '--attach is the admin port of this machine'],
  [['--address', 'http://localhost'], '--address belongs to --attach'],
  [['/nowhere'], 'there is no directory /nowhere'],
])('svc studio %j is refused', async (args, reason) => {
  const { code, stderr } = await runCommand(['studio', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});

test('another site can neither open the bridge nor read what is served', async () => {
  const directory = folderWith();
  const studio = await startStudio(directory);
  const context = await browser.newContext();
  await openPage(await context.newPage(), studio.url);
  const evil = await context.newPage();
  await context.route('http://evil.example/**', (route) => route.fulfill({ body: 'evil', contentType: 'text/html' }));
  await evil.goto('http://evil.example/');
  const { host } = new URL(studio.url);
  expect(
    await evil.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket('ws://${host}/bridge');
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    })`),
  ).toBe('refused');
  expect(await evil.evaluate(`fetch('http://${host}/').then(() => 'read', () => 'refused')`)).toBe('refused');
  await context.close();
  await studio.stop();
  rmSync(directory, { recursive: true, force: true });
});
