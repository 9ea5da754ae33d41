import { rmSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderWith } from '../test/support/folder.ts';
import { type RunningService, startService } from '../test/support/service.ts';

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

let directory: string;
let service: RunningService;
let browser: Browser;

beforeAll(async () => {
  directory = folderWith({ 'service.hcl': configuration });
  service = await startService({ directory });
  browser = await chromium.connectOverCDP(process.env['TEST_BROWSER_URL'] ?? '');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('GraphiQL runs a query with the header that its user writes, and asks no other server', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const asked = new Set<string>();
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    // Before the header is written, the page may not ask for the schema.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  try {
    await page.goto(`${service.address}/playground?query=${encodeURIComponent('{ hello }')}`);
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
    expect(complaints).toEqual([]);
    expect([...asked].filter((origin) => origin !== 'null')).toEqual([service.address]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(key);
  } finally {
    await context.close();
  }
});
