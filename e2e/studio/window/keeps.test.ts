import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { folderWith } from '../../../test/support/folder.ts';
import { ask } from '../../example.ts';
import { servicePid } from '../debugging/service-process.ts';
import { describeInBrowser, test } from '../journey.ts';
import type { Journey } from '../opened.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const order = { customer: ' Ada ', item: 'Engine', quantity: 2, unit_price: 10 };

/** Starts the service with a breakpoint before the rule `total`, and has a request stop there. */
async function stopAtTotal(journey: Journey) {
  const { workbench, page, service } = journey;
  const editor = await workbench.open('flows/create-order.hcl');
  await editor.goBehind('    total ');
  await page.keyboard.press('F9');
  const own = new Debugger(page);
  await own.start();
  const answer = ask('POST', `${service}/orders`, order).catch((error: Error) => error);
  await own.expectAt('create_order: transform, total');
  await own.variable('customer: "Ada"').waitFor();
  return { editor, own, answer };
}

describeInBrowser('what the studio keeps', () => {
  test('a rename across files is undone as one step, from its notice and from the text', async ({ journey }) => {
    const { workbench, page, directory } = journey;
    const before = readFileSync(join(directory, 'connectors.hcl'), 'utf8');
    const rename = async (from: string, to: string) => {
      const editor = await workbench.open('flows/create-order.hcl');
      await editor.goBehind(`connector = "${from.slice(0, 1)}`);
      await page.keyboard.press('F2');
      const field = page.locator('.rename-box input');
      await expect.poll(() => field.inputValue(), pollOptions).toBe(from);
      await field.fill(to);
      await page.keyboard.press('Enter');
      await workbench.expectSaid(`Renamed to ${to} in 8 files, not saved yet`);
      return editor;
    };
    const notices = page.getByRole('log', { name: 'Notices' });
    await rename('db', 'store');
    await workbench.notice('Renamed to store in 8 files').waitFor();
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(8);
    expect(await page.locator('.monaco-aria-container').allTextContents()).not.toContain('0 edits');
    await notices.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    await workbench.expectProblems('no problems');
    await expect.poll(() => workbench.notice(/^Renamed/).count(), pollOptions).toBe(0);

    const editor = await rename('db', 'shop');
    await editor.input.focus();
    await page.keyboard.press('Control+z');
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    await workbench.expectProblems('no problems');
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(8);
    await page.keyboard.press('Control+z');
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);

    await rename('db', 'store');
    await notices.getByRole('button', { name: 'Save all' }).click();
    await expect.poll(() => workbench.unsaved().count(), pollOptions).toBe(0);
    await expect.poll(() => workbench.notice(/^Renamed/).count(), pollOptions).toBe(0);
    expect(readFileSync(join(directory, 'connectors.hcl'), 'utf8')).toBe(
      before.replace('connector "db"', 'connector "store"'),
    );
  });

  test('a crash leaves threads, values and timeline, and offers to start again', async ({ journey }) => {
    const { page, workbench } = journey;
    const { own, answer } = await stopAtTotal(journey);
    process.kill(servicePid(journey.pid), 'SIGKILL');
    await workbench.notice('The service ended: the service was ended by SIGKILL.').waitFor();
    await own.expectState('Not attached');
    expect(await answer).toBeInstanceOf(Error);
    await expect
      .poll(() => own.threads.allTextContents(), pollOptions)
      .toEqual([expect.stringMatching(/^create_order#1ended with the servicetransform.*total$/)]);
    await own.variable('customer: "Ada"').waitFor();
    await page.getByText('create_order #1, when the service ended', { exact: true }).waitFor();
    await page.getByRole('list', { name: 'Stages of create_order #1' }).getByText('not ended').waitFor();
    await own.variable('customer: "Ada"').dblclick();
    expect(await page.getByRole('textbox', { name: /^New value/ }).count()).toBe(0);
    await page.getByRole('complementary', { name: 'Run and debug' }).getByRole('button', { name: 'Restart' }).click();
    await own.expectState('Running');
    await expect.poll(() => workbench.notice(/^The service ended/).count(), pollOptions).toBe(0);
    await expect.poll(() => own.threads.count(), pollOptions).toBe(0);
  });

  test('a value keeps the focus when it is changed, and what was typed when it is wrong', async ({ journey }) => {
    const { page } = journey;
    const { own, answer } = await stopAtTotal(journey);
    await own.variable('customer: "Ada"').click();
    await page.keyboard.press('F2');
    const field = page.getByRole('textbox', { name: /^New value/ });
    await field.fill('Grace');
    await field.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/^Grace is not a value: write JSON/)
      .waitFor();
    expect(await field.inputValue()).toBe('Grace');
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await field.fill("'Grace'");
    await field.press('Enter');
    await own.variable('customer: "Grace"').waitFor();
    const focused = () => page.evaluate(`document.activeElement?.textContent ?? ''`);
    await expect.poll(focused, pollOptions).toMatch(/^customer"Grace"/);
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
  });

  test('steps stay on the canvas, where the stage is shown', async ({ journey }) => {
    const { page, workbench } = journey;
    const { own, answer } = await stopAtTotal(journey);
    await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Canvas' }).click();
    const canvas = page.getByRole('application', { name: /^Canvas of/ });
    await canvas.waitFor();
    await own.step('F10', 'create_order: transform, status');
    await own.step('F10', 'create_order: transform, created_at');
    await own.variable('status: "open"').waitFor();
    expect(await canvas.isVisible()).toBe(true);
    expect(await workbench.tabs()).toEqual(['create-order.hcl', expect.stringMatching(/^orders|^svc/)]);
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
    expect(await canvas.isVisible()).toBe(true);
  });

  test('while the service runs the button is Pause, and pauses what comes next', async ({ journey }) => {
    const { page, service } = journey;
    const own = new Debugger(page);
    await own.start();
    const pause = own.toolbar.getByRole('button', { name: 'Pause' });
    await pause.click();
    await own.toolbar.getByText('Pausing', { exact: true }).waitFor();
    const answer = ask('GET', `${service}/orders`);
    await own.expectState('Paused');
    await page.getByRole('region', { name: 'Threads' }).getByText('pause', { exact: true }).waitFor();
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 200 });
    await own.expectState('Running');
    expect(await ask('GET', `${service}/orders`)).toMatchObject({ status: 200 });
  });

  test('a page that is loaded again finds its paused thread, and says so', async ({ journey }) => {
    const { page, workbench, service } = journey;
    const { own, answer } = await stopAtTotal(journey);
    await page.reload();
    await workbench.notice('create_order: transform, total is still paused: the page was loaded again.').waitFor();
    await own.expectState('Paused');
    await own.expectAt('create_order: transform, total');
    await own.variable('customer: "Ada"').waitFor();
    await own.step('F10', 'create_order: transform, status');
    await page.keyboard.press('F5');
    expect(await answer).toMatchObject({ status: 201 });
    await expect.poll(() => workbench.notice(/is still paused/).count(), pollOptions).toBe(0);
    expect(await ask('GET', `${service}/orders`)).toMatchObject({ body: { count: 1 } });
  });

  test('another folder begins without a console and without notices', async ({ journey }) => {
    const { page, workbench } = journey;
    const { own, answer } = await stopAtTotal(journey);
    await own.evaluate('output.customer');
    await page.keyboard.press('F5');
    await answer;
    const other = folderWith({ 'service.hcl': 'service {\n  name = "other"\n}\n' });
    await workbench.choose('File: Open Folder');
    const dialog = page.getByRole('dialog', { name: 'Open a folder' });
    await dialog.getByRole('combobox').fill(other);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Service: Not running' }).waitFor();
    await workbench.panelTab('Debug console').waitFor({ state: 'detached' });
    await workbench.panelTab('Output').click();
    await page.getByText(/^The service of this project has printed nothing/).waitFor();
    expect(await page.getByRole('region', { name: 'Threads' }).locator('.thread').count()).toBe(0);
    rmSync(other, { recursive: true, force: true });
  });
});
