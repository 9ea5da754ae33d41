import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { copyExample } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { CanvasPage } from '../pages/canvas.ts';
import { pollOptions } from '../pages/poll-options.ts';

describeInBrowser('a person who looks at aspects', () => {
  test('sees on each flow how many act on it, and at an aspect of the list the flows that it matches', async ({
    open,
  }) => {
    const { directory, remove } = copyExample('aspects');
    const { workbench, page } = await open({ directory });
    await workbench.ready();
    await workbench.open('aspects.hcl');
    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    const mark = (flow: string) => canvas.view.locator(`.flow-node[data-place$=" ${flow}"] .badge.aspects`);
    await mark('add_book').waitFor();
    expect(await mark('add_book').innerText()).toBe('4');
    expect(await mark('add_book').getAttribute('title')).toMatch(
      /^Aspects: history \(.*\), troubles \(.*\), unwanted \(.*\), calm \(/,
    );
    expect(await mark('get_book').innerText()).toBe('2');
    expect(await mark('write_history').count()).toBe(0);

    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('button', { name: /^Flows/ })
      .click();
    const list = page.getByRole('complementary', { name: 'Flows', exact: true });
    const row = list.getByRole('treeitem').filter({ has: page.getByText('aspect kept', { exact: true }) });
    await row.click();
    await expect.poll(() => canvas.view.locator('.badge.aspects.lit').count(), pollOptions).toBe(1);
    await canvas.view.locator('.flow-node[data-place$=" get_book"] .badge.aspects.lit').waitFor();
    await list
      .getByRole('treeitem')
      .filter({ has: page.getByText('aspect history', { exact: true }) })
      .click();
    await canvas.view.locator('.flow-node[data-place$=" add_book"] .badge.aspects.lit').waitFor();
    await mark('get_book').and(page.locator(':not(.lit)')).waitFor();
    remove();
  });
});

describeInBrowser('a person who takes the picture elsewhere', () => {
  test('gets it as SVG and as PNG, with the flows and their lines', async ({ journey }) => {
    const { page, workbench } = journey;
    await workbench.open('flows/create-order.hcl');
    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await canvas.openFlow('create_order');
    const saved = async (item: string) => {
      await canvas.view.getByRole('button', { name: 'Export SVG or PNG' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: item }).click();
      const file = await download;
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
    };
    const svg = await saved('Export as SVG');
    expect(svg.name).toMatch(/\.svg$/);
    const text = svg.bytes.toString();
    expect(text).toMatch(/^(<\?xml[^>]*>\s*)?<svg /);
    for (const named of ['create_order', 'list_orders', 'POST /orders', 'transform', 'total', 'db'])
      expect(text).toContain(`>${named}<`);
    const png = await saved('Export as PNG');
    expect(png.name).toMatch(/\.png$/);
    expect(png.bytes.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    const [, width, height] = /viewBox="\S+ \S+ (\S+) (\S+)"/.exec(text)!.map(Number);
    const shape = png.bytes.readUInt32BE(16) / png.bytes.readUInt32BE(20);
    expect(Math.abs(shape - width! / height!)).toBeLessThan(0.01);
  });
});
