import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect } from 'vitest';
import { ask, copyExample } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { CanvasPage } from '../pages/canvas.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { themes } from '../pages/workbench.ts';

describeInBrowser('a person who uses a plugin', () => {
  test('sees what it provides and what its modules do, and finds where it is declared', { timeout: 0 }, async ({
    open,
  }) => {
    const { directory, remove } = copyExample('plugin');
    const { page, workbench, service } = await open({ directory });
    await workbench.ready();
    // Its manifest is known from the beginning.
    await page.getByText('No problems', { exact: false }).first().waitFor();
    await workbench.run('View: Plugins');
    const side = page.getByRole('complementary', { name: 'Plugins' });
    await side.getByText('No service attached', { exact: false }).waitFor();
    const row = side.getByRole('article', { name: 'Plugin postcodes' });
    await row.getByText('Declared', { exact: true }).waitFor();

    const own = new Debugger(page);
    await own.start();
    await workbench.run('View: Plugins');
    await row.getByText('connector type gazetteer, function postcode_area, validator postcode').waitFor();
    const module = (name: string) => row.getByRole('listitem', { name });
    const calls = async (name: string) => (await module(name).locator('dl').innerText()).replaceAll(/\s+/g, ' ');
    await expect.poll(() => calls('connector places'), pollOptions).toBe('Calls 0 Instances 1 of 1');
    for (let at = 0; at < 3; at++) expect((await ask('GET', `${service}/places`)).status).toBe(200);
    expect(await ask('POST', `${service}/addresses`, { street: 'a', postcode: '2009' })).toMatchObject({ status: 400 });
    await expect.poll(() => calls('connector places'), pollOptions).toBe('Calls 3 Instances 1 of 1');
    await expect.poll(() => calls('validator postcode'), pollOptions).toBe('Calls 1 Instances 1 of 1');

    await row.getByRole('button', { name: /^postcodes 1\.0\.0/ }).click();
    await workbench.tab('service.hcl').waitFor();
    await page.getByText('Ln 12, Col 8', { exact: false }).waitFor();
    await row.getByRole('button', { name: 'Open the manifest of postcodes' }).click();
    await workbench.tab('plugin.hcl').waitFor();
    const found: string[] = [];
    for (const theme of themes) {
      await workbench.choosesTheme(theme);
      const folder = process.env['E2E_PICTURES'];
      if (folder !== undefined) await page.screenshot({ path: `${folder}/plugins-${theme.replaceAll(' ', '-')}.png` });
      const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(passes.length).toBeGreaterThan(10);
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      found.push(...serious.map(({ id, nodes }) => `${theme}: ${id} ${nodes.map(({ target }) => target)}`));
    }
    expect(found).toEqual([]);
    remove();
  });

  test('has its connector as a form with an icon of its own, and stops where its functions are called', async ({
    open,
  }) => {
    const { directory, remove } = copyExample('plugin');
    const file = join(directory, 'service.hcl');
    const text = readFileSync(file, 'utf8').replace('country = "de"', 'country = "de"\n  api_key = "typed-in"');
    writeFileSync(file, text);
    const { page, workbench, service } = await open({ directory });
    await workbench.ready();
    await workbench.open('service.hcl');
    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    const node = canvas.view.locator('.connector-node').filter({ hasText: 'places' });
    const icon = node.locator('img.plugin-icon');
    await icon.waitFor();
    expect(await icon.getAttribute('src')).toMatch(/^data:image\/svg\+xml/);
    await node.click();
    await workbench.run('Canvas: Properties');
    const properties = page.getByRole('region', { name: 'Properties' });
    await properties.locator('img.plugin-icon').waitFor();
    const country = page.getByRole('textbox', { name: /^country/ });
    await expect.poll(() => country.inputValue(), pollOptions).toBe('de');
    const key = page.locator('.property').filter({ hasText: 'api_key' }).locator('input');
    expect(await key.getAttribute('type')).toBe('password');
    await country.fill('at');
    await country.press('Enter');
    await workbench.run('File: Save All');
    await expect.poll(() => readFileSync(file, 'utf8'), pollOptions).toContain('country = "at"');

    const own = new Debugger(page);
    const editor = await workbench.open('flows.hcl');
    await editor.goTo(30, 5);
    await page.keyboard.press('F9');
    await workbench.expectSaid('Breakpoint set at line 30.');
    await own.start();
    const answer = ask('POST', `${service}/addresses`, { street: 'Am Markt 1', postcode: '20095' });
    await own.expectAt('add_address: transform, area');
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 200, body: { area: 'area 20' } });
    remove();
  });
});

describeInBrowser('a person without a plugin', () => {
  test('reads what one is and how it is declared', async ({ journey: { page, workbench } }) => {
    await workbench.run('View: Plugins');
    const side = page.getByRole('complementary', { name: 'Plugins' });
    await side.getByText('A plugin is a folder with modules of WebAssembly', { exact: false }).waitFor();
    await side.getByText('plugin "geo"', { exact: false }).waitFor();
    await side.getByText('svc docs plugin', { exact: true }).waitFor();
  });
});
