import { expect, test } from 'vitest';
import { onServicePage } from './service-page.ts';

const key = 'a-key-of-32-characters-or-longer';
const configuration = `service {
  admin_port = env("ADMIN_PORT")
}

connector "api" {
  type = "graphql"
  port = env("PORT")
  host = "127.0.0.1"

  auth {
    type = "api_key"
    keys = ["${key}"]
  }
}

type "greeting" {
  text = string
}

flow "hello" {
  returns = "String"

  from {
    connector = "api"
    operation = "Query.hello"
  }

  response {
    text = "auth.authenticated ? 'known' : 'unknown'"
  }
}
`;

test('GraphiQL runs a query with the header that its user writes, and asks no other server', async () => {
  await onServicePage(configuration, async ({ page, address, complaints, asked }) => {
    await page.goto(`${address}/playground?query=${encodeURIComponent('{ hello }')}`);
    const headers = page.locator('[aria-label="Headers"] .graphiql-editor:not(.hidden) .view-lines');
    // The page takes clicks when it has read its editor.
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Headers', exact: true }).click();
        return headers.count();
      })
      .toBe(1);
    await headers.click();
    await page.keyboard.insertText(JSON.stringify({ 'x-api-key': key }));
    await page.getByRole('button', { name: /execute query/i }).click();
    const answer = page.locator('.result-window');
    await expect.poll(() => answer.innerText()).toContain('"known"');
    await expect.poll(() => page.workers().length).toBeGreaterThan(0);
    // Before the header is written, the page may not ask for the schema.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
    expect(asked()).toEqual([address]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(key);
  });
});
