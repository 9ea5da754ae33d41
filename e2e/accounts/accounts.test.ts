import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../test/support/free-port.ts';
import { headersIn, MailServer, textIn } from '../../test/support/mail-server.ts';
import { OpenIdProvider } from '../../test/support/servers/openid/provider.ts';
import { type RunningService, startService } from '../../test/support/service.ts';
import { browserAddress } from '../../test/support/studio-window.ts';
import { until } from '../../test/support/until.ts';
import { ask, copyExample } from '../example.ts';
import { describeInBrowser } from '../studio/journey.ts';
import { pollOptions } from '../studio/pages/poll-options.ts';
import { AccountPage } from './account-page.ts';
import { Authenticator } from './authenticator.ts';
import { otherOrigin } from './other-origin.ts';

const password = 'Correct-Horse-7';

/** On the pages of the provider: who it is, and that the service may know it. */
async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

describeInBrowser('the accounts of the example', () => {
  const { directory, remove } = copyExample('accounts');
  let service: RunningService;
  let address: string;
  let provider: OpenIdProvider;
  let browser: Browser;
  let mail: MailServer;

  beforeAll(async () => {
    // What is refused here is refused in a tenth of a second, not in one.
    const auth = join(directory, 'auth.hcl');
    const security = 'security {\n brute_force {\n fail_delay = "100ms"\n }\n }\n';
    writeFileSync(auth, readFileSync(auth, 'utf8').replace('  mfa {', `${security}  mfa {`));
    const port = await freePort();
    address = `http://localhost:${port}`;
    provider = await OpenIdProvider.start({
      clients: [
        {
          client_id: 'accounts',
          client_secret: 'only-for-this-machine',
          redirect_uris: [`${address}/auth/sso/callback`],
          grant_types: ['authorization_code'],
        },
      ],
    });
    mail = await MailServer.start();
    const env = { PORT: String(port), PUBLIC_URL: address, ISSUER: provider.issuer, SMTP_PORT: String(mail.port) };
    [service, browser] = await Promise.all([startService({ directory, env }), chromium.connectOverCDP(browserAddress)]);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await provider?.stop();
    await mail?.close();
    remove();
  });

  /** The page in a browser of its own, and the authenticator of that. */
  async function open() {
    const context = await browser.newContext({ viewport: { width: 900, height: 900 } });
    onTestFinished(() => context.close());
    // Pages of the provider have a font of another place.
    await context.route(/^https:/, (route) => route.abort());
    const page = await context.newPage();
    page.setDefaultTimeout(pollOptions.timeout);
    const session = await context.newCDPSession(page);
    const authenticator = await Authenticator.ofDevice(session);
    await page.goto(address);
    return { accounts: new AccountPage(page), authenticator, session };
  }

  test('S-29: a passkey signs in alone, with and without an address, completes a password, and proves itself again', async () => {
    const { accounts, authenticator, session } = await open();
    const { page } = accounts;
    const ana = 'ana@example.test';
    await accounts.enter(ana, password, 'Register');
    await accounts.expectSignedIn(ana);
    const exporting = () => accounts.answerOf('/export', () => accounts.button('Export').click());
    const owed = [403, { error: 'a second factor must be proved again', code: 'mfa_step_up_required' }];
    expect(await exporting()).toEqual(owed);
    await accounts.expectSaid('Add a passkey or an authenticator app first.');

    await accounts.addPasskey('laptop', password);
    await accounts.items('passkeys').getByText('laptop').waitFor();
    const codes = await accounts.items('codes').allTextContents();
    expect(codes).toHaveLength(10);
    await accounts.picture('enrolled');
    await accounts.expectInOrder();
    expect(await authenticator.credentials()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);

    // Neither address nor password. Its user was verified, which is a second factor.
    await accounts.signOut();
    await accounts.button('Sign in with a passkey').click();
    await accounts.expectSignedIn(ana);
    await accounts.button('Export').click();
    await accounts.expectExported({ email: ana, roles: [] });

    // A key knows no user: a sign-in with it alone has one factor, which is not enough for the export.
    const key = await Authenticator.key(session);
    await authenticator.isTouched(false);
    await accounts.addPasskey('key', '');
    await accounts.items('passkeys').getByText('key', { exact: true }).waitFor();
    await accounts.signOut();
    await page.locator('#enter [name=email]').fill(ana);
    await accounts.button('Sign in with a passkey').click();
    await accounts.expectSignedIn(ana);
    expect(await exporting()).toEqual(owed);
    await accounts.button('Use a passkey').waitFor();
    await accounts.picture('step-up');
    await accounts.expectInOrder();
    await key.isTouched(false);
    await authenticator.isTouched(true);
    await accounts.button('Use a passkey').click();
    await accounts.expectExported({ email: ana, roles: [] });

    await accounts.signOut();
    const entering = () => accounts.enter(ana, password, 'Sign in');
    expect(await accounts.answerOf('/auth/login', entering)).toMatchObject([
      428,
      { error: { code: 'mfa_required' }, mfa_methods: ['webauthn', 'recovery_code'] },
    ]);
    await accounts.button('Use a passkey').click();
    await accounts.expectSignedIn(ana);

    // Another session, by a recovery code, is ended from here.
    const other = await ask('POST', `${address}/auth/mfa/recovery`, { email: ana, password, code: codes[0] });
    const { access_token: token } = other.body as { access_token: string };
    const me = () => fetch(`${address}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    expect((await me()).status).toBe(200);
    await page.reload();
    await accounts.items('sessions').getByText('this one').waitFor();
    expect(await accounts.items('sessions').count()).toBe(2);
    await accounts.items('sessions').filter({ hasNotText: 'this one' }).getByRole('button', { name: 'End' }).click();
    await accounts.expectSaid('The session has ended.');
    expect([await accounts.items('sessions').count(), (await me()).status]).toEqual([1, 401]);
    await accounts.expectSignedIn(ana);
  });

  test('S-29: a copy of a passkey is refused, and so is a page of another origin', async () => {
    const { accounts, authenticator } = await open();
    const { page } = accounts;
    const ben = 'ben@example.test';
    const refused = [
      401,
      { error: { code: 'invalid_passkey', message: 'This passkey does not open an account here.' } },
    ];
    const signingIn = () =>
      accounts.answerOf('/auth/webauthn/login/finish', () => accounts.button('Sign in with a passkey').click());
    await accounts.enter(ben, password, 'Register');
    await accounts.expectSignedIn(ben);
    await accounts.addPasskey('laptop', password);
    await accounts.items('passkeys').getByText('laptop').waitFor();
    await accounts.signOut();
    expect(await signingIn()).toMatchObject([200, { user: { email: ben } }]);
    await accounts.expectSignedIn(ben);
    await accounts.signOut();

    const [{ signCount } = { signCount: 0 }] = await authenticator.credentials();
    expect(signCount).toBeGreaterThan(1);
    await authenticator.setCounter(signCount - 2);
    expect(await signingIn()).toEqual(refused);
    await accounts.expectSaid('This passkey does not open an account here.');
    expect(service.log).toContain('the counter of a passkey went back: there is a copy of it, which is refused');
    // The owner has the later counter.
    await authenticator.setCounter(signCount);

    const phishing = await otherOrigin(address);
    onTestFinished(() => phishing.close());
    await page.goto(phishing.address);
    expect(await signingIn()).toEqual(refused);
    expect(service.log).toContain(`Unexpected authentication response origin \\"${phishing.address}\\"`);
    await accounts.enter(ben, password, 'Sign in');
    await accounts.button('Use a passkey').click();
    await accounts.expectSaid('The code is wrong, or was used before.');

    await page.goto(address);
    expect(await signingIn()).toMatchObject([200, { user: { email: ben } }]);
    await accounts.expectSignedIn(ben);
  });

  test('S-42: an identity of a provider makes an account, and opens another one only after it was linked', async () => {
    const { accounts } = await open();
    const { page } = accounts;
    const eva = 'eva@example.test';
    const byProvider = () => accounts.button('Sign in with the provider').click();
    await accounts.enter(eva, password, 'Register');
    await accounts.expectSignedIn(eva);
    await accounts.signOut();
    await byProvider();
    await signInAtProvider(page, 'eva');
    await accounts.expectSaid(
      'There is an account with this address: sign in to it as usual, and link the identity there.',
    );
    expect(page.url()).toBe(`${address}/`);

    await accounts.enter(eva, password, 'Sign in');
    await accounts.expectSignedIn(eva);
    await accounts.button('Link an identity').click();
    await accounts.expectSaid('The identity is linked.');
    await accounts.items('identities').getByText('local, linked').waitFor();
    await accounts.picture('linked');
    await accounts.signOut();
    await byProvider();
    await accounts.expectSaid('Signed in by local.');
    await accounts.expectSignedIn(eva);
    expect(page.url()).toBe(`${address}/`);

    // A factor of the account is asked for after the provider too.
    await accounts.addPasskey('laptop', password);
    await accounts.items('passkeys').getByText('laptop').waitFor();
    await accounts.signOut();
    await byProvider();
    await accounts.button('Use a passkey').click();
    await accounts.expectSignedIn(eva);

    await accounts.button('End the link').click();
    await accounts.expectSaid('The link has ended.');
    await accounts.items('identities').first().waitFor({ state: 'detached' });

    const other = await open();
    await other.accounts.button('Sign in with the provider').click();
    await signInAtProvider(other.accounts.page, 'zoe');
    await other.accounts.expectSignedIn('zoe@example.test');
    await other.accounts.button('End the link').click();
    await other.accounts.expectSaid('This is the only way to sign in; set a password or link another one first.');
  });

  test('who forgot the password gets a letter with a link that sets another one', async () => {
    const cleo = 'cleo@example.test';
    expect(await ask('POST', `${address}/auth/register`, { email: cleo, password })).toMatchObject({ status: 201 });
    expect(await ask('POST', `${address}/auth/forgot-password`, { email: cleo })).toMatchObject({ status: 200 });
    const letter = await until(() => mail.letters.find(({ to }) => to.includes(cleo)));
    expect(headersIn(letter.raw)).toMatchObject({
      from: 'Accounts <accounts@example.test>',
      to: cleo,
      subject: 'Set a new password',
    });
    const token = /reset-password#token=([\w.~-]+)/.exec(textIn(letter.raw))?.[1];
    const changed = 'Another-Horse-8';
    expect(await ask('POST', `${address}/auth/reset-password`, { token, new_password: changed })).toMatchObject({
      status: 200,
    });
    expect(await ask('POST', `${address}/auth/login`, { email: cleo, password: changed })).toMatchObject({
      status: 200,
    });
  });
});
