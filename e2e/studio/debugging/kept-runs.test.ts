import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCommand } from '../../../test/support/service.ts';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const order = { customer: ' Ada ', item: 'Engine', quantity: 2, unit_price: 10 };

describeInBrowser('a person who works with earlier runs', () => {
  test('sends one again, keeps it as a request and as a test that passes', async ({ journey }) => {
    const { workbench, page, service, directory } = journey;
    await workbench.open('flows/create-order.hcl');
    const own = new Debugger(page);
    await own.start();
    expect(await ask('POST', `${service}/orders`, order)).toMatchObject({ status: 201 });
    await own.variable('total: 20').waitFor();

    await own.chooseForRun('Send again');
    await workbench.expectSaid('Answered with 201.');
    await own.threads.filter({ hasText: '#2' }).waitFor();
    expect(await ask('GET', `${service}/orders`)).toMatchObject({ body: { count: 2 } });

    await workbench.run('Run: Save as Test');
    await workbench.expectSaid('Saved as tests/create_order-1.hcl.');
    const written = readFileSync(join(directory, 'tests/create_order-1.hcl'), 'utf8');
    expect(written).toContain('mock "db" {');
    expect(await runCommand(['fmt', '--check', directory])).toMatchObject({ code: 0 });
    expect(await runCommand(['test', '-c', directory, '--filter', 'create_order answers'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 passed'),
    });

    await workbench.open('flows/create-order.hcl');
    await workbench.run('Run: Save as Request');
    await workbench.expectSaid('The request is in requests/post-orders.json.');
    const kept = JSON.parse(readFileSync(join(directory, 'requests/post-orders.json'), 'utf8'));
    expect(kept).toMatchObject({ method: 'POST', url: '{{base}}/orders', body: order });

    await workbench.open('flows/create-order.hcl');
    await workbench.run('Run: Send with Changes');
    await workbench.expectSaid('The request is in requests/changed-create_order.json.');
    await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
    const changed = JSON.parse(readFileSync(join(directory, 'requests/changed-create_order.json'), 'utf8'));
    expect(changed).toEqual(kept);
  });

  test('finds runs by a condition, and opens one that others have pushed out of the threads', async ({ journey }) => {
    const { workbench, page, service } = journey;
    const editor = await workbench.open('flows/create-order.hcl');
    const own = new Debugger(page);
    await own.start();
    for (let quantity = 1; quantity <= 6; quantity++)
      expect(await ask('POST', `${service}/orders`, { ...order, quantity })).toMatchObject({ status: 201 });
    const refused = await ask('POST', `${service}/orders`, { ...order, quantity: 0 });
    expect(refused).toMatchObject({ status: 400 });
    for (let count = 0; count < 150; count++) await ask('GET', `${service}/orders`);
    await workbench.panelTab('Runs').click();
    const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
    await expect.poll(() => rows.count(), pollOptions).toBe(157);
    const filter = page.getByRole('textbox', { name: 'Filter runs by a condition in CEL' });
    await filter.fill('output.total >= 40.0 && output.total < 60.0');
    await expect
      .poll(() => rows.allInnerTexts(), pollOptions)
      .toEqual([
        expect.stringMatching(/^create_order #5\s.*quantity: 5/s),
        expect.stringMatching(/#4\s.*quantity: 4/s),
      ]);
    await rows.last().getByRole('button').click();
    await editor.expectText(/total += .*= 40/);
    await own.variable('total: 40').waitFor();
    await filter.fill("error != ''");
    await expect.poll(() => rows.allInnerTexts(), pollOptions).toEqual([expect.stringMatching(/^create_order #7/)]);
    await filter.fill('output.total >');
    await page
      .getByRole('alert')
      .getByText(/the expression ends where a value is expected/)
      .waitFor();
  });
});
