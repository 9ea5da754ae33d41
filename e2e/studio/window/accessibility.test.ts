import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import type { Journey } from '../opened.ts';
import { rentals } from '../operations/kept-workflows.ts';
import { Debugger } from '../pages/debugger.ts';
import { views } from '../pages/views.ts';
import { themes } from '../pages/workbench.ts';

/** Serious findings as lines: where, which rule, on what. */
async function findings({ page }: Journey, view: string): Promise<string[]> {
  const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  // A page that was not looked at has no findings either.
  expect(passes.length, view).toBeGreaterThan(10);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${view}: ${id} ${target} ${failureSummary}`),
    );
}

describeInBrowser('those who see little, or nothing', () => {
  // Every view is read by a program that takes seconds for each.
  for (const theme of themes)
    test(`find every view in order in ${theme}`, { timeout: 0 }, async ({ journey }) => {
      const found: string[] = [];
      await journey.workbench.choosesTheme(theme);
      for (const { name, show, leave } of views) {
        await show(journey);
        found.push(...(await findings(journey, name)));
        await leave?.(journey);
      }
      expect([...new Set(found)]).toEqual([]);
    });

  test('find a paused thread in order', { timeout: 0 }, async ({ journey }) => {
    const { workbench, page, service } = journey;
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goBehind('    total ');
    await page.keyboard.press('F9');
    const own = new Debugger(page);
    await own.start();
    const answer = ask('POST', `${service}/orders`, { customer: 'Ada', item: 'Engine', quantity: 2, unit_price: 10 });
    await own.expectState('Paused');
    await own.variable('customer: "Ada"').nth(1).waitFor();
    const found: string[] = [];
    for (const theme of themes) {
      await workbench.choosesTheme(theme);
      found.push(...(await findings(journey, `paused, ${theme}`)));
    }
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
    expect(found).toEqual([]);
  });

  test('find runs that ended and failed in order', { timeout: 0 }, async ({ journey }) => {
    const { workbench, page, service, directory } = journey;
    const file = join(directory, 'flows/create-order.hcl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"input.quantity * input.unit_price"', '"int(input.item)"'));
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.expectText(/int\(input\.item\)/);
    const own = new Debugger(page);
    await own.start();
    await ask('GET', `${service}/orders`);
    await ask('POST', `${service}/orders`, { customer: 'Ada', item: 'Engine', quantity: 2, unit_price: 10 });
    await page.locator('.failure').waitFor();
    await page.getByRole('button', { name: 'Kinds of failures' }).click();
    const found: string[] = [];
    for (const theme of themes) {
      await workbench.choosesTheme(theme);
      for (const panel of ['Timeline', 'Runs']) {
        await workbench.panelTab(panel).click();
        found.push(...(await findings(journey, `${panel}, ${theme}`)));
      }
    }
    expect([...new Set(found)]).toEqual([]);
  });

  test('find what a service holds in order', { timeout: 0 }, async ({ open }) => {
    const { directory, remove, env } = await rentals();
    const window = await open({ directory, env });
    const { page, workbench, service } = window;
    await workbench.ready();
    await workbench.run('View: Workflows');
    await new Debugger(page).start();
    const { body } = await ask('POST', `${service}/rentals`, { van: 7, customer: 'Ada' });
    await page.getByRole('button', { name: (body as { readonly workflow_id: string }).workflow_id }).click();
    await page.getByRole('button', { name: 'Unlock changes' }).click();
    await page.getByRole('list', { name: 'Steps' }).getByText('keys_collected', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Signal', exact: false }).click();
    const found: string[] = [];
    const look = async (view: string) => {
      for (const theme of themes) {
        await workbench.choosesTheme(theme);
        found.push(...(await findings({ ...window, directory }, `${view}, ${theme}`)));
      }
    };
    await look('workflows');
    await workbench.run('View: Schedules');
    await page.getByRole('listitem', { name: 'tidy' }).getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Succeeded', { exact: true }).waitFor();
    await look('schedules');
    expect([...new Set(found)]).toEqual([]);
    remove();
  });
});
