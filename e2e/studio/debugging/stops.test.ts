import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';

const order = { customer: ' Ada ', item: 'Engine', quantity: 2, unit_price: 10 };

describeInBrowser('a person who stops without a breakpoint', () => {
  test('stops where a flow fails, by kind of failure, and where it drops a message', async ({ journey }) => {
    const { directory, workbench, page, service } = journey;
    const file = join(directory, 'flows/create-order.hcl');
    const gate = '  accept {\n    when = "input.quantity < 5"\n  }\n\n  # One column';
    const text = readFileSync(file, 'utf8').replace('  # One column', gate);
    writeFileSync(file, text.replace('"input.quantity * input.unit_price"', '"int(input.item)"'));
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.expectText(/int\(input\.item\)/);
    const own = new Debugger(page);
    await own.start();
    const stops = page.getByRole('list', { name: 'Stops without a place' });
    await stops.getByRole('button', { name: 'Kinds of failures' }).click();
    await stops.getByRole('checkbox', { name: 'No connection' }).check();
    expect(await ask('POST', `${service}/orders`, order)).toMatchObject({ status: 500 });
    await own.expectState('Running');

    await stops.getByRole('checkbox', { name: 'Expressions, and others' }).check();
    await workbench.expectSaid('Threads stop where a flow fails (No connection; Expressions, and others).');
    const failing = ask('POST', `${service}/orders`, order);
    await own.expectState('Paused');
    await own.expectAt('create_order: transform, total failed');
    await page
      .locator('.failure')
      .getByText(/"Engine" is not an int/)
      .waitFor();
    await own.variable('customer: "Ada"').waitFor();
    await page.keyboard.press('F5');
    expect(await failing).toMatchObject({ status: 500 });

    await stops.getByRole('checkbox', { name: 'Stop when a message is dropped' }).check();
    await workbench.expectSaid(/, and where a message is dropped\.$/);
    const dropped = ask('POST', `${service}/orders`, { ...order, quantity: 9 });
    await own.expectAt('create_order: dropped by accept');
    await page
      .locator('.failure')
      .getByText(/input\.quantity < 5/)
      .waitFor();
    await own.variable('quantity: 9').waitFor();
    await page.keyboard.press('F5');
    expect(await dropped).toMatchObject({ status: 200 });
    await own.expectState('Running');
    await editor.expectText(/accept \{.*dropped the message/);
    await own.threads.filter({ hasText: /dropped, [\d.]+ ms/ }).waitFor();
  });
});
