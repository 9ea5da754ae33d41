import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';

describeInBrowser('a person who writes rules', () => {
  test('sees what they give for a sample, while they are typed, and never taken for a run', async ({ journey }) => {
    const { workbench, page, service } = journey;
    const editor = await workbench.open('flows/create-order.hcl');
    const own = new Debugger(page);
    await own.start();
    await page.getByRole('button', { name: 'Requests', exact: true }).click();
    await page
      .getByRole('button', { name: /POST \/orders/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'Request', exact: true }).waitFor();

    await workbench.open('flows/create-order.hcl');
    await editor.expectText(/quantity += .*= 1 +sample, requests\/post-orders\.json/);
    await editor.goBehind('input.quantity * input.unit_price');
    await page.keyboard.type(' + 2.5');
    await editor.expectText(/total += .*= 2\.5 +sample, requests\/post-orders\.json/);

    await workbench.tab('post-orders').click();
    await page.keyboard.press('Control+Enter');
    await workbench.expectSaid('Answered with 201.');
    expect(await ask('GET', `${service}/orders`)).toMatchObject({ body: { count: 1 } });
    await workbench.open('flows/create-order.hcl');
    await editor.expectText(/quantity += "input\.quantity"\s*= 1$/m);
    await editor.expectText(/total += .*= 2\.5 +sample, run 1/);
    await editor.goBehind('input.unit_price + 2.5');
    await page.keyboard.type('0 * 2.0');
    await editor.expectText(/total += .*= 5 +sample, run 1/);
    await page.keyboard.type(' + double(1 / int(input.quantity - 1.0))');
    await editor.expectText(/total += .*failed +division by zero: sample, run 1/);
    await page.keyboard.press('Control+z');

    expect(await own.evaluate('input.quantity + 41.0')).toContain('42');
    expect(await own.evaluate('step.absent')).toContain('no such key: absent. The run has ended:');
    expect(await own.watch('input.quantity * 100.0')).toContain('100');
  });
});
