import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { runCommand } from '../../../test/support/service.ts';
import { ask, copyExample } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

describeInBrowser('a person who has no mouse', () => {
  test('edits, corrects, debugs, looks at the canvas and changes settings', async ({ journey }) => {
    const { workbench, page, service, directory } = journey;
    const press = (key: string) => page.keyboard.press(key);
    const editor = await workbench.open('flows/create-order.hcl');

    await editor.goTo(3, 21);
    await press('Delete');
    await workbench.expectProblems('1 error');
    await editor.goTo(1);
    await press('F8');
    await page.getByRole('contentinfo').getByText('Ln 3, Col 17', { exact: true }).waitFor();
    await press('Control+z');
    await press('Control+z');
    await workbench.expectProblems('no problems');
    await editor.goTo(11, 1);
    await press('Control+/');
    await press('Control+s');
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    expect(readFileSync(join(directory, 'flows/create-order.hcl'), 'utf8')).not.toContain('# One column');
    await press('Control+z');
    await press('Control+s');
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);

    await editor.goTo(18, 5);
    await press('F9');
    await workbench.expectSaid('Breakpoint set at line 18.');
    await press('F5');
    const trust = page.getByRole('dialog').getByRole('button', { name: /^Trust .+ and start it$/ });
    await trust.waitFor();
    await expect.poll(() => trust.evaluate((button) => button.matches(':focus')), pollOptions).toBe(true);
    await press('Enter');
    const own = new Debugger(page);
    await own.expectState('Running');
    const answer = ask('POST', `${service}/orders`, { customer: 'Ada', item: 'Engine', quantity: 2, unit_price: 10 });
    await own.expectAt('create_order: transform, total');
    await workbench.expectSaid('Paused in create_order before rule total: breakpoint.');
    await own.step('F10', 'create_order: transform, status');
    await press('F5');
    expect(await answer).toMatchObject({ status: 201, body: { id: 1 } });
    await press('Shift+F5');
    await own.expectState('Not attached');

    await press('Control+Alt+l');
    await page.getByRole('complementary', { name: 'Flows' }).waitFor();
    const focused = (what: string) => page.evaluate(`document.activeElement?.${what} ?? ''`);
    const rows = page.getByRole('complementary', { name: 'Flows' }).getByRole('treeitem');
    await rows.first().waitFor();
    await reach(
      async () => (await focused("getAttribute('role')")) === 'treeitem',
      () => press('F6'),
    );
    await press('Home');
    await expect.poll(() => focused('textContent'), pollOptions).toMatch(/^api/);
    await press('ArrowDown');
    await expect.poll(() => focused('textContent'), pollOptions).toMatch(/^change_order/);
    await press('Enter');
    await workbench.tab('change-order.hcl').waitFor();
    await press('Control+Alt+c');
    await page.getByRole('application', { name: /^Canvas of/ }).waitFor();

    await press('Control+,');
    await page.getByRole('document', { name: 'Settings' }).waitFor();
    const theme = page.getByRole('combobox', { name: 'Colour theme' });
    await reach(
      () => theme.evaluate((field) => field.matches(':focus')),
      () => press('Tab'),
    );
    await page.keyboard.type('Light');
    await workbench.expectTheme('light');
  });

  test('opens a project, stops a request in it, looks at a value and opens the canvas', { timeout: 0 }, async ({
    open,
  }) => {
    const { directory, remove } = copyExample('orders');
    expect(await runCommand(['migrate', '-c', directory])).toMatchObject({ code: 0 });
    const { page, workbench, service } = await open();
    const press = (key: string) => page.keyboard.press(key);
    await workbench.choose('File: Open Folder');
    const folder = page.getByRole('combobox', { name: 'Folder, by its whole path' });
    await expect.poll(() => folder.evaluate((field) => field.matches(':focus')), pollOptions).toBe(true);
    await page.keyboard.type(directory);
    await press('Enter');
    await workbench.ready();

    const editor = await workbench.open('flows/create-order.hcl');
    await editor.goTo(18, 5);
    await press('F9');
    await workbench.expectSaid('Breakpoint set at line 18.');
    await press('F5');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Trust .+ and start it$/ })
      .waitFor();
    await press('Enter');
    const own = new Debugger(page);
    await own.expectState('Running');

    await workbench.run('View: Requests');
    const endpoint = page.getByRole('button').filter({ hasText: 'create_order' }).filter({ hasText: 'POST' }).first();
    await endpoint.waitFor();
    await reach(
      async () => /requests/i.test(String(await focusedIn(page, "closest('aside')?.ariaLabel"))),
      () => press('F6'),
    );
    await reach(
      () => endpoint.evaluate((button) => button.matches(':focus')),
      () => press('Tab'),
    );
    await press('Enter');
    const body = page.getByRole('region', { name: 'Request', exact: true }).getByRole('textbox', { name: 'Body' });
    await body.waitFor();
    await reach(
      () => body.evaluate((field) => field.contains(document.activeElement)),
      () => press('Tab'),
    );
    await press('Control+a');
    await page.keyboard.insertText('{"customer": "Ada", "item": "Engine", "quantity": 2, "unit_price": 10}');
    await press('Control+Enter');
    await own.expectAt('create_order: transform, total');
    await workbench.expectSaid('Paused in create_order before rule total: breakpoint.');
    await own.step('F10', 'create_order: transform, status');
    await own.variable('total: 20').waitFor();

    await reach(
      async () => (await focusedIn(page, "closest('[role=tree]')?.ariaLabel")) === 'Variables',
      async () => press((await focusedIn(page, "closest('aside')?.ariaLabel")) === 'Secondary side bar' ? 'Tab' : 'F6'),
    );
    await press('Home');
    await reach(
      async () =>
        /^total:? ?20/.test(
          String(await focusedIn(page, 'innerText'))
            .replaceAll(/\s+/g, ' ')
            .trim(),
        ),
      async () => {
        await press('ArrowDown');
        expect(await focusedIn(page, 'ariaSelected')).toBe('true');
      },
    );
    await press('w');
    await page.getByRole('list', { name: 'Watched expressions' }).getByText('output.total', { exact: true }).waitFor();

    await press('F5');
    await own.expectState('Running');
    await expect.poll(() => ask('GET', `${service}/orders`), pollOptions).toMatchObject({ body: { count: 1 } });
    await press('Control+Alt+c');
    await page.getByRole('application', { name: /^Canvas of/ }).waitFor();
    remove();
  });

  test('has keys that mean one thing each', async ({ open }) => {
    const { page, workbench } = await open();
    await workbench.run('Help: Keyboard Shortcuts');
    const keys = await page.getByRole('dialog').locator('td kbd').allTextContents();
    expect(keys.length).toBeGreaterThan(30);
    expect(keys.filter((each, index) => keys.indexOf(each) !== index)).toEqual([]);
  });
});

/** What has the focus. */
function focusedIn(page: Page, what: string): Promise<unknown> {
  return page.evaluate(`document.activeElement?.${what} ?? ''`);
}

/** Presses a key until something has the focus, as often as there may be stops in the window. */
async function reach(isThere: () => Promise<boolean>, press: () => Promise<void>): Promise<void> {
  for (let stops = 0; stops < 100; stops++) {
    if (await isThere()) return;
    await press();
  }
  throw new Error('the focus does not come there');
}
