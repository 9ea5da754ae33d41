import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { CanvasPage } from '../pages/canvas.ts';
import { pollOptions } from '../pages/poll-options.ts';

const path = 'flows/create-order.hcl';

describeInBrowser('a person who builds on the canvas', () => {
  test('adds a stage where they look, fills in its first value, and takes it back with one undo', async ({
    journey,
  }) => {
    const { workbench, page, directory } = journey;
    const before = readFileSync(join(directory, path), 'utf8');
    await workbench.open(path);
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await canvas.openFlow('create_order');
    await canvas.stage('create_order', 'validate').click();
    await workbench.run('Canvas: Properties');
    await canvas.focus();
    await page.keyboard.press('a');
    await expect
      .poll(() => workbench.results.allInnerTexts(), pollOptions)
      .toContainEqual(expect.stringMatching(/^accept/));
    await workbench.palette.fill('accept');
    await page.keyboard.press('Enter');
    await canvas.stage('create_order', 'accept').waitFor();
    const field = page.getByRole('combobox', { name: /^when/ });
    await expect.poll(() => field.evaluate((own) => own === document.activeElement), pollOptions).toBe(true);
    await field.fill("input.item != ''");
    await field.press('Enter');
    await canvas.focus();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await canvas.stage('create_order', 'accept').waitFor({ state: 'detached' });
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    expect(readFileSync(join(directory, path), 'utf8')).toBe(before);
  });

  test('adds a named stage by the plus of a line and of a lane; the text around it stays', async ({ journey }) => {
    const { workbench, page } = journey;
    const editor = await workbench.open(path);
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await canvas.openFlow('create_order');
    await canvas.card('create_order').locator('.lane.gather .lane-add').click();
    await workbench.palette.fill('step');
    await page.getByRole('option', { name: /^step/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: /^Name of the step/ }).fill('stock');
    await page.getByRole('option', { name: 'step "stock"' }).waitFor();
    await page.keyboard.press('Enter');
    await canvas.stage('create_order', 'stock').waitFor();
    await page.locator('.edge-add').first().waitFor();
    await workbench.open(path);
    await editor.expectText(
      '  validate {\n    input = "new_order"\n  }\n\n  step "stock" {\n    connector = ""\n  }\n\n  # One column',
    );
  });

  test('makes a flow from a connector by keys, with an operation that it offers, where flows are', async ({
    journey,
  }) => {
    const { workbench, page } = journey;
    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await page.locator('.connector-node').filter({ hasText: 'api' }).first().click();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Add a flow' });
    await dialog.getByLabel('Name').fill('touch_order');
    const operation = dialog.getByLabel('Operation of api');
    await operation.fill('POST /touch');
    expect(await dialog.locator('datalist').first().locator('option').count()).toBeGreaterThan(2);
    await dialog.getByLabel('Hands them to').selectOption('db');
    await dialog.getByLabel('Target at db').fill('orders');
    await dialog.getByRole('button', { name: 'Add a flow' }).click();
    await dialog.waitFor({ state: 'detached' });
    await workbench.open('flows/touch_order.hcl');
    await page.getByText('POST /touch').first().waitFor();
    await page.keyboard.press('Control+Alt+c');
    await canvas.ready();
    const api = page.locator('.connector-node.source').filter({ hasText: 'api' });
    const db = page.locator('.connector-node.target').filter({ hasText: 'db' });
    await db.hover();
    await page
      .locator('.react-flow__node[data-id="target connector db"] .react-flow__handle.source')
      .dragTo(page.locator('.react-flow__node[data-id="source connector api"] .react-flow__handle.target'));
    await workbench.notice('No flow can start at "db": a database sends nothing.').waitFor();
    await api.waitFor();
  });

  test('takes the fix of a problem at its node, and in the list', async ({ journey }) => {
    const { workbench, page } = journey;
    const editor = await workbench.open(path);
    await editor.selectLine(3);
    await page.keyboard.insertText('    connector = "appi"');
    await workbench.expectProblems('1 error');
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await page.locator('.flow-node[data-place="flow create_order"] [data-problems]').click();
    await page.getByRole('menuitem', { name: 'Change to "api"' }).click();
    await workbench.expectProblems('no problems');
  });
});
