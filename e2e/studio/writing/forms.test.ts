import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';

const path = 'flows/create-order.hcl';

describeInBrowser('a person who edits on the canvas', () => {
  test('changes an attribute in a form; the text keeps everything else, and undo brings it back', async ({
    journey,
  }) => {
    const { workbench, page, directory } = journey;
    const before = readFileSync(join(directory, path), 'utf8');
    const editor = await workbench.open(path);
    await editor.goTo(25, 18);
    await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Split' }).click();
    await page.getByRole('application', { name: /^Canvas of/ }).focus();
    await workbench.run('Canvas: Properties');
    const field = page.getByRole('combobox', { name: 'target', exact: true });
    await expect.poll(() => field.inputValue(), pollOptions).toBe('orders');
    await field.fill('archive');
    await field.press('Enter');
    await editor.expectText('target    = "archive"');
    await workbench.unsaved('create-order.hcl').waitFor();
    await editor.input.focus();
    await page.keyboard.press('Control+s');
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    expect(readFileSync(join(directory, path), 'utf8')).toBe(before.replace('"orders"', '"archive"'));
    await page.keyboard.press('Control+z');
    await editor.expectText('target    = "orders"');
    await page.getByRole('application', { name: /^Canvas of/ }).focus();
    await expect.poll(() => field.inputValue(), pollOptions).toBe('orders');
  });

  test('is offered what an expression may say, and first what is likely', async ({ journey: { workbench, page } }) => {
    const editor = await workbench.open(path);
    await editor.goTo(18, 5);
    await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Split' }).click();
    await page.getByRole('application', { name: /^Canvas of/ }).focus();
    await workbench.run('Canvas: Properties');
    const total = page.getByRole('combobox', { name: 'total', exact: true });
    await expect.poll(() => total.inputValue(), pollOptions).toBe('input.quantity * input.unit_price');
    await total.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' + input.quan');
    await page
      .getByRole('listbox', { name: 'Suggestions' })
      .getByRole('option', { name: /^quantity/ })
      .waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await editor.expectText('total      = "input.quantity * input.unit_price + input.quantity"');
    await page.locator('.snippet .cur').waitFor();

    await editor.goTo(25, 18);
    await page.getByRole('application', { name: /^Canvas of/ }).focus();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'target', exact: true }).inputValue(), pollOptions)
      .toBe('orders');
    const also = page.getByRole('region', { name: 'Also available' });
    const chips = also.locator('.chips button');
    expect(await chips.count()).toBe(6);
    await also.getByRole('button', { name: /^More \(\d+\)$/ }).click();
    await expect.poll(() => chips.count(), pollOptions).toBeGreaterThan(6);
  });

  test('selects on the canvas and finds it in the text, and the other way', async ({
    journey: { workbench, page },
  }) => {
    const editor = await workbench.open(path);
    await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Split' }).click();
    await editor.goTo(25, 18);
    const properties = page.getByRole('region', { name: 'Properties' });
    const canvas = page.getByRole('application', { name: /^Canvas of/ });
    await canvas.focus();
    await workbench.run('Canvas: Properties');
    await properties.getByText('create_order, flows/create-order.hcl').waitFor();

    // At the zoom of work, the stage at the cursor is in sight, and not all of its flow.
    await page.getByRole('button', { name: /^Fit/ }).click();
    await canvas.locator('.connector-node').filter({ hasText: 'api' }).click();
    await workbench.tab('connectors.hcl').waitFor();
    await page.getByText(/^Ln 2, Col \d+$/).waitFor();
    // Beside its text a flow is alone; the map of all flows has the whole room.
    await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Canvas' }).click();
    await canvas.locator('.flow-node').filter({ hasText: 'list_orders' }).click();
    await properties.getByText('list_orders').first().waitFor();
    await page.keyboard.press('Escape');
    await workbench.tab('list-orders.hcl').waitFor();
    await page.getByText(/^Ln 1, Col \d+$/).waitFor();
  });
});
