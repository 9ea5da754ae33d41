import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../test/support/folder.ts';
import { smallService } from '../../test/support/small-service.ts';
import { until } from '../../test/support/until.ts';

/** A page with `window.studio` on it, in one of the hosts. */
export interface OpenedPage {
  readonly page: Page;
  close(): Promise<void>;
}

/** What a page and its host have to do, whatever the host. */
export function bridgeContract(host: string, open: () => Promise<OpenedPage>): void {
  describe(`the bridge of ${host}`, () => {
    let opened: OpenedPage;
    let directory: string;

    beforeAll(async () => {
      opened = await open();
      directory = folderWith({ ...smallService, 'notes/a.txt': 'one needle' });
      await collectEvents(opened.page);
    });
    afterAll(async () => {
      await opened?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    const call = (name: string, params: object = {}) => callBridge(opened.page, name, params);
    const received = (name: string) => opened.page.evaluate<unknown[]>(`window.received[${JSON.stringify(name)}]`);

    test('opens a folder', async () => {
      const project = { directory, name: basename(directory), trusted: false };
      expect(await call('project.open', { directory })).toEqual({ project });
      expect(await call('project.current')).toEqual({ project });
      await expect(call('project.open', { directory: join(directory, 'none') })).rejects.toThrow('there is no folder');
    });

    test('reads and writes its files, and nothing else', async () => {
      expect(await call('files.list')).toEqual({
        entries: [
          { path: 'notes', kind: 'folder' },
          { path: 'notes/a.txt', kind: 'file' },
          { path: 'service.hcl', kind: 'file' },
        ],
        truncated: false,
      });
      const { version } = (await call('files.read', { path: 'notes/a.txt' })) as { version: string };
      writeFileSync(join(directory, 'notes/a.txt'), 'two needles');
      const there = await call('files.read', { path: 'notes/a.txt' });
      expect(await call('files.write', { path: 'notes/a.txt', text: 'mine', expected: version })).toEqual({
        version: (there as { version: string }).version,
        conflict: there,
      });
      for (const path of ['../x', '/etc/passwd', 'notes/../../x', 'a\0'])
        await expect(call('files.read', { path })).rejects.toThrow();
      await until(async () => (await received('files.changed')).length > 0);
      expect(await received('files.changed')).toContainEqual({ changes: [{ path: 'notes/a.txt', kind: 'changed' }] });
    });

    test('says what is wrong with a call in the same words', async () => {
      await expect(call('files.read')).rejects.toThrow('"path" is missing');
      await expect(call('files.read', { path: 5 })).rejects.toThrow('"path" must be of kind string');
    });

    test('searches', async () => {
      expect(await call('files.search', { text: 'needle', wholeWord: false })).toEqual({
        matches: [{ path: 'notes/a.txt', line: 1, start: 4, end: 10, text: 'two needles' }],
        truncated: false,
      });
    });

    test('keeps settings and drafts', async () => {
      await call('settings.write', { json: '{"a":1}' });
      await call('drafts.keep', { path: 'service.hcl', text: 'half' });
      expect([await call('settings.read'), await call('drafts.list')]).toEqual([
        { json: '{"a":1}' },
        { drafts: [{ path: 'service.hcl', text: 'half' }] },
      ]);
    });

    test('keeps identities, and gives no password back', async () => {
      const { identity } = (await call('identities.add', { name: 'ana', password: 'hunter2' })) as {
        identity: { id: string };
      };
      const { identities } = (await call('identities.list')) as { identities: unknown[] };
      expect(identities).toEqual([{ id: identity.id, name: 'ana', kind: 'password', hasToken: false }]);
      expect(JSON.stringify(identities)).not.toContain('hunter2');
      const as = { id: 'as', method: 'GET', url: 'http://127.0.0.1:1/', identity: identity.id, signIn: {} };
      await expect(call('http.send', as)).rejects.toThrow('start it first');
      await call('identities.remove', { id: identity.id });
      expect(await call('identities.list')).toMatchObject({ identities: [] });
      await expect(call('http.send', as)).rejects.toThrow('not kept any more');
    });

    test('runs the service after the folder is trusted, calls it, debugs it and stops it', async () => {
      await expect(call('service.start')).rejects.toThrow('trust this folder first');
      await call('project.trust');
      await call('service.start', {});
      const state = await until(async () => {
        const found = (await call('service.state')) as { state: Running; log: readonly { text: string }[] };
        if (found.state.kind === 'stopped') throw new Error(found.log.map(({ text }) => text).join('\n'));
        return found.state.kind === 'running' && found.state.addresses.length > 0 ? found.state : undefined;
      });
      const url = `${state.addresses[0]}/status`;
      expect(await call('http.send', { id: '1', method: 'GET', url })).toMatchObject({
        status: 200,
        body: '{"status":"ok"}',
      });
      const { id } = (await call('debug.dial', { address: state.debugAddress })) as { id: string };
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug.attach', params: {} });
      await call('debug.send', { id, text });
      const [answer] = (await until(async () => {
        const texts = await received('debug.texts');
        return texts.length > 0 ? texts : undefined;
      })) as [{ id: string; texts: readonly string[] }];
      expect([answer.id, JSON.parse(answer.texts[0] as string)]).toMatchObject([id, { id: 1, result: {} }]);
      await call('service.stop');
      await until(async () => (await received('debug.closed')).length > 0);
      await until(async () => ((await call('service.state')) as { state: Running }).state.kind === 'stopped');
      const kinds = (await received('service.state')).map((each) => (each as { state: Running }).state.kind);
      expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
        'starting',
        'running',
        'stopping',
        'stopped',
      ]);
      expect((await received('service.log')).length).toBeGreaterThan(0);
    });

    test('offers templates', async () => {
      const { templates } = (await call('project.templates')) as { templates: { id: string }[] };
      expect(templates.map(({ id }) => id)).toEqual(expect.arrayContaining(['rest-sqlite', 'alerts']));
    });

    test('opens documentation only', async () => {
      for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'smb://x', 'vscode://x', 'https://example.org'])
        await expect(call('system.openExternal', { url })).rejects.toThrow('only pages of the documentation');
    });

    test('runs no script that the page does not bring as a file', async () => {
      const outcome = await opened.page.evaluate(`new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true });
        document.head.append(Object.assign(document.createElement('script'), { textContent: 'window.injected = true' }));
      })`);
      expect([outcome, await opened.page.evaluate('window.injected')]).toEqual(['script-src-elem', undefined]);
    });
  });
}

interface Running {
  readonly kind: string;
  readonly debugAddress: string;
  readonly addresses: readonly string[];
}

/** Calls a service as the page does. Rejects with the message that the page is given. */
export async function callBridge(page: Page, name: string, params: object): Promise<unknown> {
  const words = [name, params].map((each) => JSON.stringify(each));
  const { result, error } = await page.evaluate<{ result?: unknown; error?: string }>(
    `window.studio.call[${words[0]}](${words[1]}).then((result) => ({ result }), ({ message }) => ({ error: message }))`,
  );
  if (error !== undefined) throw new Error(error);
  return result;
}

/** Keeps the notifications of the host in `window.received`. */
async function collectEvents(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    window.received = {};
    for (const [name, on] of Object.entries(window.studio.on)) {
      window.received[name] = [];
      on((params) => window.received[name].push(params));
    }
  })()`);
}
