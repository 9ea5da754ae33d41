import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { App } from '../../../runtime/src/engine/auth/factors/testing/app.ts';
import { folderWith } from '../../../test/support/folder.ts';
import { MailServer } from '../../../test/support/mail-server.ts';
import { until } from '../../../test/support/until.ts';
import { ask, copyExample } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const ana = { email: 'ana@example.test', password: 'Correct-Horse-7' };
const anyToken = /eyJ[\w-]+\.[\w-]+\.[\w-]{20,}/;

/** A script that keeps what the host sends to the page. */
const keepReceived = `
  window.receivedTexts = [];
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => window.receivedTexts.push(String(data)));
    }
  };
`;

/** Everything below a folder as one text. */
function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

async function picture(page: Page, title: string): Promise<void> {
  const folder = process.env['E2E_PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/identities-${title}.png` });
}

async function expectInOrder(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`)).toEqual([]);
}

/** Registers an account with an authenticator app, which it gives. */
async function withAuthenticatorApp(service: string): Promise<App> {
  const asUser = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch(service + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, string>> };
  };
  const { access_token: token } = (await asUser('/auth/register', ana)).body;
  const { provisioning_uri: address = '' } = (await asUser('/auth/mfa/setup', { password: ana.password }, token)).body;
  const app = new App(address, { now: () => Date.now() });
  // The code of the period before: the next one is still good then. A period may end while it is under way.
  await until(async () => (await asUser('/auth/mfa/verify', { code: app.code(-1) }, token)).status === 200);
  return app;
}

let mail: MailServer;
beforeAll(async () => {
  mail = await MailServer.start();
});
afterAll(() => mail.close());

/** The example, whose letters go to the server of the tests. */
function copyAccounts(): ReturnType<typeof copyExample> {
  const copy = copyExample('accounts');
  writeFileSync(join(copy.directory, '.env'), `SMTP_PORT=${mail.port}\n`);
  return copy;
}

describeInBrowser('a service with accounts', () => {
  test('is sent requests as a stored identity, whose token is shown decoded and leaves the host nowhere', async ({
    open,
  }) => {
    const { directory, remove } = copyAccounts();
    const listening = folderWith({ 'listen.js': keepReceived });
    const window = await open({ directory, script: join(listening, 'listen.js') });
    const { page, workbench, service, settings, context } = window;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await workbench.ready();
    await new Debugger(page).start();
    expect(await ask('POST', `${service}/auth/register`, ana)).toMatchObject({ status: 201 });

    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('button', { name: /^Requests/ })
      .click();
    const endpoints = page.getByRole('complementary', { name: 'Requests' });
    await endpoints.getByRole('button', { name: 'POST /auth/login login' }).waitFor();
    await endpoints.getByRole('button', { name: 'GET /auth/me me' }).click();
    const request = page.getByRole('region', { name: 'Request', exact: true });
    const answer = page.getByRole('region', { name: 'Answer' });
    const send = () => request.getByRole('button', { name: 'Send' }).click();
    await send();
    await answer.getByText('401 Unauthorized').waitFor();

    await request.getByRole('button', { name: 'Identities' }).click();
    const dialog = page.getByRole('dialog', { name: 'Identities' });
    await dialog.getByLabel('Address', { exact: true }).fill(ana.email);
    await dialog.getByLabel('Password', { exact: true }).fill(ana.password);
    await dialog.getByText('passwords and tokens are kept in its memory').waitFor();
    await expectInOrder(page);
    await picture(page, 'dialog');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: `Forget ${ana.email}` }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });

    await request.getByLabel('Send as').selectOption({ label: ana.email });
    await send();
    await answer.getByText('200 OK').waitFor();
    await answer.getByRole('treeitem', { name: `email: "${ana.email}"` }).waitFor();
    await request.getByText(/^token, ends in (59|60) min$/).click();
    const token = request.getByRole('tree', { name: `Token of ${ana.email}` });
    await token.getByRole('treeitem', { name: 'alg: "HS256"' }).waitFor();
    await token.getByRole('treeitem', { name: /^exp: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, in (59|60) min$/ }).waitFor();
    await request.getByText('decoded, not verified').waitFor();
    await expectInOrder(page);
    await picture(page, 'answered');
    for (const theme of ['light', 'hc-dark', 'dark'] as const) {
      await workbench.choosesTheme(theme);
      await expectInOrder(page);
      await picture(page, `answered-${theme}`);
    }

    await request.getByRole('button', { name: /^Copy as curl/ }).click();
    await workbench.expectSaid('Copied as curl, without credentials.');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl -X GET '${service.replace('127.0.0.1', 'localhost')}/auth/me' \\\n  -H "Authorization: Bearer $TOKEN"`,
    );
    const received = await page.evaluate<string>("window.receivedTexts.join('\\n')");
    expect(received).toContain(`"status":200`);
    expect(received).not.toMatch(anyToken);
    for (const folder of [join(directory, 'requests'), settings]) {
      const texts = textsBelow(folder);
      expect(texts).not.toContain(ana.password);
      expect(texts).not.toMatch(anyToken);
    }
    expect(window.log()).not.toMatch(anyToken);

    // A session that ends elsewhere is begun again, once.
    const other = (await ask('POST', `${service}/auth/login`, ana)).body as { readonly access_token: string };
    const headers = { authorization: `Bearer ${other.access_token}` };
    const { sessions } = (await (await fetch(`${service}/auth/sessions`, { headers })).json()) as {
      readonly sessions: readonly { readonly id: string; readonly current: boolean }[];
    };
    for (const { id, current } of sessions)
      if (!current) await fetch(`${service}/auth/sessions/${id}`, { method: 'DELETE', headers });
    await send();
    await expect.poll(() => answer.getByRole('button', { name: /^200 GET/ }).count(), pollOptions).toBe(2);

    await page.getByRole('button', { name: 'Identities' }).click();
    await dialog.getByRole('button', { name: `Forget ${ana.email}` }).click();
    await dialog.getByRole('list', { name: 'Kept identities' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    expect(await request.getByLabel('Send as').inputValue()).toBe('');
    await send();
    await answer.getByText('401 Unauthorized').waitFor();
    rmSync(listening, { recursive: true, force: true });
    remove();
  });

  test('asks for the code of a second factor before a request is sent, which a flow that wants a factor accepts', async ({
    open,
  }) => {
    const { directory, remove } = copyAccounts();
    const window = await open({ directory });
    const { page, workbench, service } = window;
    await workbench.ready();
    await new Debugger(page).start();
    const app = await withAuthenticatorApp(service);
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('button', { name: /^Requests/ })
      .click();
    await page.getByRole('button', { name: 'GET /export export_account' }).click();
    await page.getByRole('button', { name: 'Identities' }).click();
    const dialog = page.getByRole('dialog', { name: 'Identities' });
    await dialog.getByLabel('Address', { exact: true }).fill(ana.email);
    await dialog.getByLabel('Password', { exact: true }).fill(ana.password);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: `Forget ${ana.email}` }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Send as').selectOption({ label: ana.email });
    await page.keyboard.press('Control+Enter');
    const factor = page.getByRole('dialog', { name: `Second factor of ${ana.email}` });
    await factor.getByText('The account holds: totp, recovery_code.').waitFor();
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await factor.getByText('the second factor was refused: 401 invalid_mfa_code').waitFor();
    await expectInOrder(page);
    await picture(page, 'factor');
    const code = app.code();
    await factor.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await page.keyboard.press('Enter');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('200 OK').waitFor();
    await answer.getByRole('treeitem', { name: `email: "${ana.email}"` }).waitFor();
    // The token that was fetched is used again: no code is asked for.
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => answer.getByRole('button', { name: /^200 GET/ }).count(), pollOptions).toBe(2);
    expect(window.log()).not.toContain(code);
    remove();
  });

  test('answers a sign-in whose tokens are masked until they are asked for, and open decoded', async ({ open }) => {
    const { directory, remove } = copyAccounts();
    const { page, workbench, service } = await open({ directory });
    await workbench.ready();
    await new Debugger(page).start();
    expect(await ask('POST', `${service}/auth/register`, ana)).toMatchObject({ status: 201 });
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('button', { name: /^Requests/ })
      .click();
    await page.getByRole('button', { name: 'POST /auth/login login' }).click();
    const body = page.getByRole('textbox', { name: 'Body' });
    await expect.poll(() => body.inputValue(), pollOptions).toBe('{\n  "email": "",\n  "password": ""\n}');
    const members = page.getByRole('region', { name: 'What login reads' }).getByRole('listitem');
    expect(await members.allTextContents()).toEqual([
      'emailstringAddress of the account.',
      'passwordstringThe password.',
      'mfa_codestring, optionalA code of the authenticator app, or a recovery code.',
      'device_idstring, optionalWhat the client calls its device (device_binding).',
    ]);
    await expectInOrder(page);
    await body.fill(JSON.stringify(ana));
    await page.keyboard.press('Control+Enter');
    const answer = page.getByRole('region', { name: 'Answer' });
    const access = answer.getByRole('treeitem', { name: /^access_token: •+ token, ends in (59|60) min/ });
    await access.waitFor();
    await answer.getByRole('treeitem', { name: /^refresh_token: •+ token, ends in 7 d/ }).waitFor();
    await access.focus();
    await page.keyboard.press('Enter');
    await answer.getByRole('treeitem', { name: 'claims: {' }).getByText('not verified').waitFor();
    expect(await answer.textContent()).not.toMatch(anyToken);
    await picture(page, 'masked');
    await access.focus();
    await page.keyboard.press('r');
    await answer.getByRole('treeitem', { name: /^access_token: eyJ/ }).waitFor();
    await answer.getByRole('button', { name: 'As a tree' }).click();
    await answer.getByText('"access_token": "••••••••"').waitFor();
    expect(await answer.textContent()).not.toMatch(anyToken);
    remove();
  });

  test('shows its hooks on the canvas, and stops in a flow that one of them runs', async ({ open }) => {
    const { directory, remove } = copyAccounts();
    const { page, workbench, service } = await open({ directory });
    await workbench.ready();
    const editor = await workbench.open('flows.hcl');
    const lines = readFileSync(join(directory, 'flows.hcl'), 'utf8').split('\n');
    await editor.goTo(lines.findIndex((line) => line.includes('subject')) + 1, 5);
    await page.keyboard.press('F9');
    const own = new Debugger(page);
    await own.start();
    expect(await ask('POST', `${service}/auth/register`, ana)).toMatchObject({ status: 201 });
    expect(await ask('POST', `${service}/auth/forgot-password`, { email: ana.email })).toMatchObject({ status: 200 });
    await own.expectAt('send_reset_link: transform, subject');
    expect(await own.evaluate('auth.event')).toBe('"on_password_reset"string');
    await own.variable(/^auth/).last().click();
    await own.variable('event: "on_password_reset"').first().waitFor();
    await page.getByRole('button', { name: 'Split' }).click();
    const canvas = page.getByRole('application', { name: /^Canvas of/ });
    await canvas.locator('.connector-node').filter({ hasText: 'sign-in, standard' }).waitFor();
    await canvas.getByText('on_password_reset of auth').waitFor();
    await expect.poll(() => canvas.getByLabel('auth to flow send_reset_link').count(), pollOptions).toBe(1);
    await picture(page, 'hook');
    await page.keyboard.press('F5');
    await own.expectState('Running');
    remove();
  });
});
