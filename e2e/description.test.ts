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
  type   = "rest"
  port   = env("PORT")
  host   = "127.0.0.1"
  errors = "problem"

  openapi {
    ui = "/docs"
  }
  auth {
    type   = "api_key"
    keys   = ["${key}"]
    public = ["/openapi.json"]
  }
}

flow "greeting" {
  from {
    connector = "api"
    operation = "GET /greeting"
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

test('Swagger UI shows the description, sends a request with the key that its user writes, and asks no other server', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const asked = new Set<string>();
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  try {
    await page.goto(`${service.address}/docs`);
    await page.locator('.btn.authorize').first().click();
    await page.locator('.modal-ux input[type="text"]').fill(key);
    await page.locator('.modal-ux button[type="submit"]').click();
    await page.locator('.modal-ux .btn-done').click();
    await page.locator('.opblock-summary').first().click();
    await page.locator('.try-out__btn').click();
    await page.locator('.execute').click();
    await expect.poll(() => page.locator('.live-responses-table').innerText()).toContain('"known"');
    expect(complaints).toEqual([]);
    expect([...asked].filter((origin) => origin !== 'null')).toEqual([service.address]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(key);
  } finally {
    await context.close();
  }
});
