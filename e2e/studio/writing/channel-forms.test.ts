import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { copyExample } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';

/** One connector of each channel and each identity provider: its block, and one field with what it says. */
const blocks: readonly (readonly [string, string, string, string])[] = [
  [
    'hook',
    'type = "slack"\nwebhook_url = "https://hooks.example/1"\nbatch {\nwindow = "10s"\n}',
    'webhook_url',
    'https://hooks.example/1',
  ],
  ['team', 'type = "slack"\ntoken = "xoxb-token"\nchannel = "#orders"', 'channel', '#orders'],
  ['community', 'type = "discord"\nwebhook_url = "https://chat.example/1"\nusername = "Shop"', 'username', 'Shop'],
  [
    'mail',
    'type = "email"\ndriver = "smtp"\nhost = "localhost"\nport = 1025\ntls = "none"\nfrom = "Shop <shop@example.org>"',
    'host',
    'localhost',
  ],
  [
    'letters',
    'type = "email"\ndriver = "sendgrid"\napi_key = "key"\nfrom = "shop@example.org"',
    'from',
    'shop@example.org',
  ],
  [
    'reports',
    'type = "email"\ndriver = "ses"\nregion = "eu-central-1"\nfrom = "shop@example.org"',
    'region',
    'eu-central-1',
  ],
  [
    'texts',
    'type = "sms"\ndriver = "twilio"\naccount_sid = "AC0"\nauth_token = "token"\nfrom = "+15005550006"',
    'from',
    '+15005550006',
  ],
  ['signals', 'type = "sms"\ndriver = "sns"\nregion = "eu-central-1"\nsender_id = "SHOP"', 'sender_id', 'SHOP'],
  [
    'phones',
    'type = "push"\ndriver = "fcm"\nservice_account_json = "./keys/firebase.json"',
    'service_account_json',
    './keys/firebase.json',
  ],
  [
    'apps',
    'type = "push"\ndriver = "apns"\nteam_id = "TEAM123456"\nkey_id = "KEY1234567"\nprivate_key = "./keys/apns.p8"\nbundle_id = "org.example.shop"',
    'bundle_id',
    'org.example.shop',
  ],
  [
    'partner',
    'type = "webhook"\nmode = "outbound"\nurl = "https://partner.example/hooks"\nsecret = "a secret"',
    'url',
    'https://partner.example/hooks',
  ],
  ['heard', 'type = "webhook"\nmode = "inbound"\npath = "/hooks"\nsecret = "a secret"', 'path', '/hooks'],
  [
    'company',
    'type = "oauth"\ndriver = "oidc"\nissuer = "https://id.example"\nclient_id = "shop"\nclient_secret = "s"\nredirect_uri = "https://shop.example/back"\nscopes = ["openid", "email"]',
    'issuer',
    'https://id.example',
  ],
  [
    'web',
    'type = "oauth"\ndriver = "google"\nclient_id = "shop"\nclient_secret = "s"\nredirect_uri = "https://shop.example/back"',
    'client_id',
    'shop',
  ],
  [
    'code',
    'type = "oauth"\ndriver = "github"\nclient_id = "shop"\nclient_secret = "s"\nredirect_uri = "https://shop.example/back"',
    'client_id',
    'shop',
  ],
  [
    'device',
    'type = "oauth"\ndriver = "apple"\nclient_id = "shop"\nteam_id = "TEAM123456"\nkey_id = "KEY1234567"\nprivate_key = "./keys/a.p8"\nredirect_uri = "https://shop.example/back"',
    'team_id',
    'TEAM123456',
  ],
  [
    'own',
    'type = "oauth"\ndriver = "custom"\nname = "own"\nauth_url = "https://id.example/a"\ntoken_url = "https://id.example/t"\nuserinfo_url = "https://id.example/u"\nclient_id = "shop"\nredirect_uri = "https://shop.example/back"',
    'token_url',
    'https://id.example/t',
  ],
];

describeInBrowser('forms of channels', () => {
  test('show what each block says, fit into their panel, and write what is changed', async ({ open }) => {
    const { directory, remove } = copyExample('alerts');
    const texts = blocks.map(([name, block]) => `connector "${name}" {\n${block}\n}\n`);
    writeFileSync(join(directory, 'channels.hcl'), texts.join(''));
    const { page, workbench } = await open({ directory });
    await workbench.ready();
    const editor = await workbench.open('channels.hcl');
    await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Split' }).click();
    const properties = page.getByRole('complementary', { name: 'Secondary side bar' });
    let line = 1;
    for (const [at, [name, , field, value]] of blocks.entries()) {
      await editor.goTo(line, 1);
      line += (texts[at] as string).split('\n').length - 1;
      await page.getByRole('application', { name: /^Canvas of/ }).focus();
      if (at === 0) await workbench.run('Canvas: Properties');
      await properties.getByText(`connector ${name}`, { exact: true }).waitFor();
      const input = properties.getByRole('textbox', { name: new RegExp(`^${field}( |$)`) });
      await expect.poll(() => input.inputValue(), pollOptions).toBe(value);
      await keep(name);
      const wide = await properties.evaluate((panel) =>
        [...panel.querySelectorAll<HTMLElement>('*:not(.code *)')]
          .filter((each) => each.getBoundingClientRect().right > panel.getBoundingClientRect().right + 1)
          .map((each) => each.outerHTML.slice(0, 200)),
      );
      expect([name, wide]).toEqual([name, []]);
    }
    const changed = properties.getByRole('textbox', { name: /^token_url( |$)/ });
    await changed.fill('https://id.example/other');
    await changed.press('Enter');
    await editor.expectText('token_url = "https://id.example/other"');
    async function keep(name: string) {
      const folder = process.env['E2E_PICTURES'];
      if (folder !== undefined) await page.screenshot({ path: join(folder, `form-${name}.png`) });
    }
    remove();
  });
});
