import { rmSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { folderWith } from '../../../test/support/folder.ts';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import type { OpenedWindow } from '../opened.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { themes } from '../pages/workbench.ts';

const flow = (name: string, path: string, lines: string) => `flow "${name}" {
  from {
    connector = "api"
    operation = "GET ${path}"
  }
${lines}
}
`;
const files = {
  'service.hcl': `service {
  name       = "shop"
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  port = env("PORT")
}
connector "recent" {
  type   = "cache"
  driver = "memory"
}
`,
  'flows.hcl': [
    flow(
      'order',
      '/orders/:id',
      '  cache {\n    storage = "recent"\n    ttl     = "10m"\n    key     = "order:${input.id}"\n  }\n  response {\n    id    = "input.id"\n    lines = "[{\'sku\': \'KB-204\', \'quantity\': 2}, {\'sku\': \'MS-11\', \'quantity\': 1}]"\n    total = "42.5"\n  }',
    ),
    flow(
      'customer',
      '/customers/:id',
      '  cache {\n    storage = "recent"\n  }\n  response {\n    id = "input.id"\n  }',
    ),
    flow('broken', '/broken', '  transform {\n    a = "1 / int(input.missing)"\n  }\n  response {\n    a = "1"\n  }'),
    flow('idle', '/idle', '  response {\n    a = "1"\n  }'),
  ].join('\n'),
};

/** Serious findings of the page in the theme that it has. */
async function findings(page: Page, view: string): Promise<string[]> {
  const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(passes.length).toBeGreaterThan(10);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${view}: ${id} ${nodes.map(({ target }) => target)}`);
}

/** Every theme of a view, at the usual width and a narrow one. */
async function lookedAt({ page, workbench }: OpenedWindow, view: string): Promise<string[]> {
  const found: string[] = [];
  const folder = process.env['E2E_PICTURES'];
  for (const theme of themes) {
    await workbench.choosesTheme(theme);
    for (const width of [1440, 900]) {
      await page.setViewportSize({ width, height: 900 });
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${view}-${theme}-${width}.png` });
      found.push(...(await findings(page, `${view}, ${theme}, ${width}`)));
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  return found;
}

describeInBrowser('a person who looks into a running service', () => {
  test('sees what flows keep, unlocks it, drops one and all, and the next request is a miss', { timeout: 0 }, async ({
    open,
  }) => {
    const directory = folderWith(files);
    const window = await open({ directory });
    const { page, workbench, service } = window;
    await workbench.ready();
    await workbench.run('View: Caches');
    const view = page.getByRole('region', { name: 'Caches', exact: true });
    await view.getByText('No service attached', { exact: false }).waitFor();

    const own = new Debugger(page);
    await own.start();
    await workbench.run('View: Caches');
    await view.getByText('Nothing is kept now.', { exact: false }).waitFor();
    const get = async (path: string) => expect((await ask('GET', `${service}${path}`)).status).toBe(200);
    for (const path of ['/orders/1', '/orders/2', '/orders/1', '/orders/1', '/customers/7']) await get(path);
    const rows = view.getByRole('table', { name: 'Keys' }).getByRole('row');
    const keys = async () => (await rows.allInnerTexts()).slice(1).map((text) => text.split('\t')[0]?.trim());
    await expect.poll(keys, pollOptions).toEqual(['order:1', 'order:2']);
    await view.getByText('40 % hits').waitFor();
    await view.getByRole('button', { name: /^customer/ }).click();
    await expect.poll(keys, pollOptions).toEqual(['customer:id=7:']);
    await view.getByRole('button', { name: /^order/ }).click();
    await view.getByRole('textbox', { name: /^Filter keys/ }).fill('order:2');
    await expect.poll(keys, pollOptions).toEqual(['order:2']);
    await page.keyboard.press('Escape');
    await expect.poll(keys, pollOptions).toEqual(['order:1', 'order:2']);

    await view.getByRole('button', { name: 'order:1', exact: true }).click();
    const answer = view.getByRole('region', { name: 'Answer' });
    await answer.getByRole('treeitem', { name: /^total/ }).waitFor();
    const drop = answer.getByRole('button', { name: 'Drop', exact: true });
    const dropAll = view.getByRole('button', { name: 'Drop all' });
    expect([await drop.isDisabled(), await dropAll.isDisabled(), await drop.getAttribute('title')]).toEqual([
      true,
      true,
      'Locked: unlock changes first',
    ]);
    expect(await lookedAt(window, 'caches')).toEqual([]);
    await view.getByRole('button', { name: 'Unlock changes' }).click();
    await drop.click();
    await expect.poll(keys, pollOptions).toEqual(['order:2']);
    await get('/orders/1');
    await view.getByText('33 % hits').waitFor();
    await expect.poll(keys, pollOptions).toEqual(['order:1', 'order:2']);

    await dropAll.click();
    const question = page.getByRole('dialog').filter({ hasText: 'Drop all answers of order?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await keys()).toEqual(['order:1', 'order:2']);
    await dropAll.click();
    await question.getByRole('button', { name: 'Drop all' }).click();
    await workbench.notice('2 answers were dropped.').waitFor();
    await view.getByText('Nothing is kept now.', { exact: false }).waitFor();
    await view.getByRole('button', { name: /^customer/ }).click();
    await expect.poll(keys, pollOptions).toEqual(['customer:id=7:']);

    await view
      .getByRole('button', { name: 'order', exact: true })
      .or(view.getByTitle('Show where it is written'))
      .click();
    await workbench.tab('flows.hcl').waitFor();
    await workbench.run('View: Caches');
    await workbench.run('Run: Stop');
    await view.getByText('No service attached', { exact: false }).waitFor();
    rmSync(directory, { recursive: true });
  });

  test('sees the rates of flows move, sorts them and opens their texts', { timeout: 0 }, async ({ open }) => {
    const directory = folderWith(files);
    const window = await open({ directory });
    const { page, workbench, service } = window;
    await workbench.ready();
    const own = new Debugger(page);
    await own.start();
    await workbench.run('View: Metrics');
    const view = page.getByRole('region', { name: 'Metrics', exact: true });
    await view.getByText('No message has come since the service was started.', { exact: false }).waitFor();
    const rows = view.getByRole('table', { name: 'Flows' }).getByRole('row');
    const cells = async (name: string) =>
      (await rows.filter({ hasText: name }).locator('td').allInnerTexts()).map((text) => text.trim());
    await expect.poll(() => cells('order'), pollOptions).toEqual(['order', '0', '', '0', '\u2013', '\u2013', '0', '0']);
    let isOver = false;
    const sending = (async () => {
      for (let at = 0; !isOver; at++) {
        await ask('GET', `${service}/orders/${at}`);
        if (at % 3 === 0) await ask('GET', `${service}/broken`);
        if (at % 2 === 0) await ask('GET', `${service}/customers/${at % 5}`);
      }
    })();
    await expect
      .poll(async () => Number((await cells('order'))[1]?.replaceAll('\u2009', '')), pollOptions)
      .toBeGreaterThan(1);
    await expect
      .poll(async () => Number((await cells('broken'))[3]?.replaceAll('\u2009', '')), pollOptions)
      .toBeGreaterThan(0.5);
    await expect.poll(async () => (await cells('order'))[5], pollOptions).toMatch(/^<?\d+(\.\d)? ms$/);
    const first = async () => (await rows.nth(1).locator('td').first().innerText()).trim();
    expect(await first()).toBe('order');
    await view.getByRole('button', { name: 'Errors/s' }).click();
    await expect.poll(first, pollOptions).toBe('broken');
    await view.getByRole('button', { name: 'Flow', exact: true }).click();
    await expect.poll(first, pollOptions).toBe('broken');
    await view.getByRole('button', { name: 'Flow', exact: true }).click();
    await expect.poll(first, pollOptions).toBe('order');
    await view.getByRole('textbox', { name: /^Filter flows/ }).fill('cust');
    await expect.poll(async () => (await rows.count()) - 1, pollOptions).toBe(1);
    await page.keyboard.press('Escape');
    await workbench.run('View: Operations');
    const side = page.getByRole('complementary', { name: 'Operations' });
    await side.getByRole('button', { name: /^Metrics.*requests\/s$/ }).waitFor();
    await side.getByRole('button', { name: /^Caches.*entries$/ }).waitFor();
    expect(await lookedAt(window, 'metrics')).toEqual([]);
    isOver = true;
    await sending;
    await view.getByRole('button', { name: 'broken', exact: true }).click();
    await workbench.tab('flows.hcl').waitFor();
    rmSync(directory, { recursive: true });
  });
});
