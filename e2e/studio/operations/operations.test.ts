import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { rentals } from './kept-workflows.ts';

describeInBrowser('what a running service holds', () => {
  test('a workflow is found, read, signalled until it ends, and another one is cancelled', async ({ open }) => {
    const { directory, remove, env } = await rentals();
    const { page, workbench, service } = await open({ directory, env });
    await workbench.ready();
    await workbench.run('View: Operations');
    const side = page.getByRole('complementary', { name: 'Operations' });
    await side.getByText('What a service holds is shown while it runs.').waitFor();
    await side.getByRole('button', { name: 'Workflows' }).click();
    const tab = page.getByRole('region', { name: 'Workflows', exact: true });
    await tab.getByText('No service attached.', { exact: false }).waitFor();
    await new Debugger(page).start();
    await tab.getByText('No workflow yet. One begins with each message for rent_van.').waitFor();

    const begin = async (customer: string) => {
      const { status, body } = await ask('POST', `${service}/rentals`, { van: 7, customer });
      expect(status).toBe(202);
      return (body as { readonly workflow_id: string }).workflow_id;
    };
    const first = await begin('<img src=x onerror="document.title = 1">');
    const second = await begin('Ada');
    await workbench.run('View: Operations');
    await side.getByRole('button', { name: 'Workflows 2 wait' }).waitFor();
    await tab.getByRole('row').filter({ hasText: first }).getByText('Waiting').waitFor();
    await tab.getByRole('button', { name: first }).click();
    const detail = page.getByRole('region', { name: 'Workflow', exact: true });
    const steps = detail.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await expect
      .poll(async () => (await steps.allInnerTexts()).map((text) => text.split('\n').slice(0, 2)), pollOptions)
      .toEqual([
        ['hold', 'Done'],
        ['pickup', 'Waiting'],
        ['drive', 'Not reached'],
        ['close', 'Not reached'],
      ]);
    await detail.getByText('for keys_collected, times out in 35 h').waitFor();
    await detail.getByRole('tab', { name: 'Input' }).click();
    await detail.getByRole('tree', { name: 'Input' }).getByText('onerror', { exact: false }).waitFor();

    // Locked: it can be looked at, and nothing of it can be changed.
    const signal = detail.getByRole('button', { name: 'Signal' });
    expect([await signal.isDisabled(), await signal.getAttribute('title')]).toEqual([true, 'Unlock changes first.']);
    await tab.getByText('Locked. Unlock it to signal and cancel workflows', { exact: false }).waitFor();
    await tab.getByRole('button', { name: 'Unlock changes' }).click();
    await tab.getByText('Unlocked: you can signal and cancel workflows.').waitFor();
    await signal.click();
    const form = detail.getByRole('form', { name: 'Signal the workflow' });
    const payload = form.getByRole('textbox', { name: 'Payload' });
    await payload.fill('[1]');
    await form.getByText('A payload is one JSON object.').waitFor();
    expect(await form.getByRole('button', { name: 'Signal keys_collected' }).isDisabled()).toBe(true);
    await payload.fill('{"by": "ann"}');
    await form.getByRole('button', { name: 'Signal keys_collected' }).click();
    await workbench.expectSaid('the event "keys_collected" was received, the workflow continues');
    await detail.getByRole('status').getByText('Completed').waitFor();
    await detail.getByRole('tab', { name: 'History' }).click();
    const history = detail.getByRole('tabpanel', { name: 'History' }).getByRole('listitem');
    await expect
      .poll(async () => (await history.allInnerTexts()).map((text) => text.split('\n')[1]), pollOptions)
      .toEqual([
        'hold done',
        'pickup waits',
        'pickup was signalled',
        'pickup done',
        'drive done',
        'close waits',
        'close continues',
        'close done',
        'Ended',
      ]);

    // Another one is cancelled, when the person says so again.
    await tab.getByRole('combobox', { name: 'Status' }).selectOption('Waiting');
    await tab.getByRole('button', { name: first }).waitFor({ state: 'detached' });
    await tab.getByRole('button', { name: second }).click();
    await detail.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await detail.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the workflow' }).click();
    await detail.getByRole('status').getByText('Cancelled').waitFor();
    await steps.filter({ hasText: 'hold' }).getByText('Undone').waitFor();
    await tab.getByText('No workflow is so.').waitFor();
    expect((await ask('GET', `${service}/rentals/2`)).body).toMatchObject([{ customer: 'Ada', state: 'released' }]);

    // A step is found in the text, and the tab says that the service is gone.
    await steps.filter({ hasText: 'pickup' }).getByRole('button', { name: 'pickup' }).click();
    await page.getByRole('contentinfo').getByText('Ln 27', { exact: false }).waitFor();
    await workbench.run('View: Workflows');
    await workbench.run('Run: Stop');
    await tab.getByText('No service attached.', { exact: false }).waitFor();
    expect(await page.title()).not.toBe('1');
    remove();
  });

  test('a schedule tells its next runs, and runs now once it is unlocked', async ({ open }) => {
    const { directory, remove, env } = await rentals();
    const { page, workbench } = await open({ directory, env });
    await workbench.ready();
    await workbench.run('View: Schedules');
    const tab = page.getByRole('region', { name: 'Schedules', exact: true });
    await tab.getByText('No service attached.', { exact: false }).waitFor();
    await new Debugger(page).start();
    const row = tab.getByRole('listitem', { name: 'tidy' });
    await row.getByText('Europe/Madrid, claimed in db, one process runs it').waitFor();
    expect(await row.locator('.next-runs li').count()).toBe(5);
    await row.getByText('None since the service started').waitFor();
    const run = row.getByRole('button', { name: 'Run now' });
    expect(await run.isDisabled()).toBe(true);
    await tab.getByRole('button', { name: 'Unlock changes' }).click();
    await run.click();
    await workbench.expectSaid('tidy runs.');
    await row.getByText('Succeeded').waitFor();
    await row.getByRole('button', { name: 'Show it' }).click();
    await page.getByRole('tab', { name: 'Timeline' }).waitFor();
    await tab.getByRole('button', { name: 'Lock' }).click();
    await expect.poll(() => run.isDisabled(), pollOptions).toBe(true);
    await row.getByRole('button', { name: 'tidy' }).click();
    await page.getByRole('tab', { name: 'nightly.hcl' }).waitFor();
    remove();
  });
});
