import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../../test/support/folder.ts';
import { smallService } from '../../../test/support/small-service.ts';
import { until } from '../../../test/support/until.ts';
import { builtWithEmptyPage } from '../built.ts';
import { bridgeContract, callBridge } from '../contract.ts';
import { type DoubleWindow, ElectronDouble } from './electron-double.ts';

const built = builtWithEmptyPage();
const folder = folderWith(smallService);
const settings = folderWith();
const kept = { ...process.env };
let browser: Browser;
let context: BrowserContext;
let electron: ElectronDouble;
let window: DoubleWindow;
let page: Page;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  context = await browser.newContext();
  Object.assign(process.env, { XDG_CONFIG_HOME: settings, SVC_NODE: process.execPath });
  electron = new ElectronDouble(context);
  await electron.run(join(built.directory, 'studio/dist/main.js'), [folder]);
  window = await until(() => electron.windows[0]);
  page = await window.ready;
  await page.waitForFunction('document.readyState === "complete" && "studio" in window');
});
afterAll(async () => {
  await browser?.close();
  process.env = kept;
  built.remove();
  for (const each of [folder, settings]) rmSync(each, { recursive: true, force: true });
});

bridgeContract('Electron', async () => ({ page, close: async () => undefined }));

/** Names of the table of services and of events, as the source has them. */
function namesOf(table: 'services' | 'hostEvents'): string[] {
  const source = readFileSync(join(import.meta.dirname, '../../../studio/src/shared/services.ts'), 'utf8');
  const part = new RegExp(`export const ${table}.*?= [{[](.*?)^[}\\]]`, 'ms').exec(source)![1]!;
  return [...part.matchAll(/^ {2}'([\w.]+)'/gm)].map(([, name]) => name!);
}

describe('a window of Electron', () => {
  test('exposes named functions and nothing else', async () => {
    const shape = await page.evaluate(
      `JSON.stringify(window.studio, (_, value) => typeof value === 'function' ? 'function' : value)`,
    );
    const functions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'function']));
    expect(JSON.parse(shape as string)).toEqual({
      operatingSystem: 'linux',
      call: functions(namesOf('services')),
      on: functions(namesOf('hostEvents')),
    });
    expect(namesOf('services').length).toBeGreaterThan(25);
  });

  test('is isolated, and has no Node', async () => {
    expect(window.preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
    });
    expect(electron.switches).toEqual(['sandbox', 'app']);
    expect(await page.evaluate('[typeof require, typeof process]')).toEqual(['undefined', 'undefined']);
  });

  test('is served its own files and no others', async () => {
    const status = (path: string) => page.evaluate(`fetch(${JSON.stringify(path)}).then(({ status }) => status)`);
    expect(await status('/assets/a-1.js')).toBe(200);
    for (const path of [
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/..%2f..%2fmain.js',
      '/%00',
      '/assets/nothing.js',
    ])
      expect(await status(path), path).toBe(404);
    const strange = ['app://studio.evil/index.html', 'app://user@studio/index.html', 'app://evil/assets/a-1.js'];
    for (const url of strange)
      expect((await electron.serve!({ method: () => 'GET', url: () => url } as never)).status, url).toBe(404);
  });

  test('stays on its page', async () => {
    const address = page.url();
    await page.click('#away');
    await page.evaluate(`location.href = 'https://app-studio.invalid.evil.example/'`).catch(() => undefined);
    await page.evaluate(`window.open('https://example.org/'); undefined`);
    await until(() => electron.refusedWindows === 1);
    expect(page.url()).toBe(address);
    const prevented = (url: string) => {
      const event = { url, isMainFrame: true, isPrevented: false, preventDefault: () => (event.isPrevented = true) };
      for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'])
        window.webContents.emit(name, event);
      return event.isPrevented;
    };
    for (const url of [
      'app://studio.evil/',
      'app://studio@evil/',
      'https://studio/',
      'file:///etc/passwd',
      'data:text/html,x',
    ])
      expect(prevented(url), url).toBe(true);
  });

  test('grants no permission but to copy', () => {
    const { request, check } = electron.permissions;
    const asked = (permission: string) => {
      const answers: boolean[] = [];
      request!(window.webContents, permission, (isAllowed) => answers.push(isAllowed));
      return [...answers, check!(window.webContents, permission), check!(null, permission)];
    };
    for (const permission of ['geolocation', 'notifications', 'midi', 'media', 'clipboard-read', 'openExternal'])
      expect(asked(permission), permission).toEqual([false, false, false]);
    expect(asked('clipboard-sanitized-write')).toEqual([true, true, false]);
  });

  test('answers its own page alone', async () => {
    const refused = { error: 'only the page of a window may call its host' };
    const sender = window.webContents;
    const from = (url: string, parent: object | null = null) =>
      electron.callAs('studio:project.current', { sender, senderFrame: { url, parent } }, {});
    expect(await from('app://studio/index.html')).toMatchObject({ result: {} });
    expect(await from('app://studio/index.html', {})).toEqual(refused);
    expect(await electron.callAs('studio:project.current', { sender, senderFrame: null }, {})).toEqual(refused);
    for (const url of ['app://studio.evil/', 'https://studio/', 'file:///x', 'about:blank', ''])
      expect(await from(url), url).toEqual(refused);
    expect([...electron.handlers.keys()]).toEqual(namesOf('services').map((name) => `studio:${name}`));
  });

  test('asks the person for folders and places', async () => {
    const other = folderWith();
    electron.dialogs.push({ canceled: false, filePaths: [other] });
    expect(await callBridge(page, 'project.choose', {})).toMatchObject({
      project: { directory: other, trusted: false },
    });
    expect(await callBridge(page, 'project.choose', {})).toEqual({ project: undefined });
    electron.dialogs.push({ canceled: false, filePath: join(other, 'picture.svg') });
    expect(await callBridge(page, 'system.saveAs', { name: 'p', content: 'PHN2Zy8+', base64: true })).toEqual({
      saved: true,
    });
    expect(readFileSync(join(other, 'picture.svg'), 'utf8')).toBe('<svg/>');
    expect(await callBridge(page, 'system.saveAs', { name: 'p', content: '' })).toEqual({ saved: false });
    await callBridge(page, 'system.openExternal', { url: 'https://github.com/google/cel-spec' });
    expect(electron.opened).toEqual(['https://github.com/google/cel-spec']);
    rmSync(other, { recursive: true, force: true });
  });

  test('keeps identities sealed by the keychain, beside the settings', async () => {
    await callBridge(page, 'project.open', { directory: folder });
    await callBridge(page, 'identities.add', { name: 'ana@example.test', password: 'Correct-Horse-7' });
    expect(await callBridge(page, 'identities.list', {})).toMatchObject({
      identities: [{ name: 'ana@example.test', kind: 'password', hasToken: false }],
      place: 'keychain',
    });
    const file = join(settings, 'svc-studio', 'identities.json');
    const text = readFileSync(file, 'utf8');
    expect(Object.keys(JSON.parse(text) as object)).toEqual([folder]);
    for (const secret of ['Correct-Horse-7', Buffer.from('Correct-Horse-7').toString('base64').slice(0, 18)])
      expect(text).not.toContain(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('receives what was chosen in the menu', async () => {
    await page.evaluate(`window.studio.on['menu.command'](({ command }) => { window.chosen = command; })`);
    const start = electron.menu.flatMap(({ submenu = [] }) => submenu).find(({ label }) => label === 'Start');
    start!.click!();
    await page.waitForFunction(`window.chosen === 'run.start'`);
  });

  test('ends its service when it is closed, and the program after that', async () => {
    await callBridge(page, 'project.open', { directory: folder });
    await callBridge(page, 'project.trust', {});
    await callBridge(page, 'service.start', {});
    const { pid } = await until(async () => {
      const { state } = (await callBridge(page, 'service.state', {})) as { state: { kind: string; pid: number } };
      return state.kind === 'running' ? state : undefined;
    });
    await page.close();
    await until(() => electron.hasQuit);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
