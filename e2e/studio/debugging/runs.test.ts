import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import type { Journey } from '../opened.ts';
import { Debugger } from '../pages/debugger.ts';

const order = { customer: ' Ada ', item: 'Engine', quantity: 2, unit_price: 10 };

/** Makes the rule `total` fail for every order whose item is not a number. */
function breakTotal({ directory }: Journey): void {
  const file = join(directory, 'flows/create-order.hcl');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"input.quantity * input.unit_price"', '"int(input.item)"'));
}

describeInBrowser('a person whose runs do not stop', () => {
  test('sees what the newest run of the flow in view gave, and how long it took', async ({ journey }) => {
    const { workbench, page, service } = journey;
    const editor = await workbench.open('flows/create-order.hcl');
    const own = new Debugger(page);
    await own.start();
    expect(await ask('POST', `${service}/orders`, order)).toMatchObject({ status: 201 });
    await editor.expectText(/customer += "trim\(input.customer\)".*= "Ada"/);
    await editor.expectText(/total += .*= 20/);
    await editor.expectText(/values from POST \/orders, thread 1, [\d:]+, ended/);
    await own.stage('transform').waitFor();
    await own.variable('customer: "Ada"').waitFor();
    expect(await ask('GET', `${service}/orders`)).toMatchObject({ status: 200 });
    expect(await ask('POST', `${service}/orders`, { ...order, quantity: 3 })).toMatchObject({ status: 201 });
    await editor.expectText(/total += .*= 30/);
    await own.variable('total: 30').waitFor();

    await own.threads.filter({ hasText: '#1' }).click();
    await editor.expectText(/total += .*= 20/);
    expect(await ask('POST', `${service}/orders`, { ...order, quantity: 4 })).toMatchObject({ status: 201 });
    await own.threads.filter({ hasText: '#4' }).waitFor();
    await editor.expectText(/total += .*= 20/);
    await page.getByRole('button', { name: 'Follow the newest run' }).click();
    await editor.expectText(/total += .*= 40/);

    await editor.goBehind('input.quantity * input.unit_price');
    await page.keyboard.type(' * 1.0');
    await editor.expectText(/total += .*= 40 +sample, run 4/);
  });

  test('sees where a run failed: rule, canvas and timeline are red, and the console leads to the line', async ({
    journey,
  }) => {
    const { workbench, page, service } = journey;
    breakTotal(journey);
    const editor = await workbench.open('flows/create-order.hcl');
    await editor.expectText(/int\(input\.item\)/);
    const own = new Debugger(page);
    await own.start();
    expect(await ask('POST', `${service}/orders`, order)).toMatchObject({ status: 500 });
    const failure = page.locator('.failure').filter({ hasText: 'total failed:' });
    await failure.getByText('"Engine" is not an int', { exact: true }).waitFor();
    await own.stage('transform').and(page.locator('.error')).waitFor();
    await workbench.expectSaid(/^create_order failed: .*Engine/);
    await workbench.open('flows/list-orders.hcl');
    await failure.waitFor({ state: 'detached' });
    await own.console.getByRole('button', { name: 'create-order.hcl:18' }).click();
    await failure.waitFor();
    await page.getByRole('button', { name: 'Canvas' }).click();
    await page.getByRole('application', { name: /^Canvas of/ }).waitFor();
    await page.locator('.flow-node.failed, .open-flow.failed').filter({ hasText: 'create_order' }).waitFor();
  });
});
