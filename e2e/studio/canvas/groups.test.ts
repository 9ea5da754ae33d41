import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect } from 'vitest';
import { folderWith } from '../../../test/support/folder.ts';
import { test as base, describeInBrowser } from '../journey.ts';
import type { OpenedWindow } from '../opened.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { largeService } from './large-map.ts';

/** A window on a service of ninety flows, and the names of the groups that are drawn. */
const test = base.extend<{ map: OpenedWindow & { readonly directory: string } }>({
  map: async ({ open }, use) => {
    const directory = folderWith(largeService);
    const window = await open({ directory });
    await window.workbench.ready();
    await use({ ...window, directory });
    rmSync(directory, { recursive: true, force: true });
  },
});

async function openCanvas({ page }: OpenedWindow): Promise<void> {
  await page.keyboard.press('Control+Alt+c');
  await page.locator('.react-flow__node').first().waitFor();
}

function groupsOf({ page }: OpenedWindow) {
  return page.locator('.group-box header').evaluateAll((all) => all.map((each) => each.textContent ?? '').sort());
}

const byFolder = ['flows/billing30 flows', 'flows/shipping30 flows', 'flows/stock30 flows'];

describeInBrowser('a service of many flows', () => {
  test('is drawn as groups with their counts, then flows, then stages', async ({ map }) => {
    const { page } = map;
    await openCanvas(map);
    await expect.poll(() => groupsOf(map), pollOptions).toEqual(byFolder);
    await page.locator('.group-box.far').first().waitFor();
    await expect.poll(() => page.locator('.flow-node').count(), pollOptions).toBe(0);

    await page.locator('.canvas').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.group-box.near').first().waitFor();
    await page.locator('.flow-node').filter({ hasText: 'billing_0' }).first().waitFor();
    expect(await page.locator('.stage-strip').count()).toBe(0);
    for (let press = 0; press < 8; press++) await page.keyboard.press('+');
    await page.locator('.stage-strip').first().waitFor();
    await page.keyboard.press('0');
    await page.locator('.group-box.far').first().waitFor();
    await expect.poll(() => page.locator('.flow-node').count(), pollOptions).toBe(0);
  });

  test('is grouped as the person chooses, and keeps it', async ({ map }) => {
    const { page, workbench, settings } = map;
    await openCanvas(map);
    const choice = page.getByRole('combobox', { name: 'Group flows' });
    await choice.selectOption('By connector');
    await expect.poll(() => groupsOf(map), pollOptions).toEqual(['api60 flows', 'partners30 flows']);
    const stored = () => readFileSync(join(settings, 'svc-studio', 'settings.json'), 'utf8');
    await expect.poll(stored, pollOptions).toContain('"grouping": "connector"');
    await page.reload();
    await workbench.ready();
    await openCanvas(map);
    await expect.poll(() => groupsOf(map), pollOptions).toEqual(['api60 flows', 'partners30 flows']);
    await workbench.run('Canvas: No Groups of Flows');
    await expect.poll(() => groupsOf(map), pollOptions).toEqual([]);
    await expect.poll(() => choice.inputValue(), pollOptions).toBe('none');
  });

  test('opens at the flow of the text, and goes where the list leads', async ({ map }) => {
    const { page, workbench } = map;
    const editor = await workbench.open('flows/stock/17.hcl');
    await editor.goTo(3);
    await openCanvas(map);
    const flow = (name: string) => page.locator('.flow-node').filter({ hasText: new RegExp(`^${name}(GET|$)`) });
    await flow('stock_17').waitFor();
    await expect.poll(() => page.locator('.group-box.near').count(), pollOptions).toBeGreaterThan(0);
    await page.keyboard.press('Control+Alt+l');
    await page.getByRole('textbox', { name: 'Find in flows' }).fill('billing_3');
    await page.getByRole('treeitem', { name: /^billing_3 ?GET/ }).click();
    await flow('billing_3').waitFor();
    await page.locator('.canvas').focus();
    await page.keyboard.press('0');
    await page.locator('.group-box.far.selected').filter({ hasText: 'flows/billing' }).waitFor();
  });

  test('can be walked through without a mouse, and is spoken', async ({ map }) => {
    const { page, workbench } = map;
    await openCanvas(map);
    await page.locator('.group-box.far').first().waitFor();
    await page.locator('.canvas').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await workbench.expectSaid('group flows/shipping, 30 flows, Enter goes in');
    await page.keyboard.press('ArrowLeft');
    await workbench.expectSaid(/^connector (api|partners), rest/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await workbench.expectSaid(/^flow (billing|shipping|stock)_0, GET/);
    await page.keyboard.press('Enter');
    await page.locator('.open-flow').first().waitFor();
  });

  test('finds what is sought from afar', async ({ map }) => {
    const { page } = map;
    await openCanvas(map);
    await page.locator('.group-box.far').first().waitFor();
    await page.getByRole('textbox', { name: 'Find on canvas' }).fill('stock_1');
    await page.locator('.group-box').filter({ hasText: '11 of 30 flows' }).waitFor();
    expect(await page.locator('.group-box.dim').count()).toBe(2);
    await page.keyboard.press('Enter');
    await page.locator('.flow-node.selected').filter({ hasText: 'stock_1' }).waitFor();
  });

  test('has nothing that those who see little stumble over', { timeout: 0 }, async ({ map }) => {
    const { page, workbench } = map;
    const found: string[] = [];
    await openCanvas(map);
    await page.locator('.group-box.far').first().waitFor();
    for (const theme of ['dark', 'light', 'hc-dark'] as const) {
      await workbench.choosesTheme(theme);
      const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(passes.length).toBeGreaterThan(10);
      found.push(
        ...violations.map(({ id, nodes }) => `${theme}: ${id} ${nodes.map(({ target }) => target).join(' ')}`),
      );
    }
    expect(found).toEqual([]);
  });
});
