import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeInBrowser, test } from './journey.ts';
import { Debugger } from './pages/debugger.ts';
import { pollOptions } from './pages/poll-options.ts';

describeInBrowser('the first run', () => {
  test('leads from a template to a paused rule and an answer', async ({ open }) => {
    const parent = mkdtempSync(join(tmpdir(), 'svc-first-'));
    const { page, workbench } = await open();
    await page.getByRole('button', { name: /^REST and SQLite/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New project from a template' });
    await dialog.getByRole('textbox').fill(join(parent, 'tasks'));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await workbench.ready();

    const editor = await workbench.open('tasks.hcl');
    // The template brings a breakpoint along; another is set by the keyboard.
    await expect.poll(() => editor.widget.locator('.breakpoint-glyph').count(), pollOptions).toBe(1);
    await editor.goBehind('    created_at ');
    await page.keyboard.press('F9');
    await workbench.expectSaid('Breakpoint set at line 14.');
    const own = new Debugger(page);
    await page.keyboard.press('F5');
    await own.expectState('Running');

    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Requests' }).click();
    await page.getByRole('complementary', { name: 'Requests' }).getByRole('button').filter({ hasText: '1-' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await own.expectAt('create_task: transform, title');
    await expect.poll(() => own.lineOf('title'), pollOptions).toBe('title "Write the first flow"');
    await own.step('F5', 'create_task: transform, created_at');
    await page.keyboard.press('F5');
    await workbench.tab('1-').click();
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('201 Created', { exact: true }).waitFor();
    await expect.poll(() => answer.getByRole('treeitem').allTextContents(), pollOptions).toEqual(['id1']);
    rmSync(parent, { recursive: true, force: true });
  });
});
