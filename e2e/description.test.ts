import { expect, test } from 'vitest';
import { onServicePage } from './service-page.ts';

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

test('Swagger UI shows the description, sends a request with the key that its user writes, and asks no other server', async () => {
  await onServicePage(configuration, async ({ page, address, complaints, asked }) => {
    await page.goto(`${address}/docs`);
    await page.locator('.btn.authorize').first().click();
    await page.locator('.modal-ux input[type="text"]').fill(key);
    await page.locator('.modal-ux button[type="submit"]').click();
    await page.locator('.modal-ux .btn-done').click();
    await page.locator('.opblock-summary').first().click();
    await page.locator('.try-out__btn').click();
    await page.locator('.execute').click();
    await expect.poll(() => page.locator('.live-responses-table').innerText()).toContain('"known"');
    expect(complaints).toEqual([]);
    expect(asked()).toEqual([address]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(key);
  });
});
