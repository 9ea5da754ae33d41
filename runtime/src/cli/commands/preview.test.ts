import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const configuration = `connector "api" {
  type = "rest"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./orders.db"
}
connector "community" {
  type        = "discord"
  webhook_url = env("HOOK", "https://discord.example/api/webhooks/1/kept-secret-hook")
}
connector "texts" {
  type        = "sms"
  driver      = "twilio"
  account_sid = env("TWILIO_ACCOUNT", "AC0")
  auth_token  = env("TWILIO_TOKEN", "kept-secret-token")
  from        = "+15005550006"
}
flow "welcome" {
  from {
    connector = "api"
    operation = "POST /people"
  }
  step "text" {
    connector = "texts"
    operation = "send"
    params = {
      to   = "input.phone"
      body = "'Welcome, ' + input.name"
    }
  }
  transform {
    content = "'New: ' + input.name + ' ' + step.text.result.message_id"
  }
  to {
    connector = "community"
    operation = "send"
  }
  to {
    connector = "db"
    target    = "people"
  }
}
`;
const files = { 'main.hcl': configuration, 'ada.json': '{"name": "Ada ☃", "phone": "+4915112345678"}' };

function inService<T>(use: (directory: string) => Promise<T>): Promise<T> {
  return inDirectory(files, async (directory) => {
    const database = new DatabaseSync(join(directory, 'orders.db'));
    database.exec('CREATE TABLE people (content TEXT)');
    database.close();
    return use(directory);
  });
}

test('shows what each of the connectors would send, and has no effect', async () => {
  await inService(async (directory) => {
    const all = await typed(['preview', 'all', 'welcome', '--input', '@ada.json'], directory);
    expect(all).toEqual({
      status: 0,
      error: '',
      out: `Connector: texts (twilio)
Sent by: welcome: step "text"
From: +15005550006
To: +4915112345678
Request: POST https://api.twilio.com/2010-04-01/Accounts/AC0/Messages.json

Welcome, Ada ☃

────────────────────────────────────────
Connector: community (discord)
Sent by: welcome: to "community"
To: webhook
Request: POST ***?wait=true

New: Ada ☃ preview-1
`,
    });
    const database = new DatabaseSync(join(directory, 'orders.db'));
    expect(database.prepare('SELECT * FROM people').all()).toEqual([]);
    database.close();
  });
});

test('one kind alone, as JSON or as files that can be read', async () => {
  await inService(async (directory) => {
    const sms = await typed(['preview', 'sms', 'welcome', '--input', '@ada.json', '--format', 'json'], directory);
    expect(JSON.parse(sms.out)).toMatchObject([{ connector: 'texts', shown: { text: 'Welcome, Ada ☃' } }]);
    const chat = await typed(
      ['preview', 'community_chat', 'welcome', '--input', '@ada.json', '-o', 'shown'],
      directory,
    );
    const [file = ''] = readdirSync(join(directory, 'shown'));
    expect(chat).toEqual({ status: 0, out: `${join(directory, 'shown', file)}\n`, error: '' });
    const kept = JSON.parse(readFileSync(join(directory, 'shown', file), 'utf8'));
    expect(kept).toMatchObject({ connector: 'community', request: { method: 'POST' } });
    expect(JSON.stringify(kept)).not.toContain('kept-secret-hook');
    const words = ['preview', 'sms', 'welcome', '--input', '@ada.json', '-o', 'other', '--format', 'json'];
    const listed = JSON.parse((await typed(words, directory)).out);
    expect(listed).toEqual(readdirSync(join(directory, 'other')).map((name) => join(directory, 'other', name)));
  });
});

test.each([
  [['preview', 'email'], 2, /name a kind and a flow/],
  [['preview', 'email', 'welcome'], 2, /no connector of the type "email": it has discord, sms/],
  [['preview', 'sms', 'welcom'], 2, /there is no flow "welcom"; did you mean "welcome"\?/],
  [['preview', 'sms', 'welcome', '--input', '{'], 2, /input/],
  [['preview', 'sms', 'welcome'], 1, /flow "welcome" fails: [\s\S]*flow "welcome" sends nothing of this kind/],
])('%j ends with %i', async (words, status, error) => {
  await inService(async (directory) => {
    const said = await typed(words, directory);
    expect([said.status, said.error]).toEqual([status, expect.stringMatching(error)]);
  });
});
