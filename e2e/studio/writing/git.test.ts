import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeInBrowser, test } from '../journey.ts';
import { CanvasPage } from '../pages/canvas.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { themes } from '../pages/workbench.ts';

function commit(directory: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: directory });
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'work');
}

async function trust(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Not trusted' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Trust / })
    .click();
}

const picture = async (page: Page, name: string) => {
  const folder = process.env['E2E_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
};

describeInBrowser('a person whose project is in git', () => {
  test('sees the branch, what changed in files, lines, texts and in the graph', { timeout: 0 }, async ({ journey }) => {
    const { workbench, page, directory } = journey;
    commit(directory);
    const branch = page.locator('.git-branch');
    expect(await branch.count()).toBe(0);
    await trust(page);
    await page.getByTitle('main: nothing differs from the last commit').waitFor();
    const file = join(directory, 'flows/create-order.hcl');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace('"\'open\'"', '"\'new\'"'));
    writeFileSync(
      join(directory, 'flows/ping.hcl'),
      'flow "ping" {\n  from {\n    connector = "api"\n    operation = "GET /ping"\n  }\n  response {\n    ok = "true"\n  }\n}\n',
    );
    rmSync(join(directory, 'flows/delete-order.hcl'));
    await page.getByTitle('main: 3 files changed since the last commit').waitFor();
    await workbench.file('create-order.hcl').filter({ hasText: 'changed since the last commit' }).waitFor();
    await workbench.file('ping.hcl').filter({ hasText: 'added since the last commit' }).waitFor();
    await workbench.open('flows/create-order.hcl');
    await page.locator('.git-line.git-changed').waitFor();
    expect(await page.locator('.git-line').count()).toBe(1);

    await branch.click();
    expect(await workbench.results.allInnerTexts()).toEqual([
      expect.stringMatching(/^flows\/create-order.hcl\s+changed/),
      expect.stringMatching(/^flows\/delete-order.hcl\s+removed/),
      expect.stringMatching(/^flows\/ping.hcl\s+added/),
    ]);
    await page.keyboard.press('Enter');
    await page.getByText(/^flows\/create-order.hcl at commit/).waitFor();
    await page.locator('.compare-editor .line-insert').first().waitFor();

    await page.keyboard.press('Control+Alt+c');
    const canvas = new CanvasPage(page);
    await canvas.ready();
    await page.getByRole('button', { name: 'Changed', exact: true }).click();
    const marked = () => page.locator('.canvas .diff').evaluateAll((all) => all.map((one) => one.textContent).sort());
    await expect
      .poll(marked, pollOptions)
      .toEqual([
        expect.stringMatching(/^create_order.*changed$/),
        expect.stringMatching(/^delete_order.*removed$/),
        expect.stringMatching(/^ping.*added$/),
      ]);
    await page.keyboard.press('Control+Alt+l');
    await expect
      .poll(() => page.getByRole('tree', { name: 'Flows' }).getByText('fetch_order').count(), pollOptions)
      .toBe(0);
    const found: string[] = [];
    for (const theme of themes) {
      await workbench.choosesTheme(theme);
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      found.push(
        ...violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${theme}: ${id} ${nodes[0]?.target}`),
      );
      for (const width of [1440, 900]) {
        await page.setViewportSize({ width, height: 900 });
        await picture(page, `changed-${theme}-${width}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    expect(found).toEqual([]);

    commit(directory);
    await page
      .getByText(/^No flow and no connector differs from the last commit/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Failing', exact: true }).click();
    await page
      .getByText(/^Nothing fails: no flow and no connector has a problem/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Show all', exact: true }).first().click();
    await canvas.ready();
  });
});
