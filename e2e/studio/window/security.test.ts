import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';

/** Status and headers of a request that is sent as it is written, cookie and all. */
function get(address: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const { hostname, port } = new URL(address);
  return new Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>> }>(
    (resolve, reject) => {
      const sent = request({ hostname, port, path, headers }, (answer) => {
        answer.resume();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
      });
      sent.on('error', reject);
      sent.on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
      });
      sent.end();
    },
  );
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** What would run, or ask for something, where text were taken for a part of the page. */
const hostile = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '<svg onload=alert(1)>',
  '[x](javascript:alert(1))',
  '![x](http://evil.example/pixel.png)',
  '<a href="http://evil.example/">x</a>',
  "';alert(1);//",
  '{{constructor.constructor("alert(1)")()}}',
] as const;

const quoted = (text: string) => JSON.stringify(text);

describeInBrowser('the window and those who mean harm', () => {
  test('admits a client that has the token, once, and no other', async ({ journey: { page, context, address } }) => {
    expect((await get(address, new URL(address).pathname + new URL(address).search)).status).toBe(403);
    expect((await get(address, '/')).status).toBe(403);
    const [cookie] = await context.cookies(address);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const known = { cookie: `${cookie!.name}=${cookie!.value}` };
    const { status, headers } = await get(address, '/', known);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    for (const path of ['/../package.json', '/%2e%2e/package.json', '/..%2fpackage.json', '/assets/..%2f..%2fmain.js'])
      expect([400, 404], path).toContain((await get(address, path, known)).status);

    const { origin, port } = new URL(page.url());
    const bridge = async (from: string) =>
      (await get(address, '/bridge', { ...upgrade, ...known, origin: from })).status;
    for (const from of ['http://evil.example', 'null', `http://localhost:${port}`, `${origin}.evil.example`])
      expect(await bridge(from), from).toBe(403);
    expect((await get(address, '/bridge', { ...upgrade, origin })).status).toBe(403);
    expect(await bridge(origin)).toBe(101);
    expect(await page.evaluate('[typeof require, typeof process, typeof window.studio]')).toEqual([
      'undefined',
      'undefined',
      'undefined',
    ]);
  });

  test('shows what is written in files, and never runs it', async ({ journey: { workbench, page, directory } }) => {
    const strange: string[] = [];
    page.on('dialog', (dialog) => {
      strange.push(dialog.message());
      void dialog.dismiss();
    });
    const { origin } = new URL(page.url());
    page.on('request', (sent) => {
      if (!/^(data|blob):/.test(sent.url()) && new URL(sent.url()).origin !== origin) strange.push(sent.url());
    });
    const blocks = hostile.map(
      (text, at) => `# ${text}
flow ${quoted(text)} {
  from {
    connector = "api"
    operation = ${quoted(`GET /x${at}/${text}`)}
  }
  transform {
    field${at} = ${quoted(`'${text.replaceAll("'", '')}'`)}
  }
  to {
    connector = ${quoted(text)}
  }
}
`,
    );
    mkdirSync(join(directory, 'flows'), { recursive: true });
    writeFileSync(join(directory, 'flows/hostile.hcl'), blocks.join('\n'));
    writeFileSync(join(directory, 'flows/<img src=x onerror=alert(1)>.hcl'), '# nothing');
    await workbench.file('hostile.hcl').waitFor();
    await workbench.file('<img src=x onerror=alert(1)>.hcl').waitFor();
    const editor = await workbench.open('flows/hostile.hcl');
    await editor.expectText(`# ${hostile[0]}`);
    const problem = workbench.problems.filter({ hasText: hostile[0] }).first();
    await problem.waitFor();
    await problem.hover();
    await editor.point('transform');
    await editor.goTo(8, 10);
    await page.keyboard.press('Control+Space');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Shift+o');
    await workbench.results.first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Shift+f');
    await page.getByRole('textbox', { name: 'Search in files' }).fill('alert(1)');
    await page.getByRole('tree', { name: 'Matches' }).getByRole('treeitem').nth(3).waitFor();
    for (const name of ['Explorer', 'Run and debug', 'Requests']) {
      await page
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .first()
        .click();
      await page.getByRole('complementary', { name }).waitFor();
    }
    const planted = page.locator(
      'img[src="x"], img[src*="evil"], svg[onload], [onerror], a[href*="evil"], a[href^="javascript"]',
    );
    await expect.poll(() => planted.count(), pollOptions).toBe(0);
    expect(strange).toEqual([]);
  });
});
