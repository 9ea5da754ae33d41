import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';

describeInBrowser('the first page of a project', () => {
  test('lists recordings and the newest runs, which open from there', async ({ journey }) => {
    const { page, workbench, service, directory } = journey;
    await workbench.run('Help: Welcome');
    const welcome = page.getByRole('document', { name: 'Welcome' });
    expect(await welcome.getByRole('region').count()).toBe(0);
    mkdirSync(join(directory, 'mocks/connectors/db'), { recursive: true });
    writeFileSync(join(directory, 'mocks/connectors/db/orders.json'), '{"data":[]}\n');
    const recordings = welcome.getByRole('region', { name: 'Recordings' });
    await recordings.getByRole('button', { name: /^db, orders/ }).waitFor();

    const own = new Debugger(page);
    await own.start();
    await ask('POST', `${service}/orders`, { customer: 'Ada', item: 'Engine', quantity: 3, unit_price: 10 });
    await ask('GET', `${service}/orders`);
    await workbench.run('Help: Welcome');
    const runs = welcome.getByRole('region', { name: 'Recent runs' });
    const created = runs.getByRole('button', { name: /create_order #/ });
    await created.waitFor();
    const folder = process.env['E2E_PICTURES'];
    for (const theme of ['dark', 'light'] as const)
      for (const width of [1440, 900]) {
        await workbench.choosesTheme(theme);
        await page.setViewportSize({ width, height: 900 });
        if (folder !== undefined) await page.screenshot({ path: `${folder}/welcome-${theme}-${width}.png` });
      }
    await page.setViewportSize({ width: 1440, height: 900 });
    await created.click();
    await own.variable('total: 30').first().waitFor();
    await recordings.getByRole('button', { name: /^db, orders/ }).click();
    await workbench.tab('orders.json').waitFor();
  });
});
