import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';

describeInBrowser('text in files', () => {
  test('is replaced where patterns say, as one step of undo', async ({ journey: { workbench, page, directory } }) => {
    const read = (path: string) => readFileSync(join(directory, path), 'utf8');
    const before = ['flows/create-order.hcl', 'flows/list-orders.hcl', 'service.hcl'].map(read);
    await page.keyboard.press('Control+Shift+f');
    await page.getByRole('textbox', { name: 'Search in files' }).fill('connector = "(db|api)"');
    await page.getByRole('button', { name: 'Regular expression' }).click();
    await page.getByRole('textbox', { name: 'Files to include' }).fill('flows/*.hcl');
    await page.getByRole('textbox', { name: 'Files to exclude' }).fill('delete-order.hcl, change-order.hcl, fetch-*');
    await page.getByText(/^\d+ matches in 2 files$/).waitFor();
    const rows = page.getByRole('tree', { name: 'Matches' }).locator('[data-file]');
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-file')))).toEqual([
      'flows/create-order.hcl',
      'flows/list-orders.hcl',
    ]);
    await page.getByRole('textbox', { name: 'Replace with' }).fill('connector = connector.$1');
    await page.getByRole('button', { name: /^Replace \d+$/ }).click();
    await workbench.expectSaid(/^Replaced \d+ matches in 2 files, not saved yet$/);
    await workbench.expectProblems('no problems');
    expect(['flows/create-order.hcl', 'flows/list-orders.hcl', 'service.hcl'].map(read)).toEqual(before);
    await page.getByRole('log', { name: 'Notices' }).getByRole('button', { name: 'Save all' }).click();
    await expect.poll(() => read('flows/list-orders.hcl'), pollOptions).toContain('connector = connector.db');
    expect(read('flows/delete-order.hcl')).not.toContain('connector.db');
    await page.getByRole('button', { name: 'Replace', exact: true }).waitFor();
  });
});
