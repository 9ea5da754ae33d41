import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

/** A folder of a person who has nothing yet. */
function home(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-first-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Each template by its title, and where the breakpoint that it brings along stops its first request. */
const templates = [
  ['REST and SQLite', 'rest-sqlite', 'create_task: transform, title'],
  ['HTTP gateway', 'http-gateway', 'product: transform, name'],
  ['Queue worker', 'queue-worker', 'keep_order: transform, customer'],
  ['GraphQL', 'graphql', 'create_product: transform, name'],
  ['Sign-in', 'sign-in', 'welcome: transform, name'],
  ['File watcher', 'file-watcher', 'put_file: transform, fahrenheit'],
  ['Alerts', 'alerts', 'take_reading: transform, text'],
] as const;

describeInBrowser('the first run', () => {
  test.for(templates)('of %s is three clicks and no typing to a paused rule', async ([title, id, place], { open }) => {
    const HOME = home();
    const { page, workbench } = await open({ env: { HOME } });
    // What a person does, counted by the page itself.
    await page.evaluate(`
      window.done = { clicks: 0, keys: 0 };
      addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) done.clicks += 1; }, true);
      addEventListener('keydown', ({ isTrusted }) => { if (isTrusted) done.keys += 1; }, true);
    `);
    await page.getByRole('button', { name: new RegExp(`^${title}`) }).click();
    const dialog = page.getByRole('dialog', { name: 'New project from a template' });
    await expect.poll(() => dialog.getByRole('combobox').inputValue(), pollOptions).toBe(join(HOME, id));
    await dialog.getByRole('button', { name: 'Create project' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start and send', exact: true }).click();
    const own = new Debugger(page);
    await own.expectAt(place);
    expect(await page.evaluate('window.done')).toEqual({ clicks: 3, keys: 0 });

    // Text and request are still beside each other, and the steps say what is left.
    expect(await page.getByRole('region', { name: /^(Second editor|Editor)$/ }).count()).toBe(2);
    const steps = page.getByRole('region', { name: 'First steps' });
    await expect.poll(() => steps.getByRole('img', { name: 'Done' }).count(), pollOptions).toBe(3);
    await page.keyboard.press('F10');
    await steps.getByText('That was all.').waitFor();
    await steps.getByRole('button', { name: 'Put the first steps away' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.keyboard.press('F5');
    await workbench.expectProblems('no problems');
  });

  test('leads from a template to an answer, by keys', async ({ open }) => {
    const HOME = home();
    const { page, workbench } = await open({ env: { HOME } });
    await page.getByRole('button', { name: /^REST and SQLite/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New project from a template' });
    await dialog.getByRole('combobox').fill(join(HOME, 'tasks'));
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
  });

  test('completes the folder as it is typed, and takes a name that is free', async ({ open }) => {
    const HOME = home();
    for (const name of ['code/orders', 'code/other', '.hidden', 'rest-sqlite'])
      mkdirSync(join(HOME, name), { recursive: true });
    const { page } = await open({ env: { HOME } });
    await page.getByRole('button', { name: /^REST and SQLite/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New project from a template' });
    const field = dialog.getByRole('combobox');
    await expect.poll(() => field.inputValue(), pollOptions).toBe(join(HOME, 'rest-sqlite-2'));
    // Another template has another folder, as long as none was typed.
    await dialog.getByRole('button', { name: /^Alerts/ }).click();
    await expect.poll(() => field.inputValue(), pollOptions).toBe(join(HOME, 'alerts'));
    const offered = () =>
      dialog.locator('datalist option').evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value));
    await field.fill(`${HOME}/code/o`);
    await expect.poll(offered, pollOptions).toEqual([join(HOME, 'code/orders'), join(HOME, 'code/other')]);
    await dialog.getByRole('button', { name: /^GraphQL/ }).click();
    expect(await field.inputValue()).toBe(`${HOME}/code/o`);
    await field.fill(`${HOME}/`);
    await expect.poll(offered, pollOptions).toEqual([join(HOME, 'code'), join(HOME, 'rest-sqlite')]);
  });
});
