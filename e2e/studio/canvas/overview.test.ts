import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

describeInBrowser('a project that is opened', () => {
  test('shows its map, and how it is', async ({ journey }) => {
    const { workbench, page, directory, service } = journey;
    const map = page.getByRole('application', { name: /^Canvas of/ });
    await map.locator('.flow-node').filter({ hasText: 'list_orders' }).waitFor();
    const overview = page.getByRole('region', { name: 'Overview' });
    await overview.getByText('5 flows, 3 connectors').waitFor();
    await overview.getByRole('button', { name: 'No problems' }).waitFor();

    // A mistake is counted as soon as it is written.
    writeFileSync(join(directory, 'flows/extra.hcl'), 'flow "extra" {\n  from {\n    connector = "apy"\n  }\n}\n');
    await overview.getByText('6 flows, 3 connectors').waitFor();
    await overview.getByRole('button', { name: /^\d errors?/ }).click();
    await expect
      .poll(() => workbench.problems.allTextContents(), pollOptions)
      .toEqual(expect.arrayContaining([expect.stringContaining('there is no connector named "apy"')]));
    writeFileSync(join(directory, 'flows/extra.hcl'), '');
    await overview.getByRole('button', { name: 'No problems' }).waitFor();

    await overview.getByRole('button', { name: 'Not running: start it' }).click();
    await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
    await overview.getByText(/^Listens at http:\/\/localhost:\d+$/).waitFor();
    // One that comes before the page is attached is not among its runs.
    const runs = overview.getByRole('button', { name: /^\d+ runs?, the last at / });
    await expect
      .poll(async () => {
        await ask('GET', `${service}/orders`);
        return runs.count();
      }, pollOptions)
      .toBe(1);
  });

  test('has a console while there is a session, and not before', async ({ journey: { page, workbench } }) => {
    expect(await workbench.panelTab('Debug console').count()).toBe(0);
    expect(await workbench.panelTab('Problems').count()).toBe(1);
    await new Debugger(page).start();
    await workbench.panelTab('Debug console').waitFor();
  });

  test('says in empty views what to do next, and the command line for it', async ({ open }) => {
    const { page } = await open();
    const views = page.getByRole('navigation', { name: 'Views' });
    for (const [view, act, line] of [
      ['Search', 'Open folder', 'svc studio ./orders'],
      ['Requests', 'Open folder', 'svc studio ./orders'],
      ['Flows', 'Open folder', 'svc studio ./orders'],
    ] as const) {
      await views.getByRole('button', { name: view }).click();
      const side = page.getByRole('complementary', { name: view });
      await side.getByRole('button', { name: act }).waitFor();
      await side.getByText(line).waitFor();
    }
  });
});
