import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import type { Journey } from '../opened.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { themes } from '../pages/workbench.ts';

const total = 'a new order is open, and its total is computed';

/** The view of tests as a person knows it. */
class TestsView {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get side() {
    return this.page.getByRole('complementary', { name: 'Tests' });
  }

  row(name: string | RegExp) {
    return this.side.getByRole('treeitem', { name });
  }

  get result() {
    return this.page.getByRole('article', { name: /^Result of/ });
  }

  /** Runs all; the first time says that the folder is trusted. */
  async runAll(isFirst = false): Promise<void> {
    await this.side.getByRole('button', { name: 'Run All' }).click();
    if (isFirst) await this.page.getByRole('button', { name: /^Trust .+ and run its tests$/ }).click();
  }

  async expectTotals(text: string | RegExp): Promise<void> {
    await this.side.getByRole('status').filter({ hasText: text }).waitFor();
  }
}

/** The orders service, one test of which expects another total. */
async function broken({ directory, page, workbench }: Journey): Promise<TestsView> {
  const file = join(directory, 'tests/create-order.hcl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('total      = 7.5', 'total      = 8 # net'));
  const view = new TestsView(page);
  await workbench.run('View: Tests');
  await view.row(total).waitFor();
  return view;
}

describeInBrowser('tests', () => {
  test('are listed as they are written, run, compared, and accepted as they came in one step of undo', async ({
    journey,
  }) => {
    const { page, workbench, directory } = journey;
    const view = await broken(journey);
    await view.row(/^not run a new order is open/).waitFor();
    // One that is not saved is listed too.
    const editor = await workbench.open('tests/create-order.hcl');
    await editor.goTo(1, 1);
    await page.keyboard.type('test "one more" {}\n');
    await view.row('not run one more').waitFor();
    await editor.goTo(1, 1);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Delete');
    await view.row('one more').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');

    await view.runAll(true);
    await view.expectTotals(/1 failed\s*\d+ passed/);
    await view.row(`failed ${total}`).click();
    const result = view.result;
    const problem = result.getByRole('region', { name: 'call "db": params.total' });
    await problem.getByText('8', { exact: true }).waitFor();
    await problem.getByText('7.5', { exact: true }).waitFor();
    await problem.getByText('input.quantity * input.unit_price').waitFor();
    // The rule opens its line.
    await problem.getByRole('button', { name: 'flows/create-order.hcl:18' }).click();
    await expect.poll(() => workbench.tabs(), pollOptions).toContain('create-order.hcl');

    // Failed only.
    await view.side.getByRole('button', { name: '1 failed' }).click();
    await expect.poll(() => view.side.getByRole('treeitem', { level: 2 }).count(), pollOptions).toBe(1);
    await view.side.getByRole('button', { name: '1 failed' }).click();

    const file = join(directory, 'tests/create-order.hcl');
    const before = readFileSync(file, 'utf8');
    await problem.getByRole('button', { name: 'Expect what came' }).click();
    await workbench.expectSaid('tests/create-order.hcl expects what came. It is not saved.');
    expect(readFileSync(file, 'utf8')).toBe(before);
    await workbench.open('tests/create-order.hcl');
    await page.keyboard.press('Control+s');
    await expect
      .poll(() => readFileSync(file, 'utf8'), pollOptions)
      .toBe(before.replace('total      = 8 # net', 'total      = 7.5 # net'));
    await view.runAll();
    await view.expectTotals(/0 failed\s*\d+ passed/);
    await editor.goTo(3, 1);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+s');
    await expect.poll(() => readFileSync(file, 'utf8'), pollOptions).toBe(before);
  });

  test('run from the caret and by keys alone, and again when a file is saved', async ({ journey }) => {
    const { page, workbench, directory } = journey;
    const view = await broken(journey);
    const editor = await workbench.open('tests/create-order.hcl');
    await editor.goTo(8, 1);
    await page.keyboard.press('Alt+r');
    await page.getByRole('button', { name: /^Trust .+ and run its tests$/ }).press('Enter');
    await view.expectTotals(/1 failed\s*0 passed, \d+ not run/);
    await workbench.run('Tests: Run Again When Files Are Saved');
    await workbench.expectSaid('Tests run when files are saved.');
    // A file of tests: its own tests run, and no other.
    await editor.goTo(1, 1);
    await page.keyboard.type('# saved\n');
    await page.keyboard.press('Control+s');
    await view.row('passed an order without an email is taken').waitFor();
    expect(await view.side.getByRole('treeitem', { name: /^not run/ }).count()).toBeGreaterThan(0);
    // Another file: all run. It is changed by another program here.
    const flow = join(directory, 'flows/create-order.hcl');
    writeFileSync(
      flow,
      readFileSync(flow, 'utf8').replace('input.quantity * input.unit_price', 'input.quantity * 1.0 + 5.0'),
    );
    await view.row(`passed ${total}`).waitFor();
    await expect.poll(() => view.side.getByRole('treeitem', { name: /^not run/ }).count(), pollOptions).toBe(0);

    // The tree by keys alone.
    await view.row(/^\w+ create-order\.hcl/).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => view.result.getAttribute('aria-label'), pollOptions).toBe(`Result of ${total}`);
  });

  test('are debugged: the flow stops at breakpoints, with the values of the test', async ({ journey }) => {
    const { page, workbench } = journey;
    const view = await broken(journey);
    const flow = await workbench.open('flows/create-order.hcl');
    await flow.goBehind('    total ');
    await page.keyboard.press('F9');
    await view.row(total).click();
    await view.row(total).press('d');
    await page.getByRole('button', { name: /^Trust .+ and run its tests$/ }).click();
    const own = new Debugger(page);
    await own.expectState('Paused');
    await own.expectAt('create_order: transform, total');
    await own.variable('customer: "Ada"').first().waitFor();
    await page.keyboard.press('F10');
    await own.expectAt('create_order: transform, status');
    await page.keyboard.press('F5');
    await view.expectTotals(/1 failed\s*0 passed/);
    await own.expectState('Not attached');
    // What the test held stays in sight.
    await own.variable('total: 7.5').first().waitFor();
  });

  test('one that hangs is ended', async ({ journey }) => {
    const { page, workbench } = journey;
    const view = await broken(journey);
    const flow = await workbench.open('flows/create-order.hcl');
    await flow.goBehind('    total ');
    await page.keyboard.press('F9');
    await view.row(total).click();
    await view.row(total).press('d');
    await page.getByRole('button', { name: /^Trust .+ and run its tests$/ }).click();
    const own = new Debugger(page);
    await own.expectState('Paused');
    await view.side.getByRole('button', { name: 'Stop' }).click();
    await own.expectState('Not attached');
    await view.side.getByRole('button', { name: 'Run All' }).waitFor();
  });

  test('show what they reach, in texts and on the canvas', async ({ journey }) => {
    const { page, workbench } = journey;
    const view = await broken(journey);
    await workbench.open('flows/create-order.hcl');
    await view.side.getByRole('button', { name: 'Show Coverage' }).click();
    await page.getByRole('button', { name: /^Trust .+ and run its tests$/ }).click();
    await view.side.getByText('100%').first().waitFor();
    await page.locator('.coverage-bar.coverage-covered').first().waitFor();
    const pictures = process.env['E2E_PICTURES'];
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/tests-coverage-text.png` });
    await page.getByRole('group', { name: 'What to show' }).getByRole('button', { name: 'Canvas' }).click();
    await page.locator('.flow-node').filter({ hasText: 'create_order' }).dblclick();
    await page.locator('.stage.reach-covered').first().waitFor();
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/tests-coverage-canvas.png` });
  });

  test('are in order for those who see little, or nothing', { timeout: 0 }, async ({ journey }) => {
    const { page, workbench } = journey;
    const view = await broken(journey);
    await view.runAll(true);
    await view.row(`failed ${total}`).click();
    await view.result.waitFor();
    const found: string[] = [];
    for (const theme of themes) {
      await workbench.choosesTheme(theme);
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      found.push(
        ...violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .flatMap(({ id, nodes }) =>
            nodes.map(({ target, failureSummary }) => `${theme}: ${id} ${target} ${failureSummary}`),
          ),
      );
      const folder = process.env['E2E_PICTURES'];
      if (folder === undefined) continue;
      for (const width of [1440, 900]) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `${folder}/tests-${theme}-${width}.png` });
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    expect([...new Set(found)]).toEqual([]);
  });
});
