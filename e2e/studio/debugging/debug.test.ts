import { expect } from 'vitest';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import type { Journey } from '../opened.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const order = { customer: ' Ada ', item: 'Engine', quantity: 2, unit_price: 10 };

/** Opens the flow, sets a breakpoint before the rule `total` and starts the service. */
async function startWithBreakpoint({ workbench, page }: Journey, fields: Readonly<Record<string, string>> = {}) {
  const editor = await workbench.open('flows/create-order.hcl');
  await editor.goBehind('    total ');
  await page.keyboard.press('F9');
  await workbench.expectSaid('Breakpoint set at line 18.');
  const own = new Debugger(page);
  await own.start();
  if (Object.keys(fields).length > 0) await own.edit('total', fields);
  return { editor, own };
}

describeInBrowser('a person who debugs a service', () => {
  test('stops before a rule, looks, steps, changes a value and resumes it', async ({ journey }) => {
    const { page, service } = journey;
    const { editor, own } = await startWithBreakpoint(journey, { 'Stops when': 'input.quantity > 1' });
    expect(await ask('POST', `${service}/orders`, { ...order, quantity: 1 })).toMatchObject({ status: 201 });
    const answer = ask('POST', `${service}/orders`, order);
    await own.expectState('Paused');
    await own.expectAt('create_order: transform, total');
    await expect
      .poll(() => own.breakpoints().allTextContents(), pollOptions)
      .toEqual([expect.stringContaining('total input.quantity > 1')]);
    await expect
      .poll(() => own.threads.allTextContents(), pollOptions)
      .toEqual([
        'create_order#2breakpointtransform  totalHTTP caller of POST /orders waits',
        expect.stringMatching(/^create_order#1ended, [\d.]+ ms$/),
      ]);
    await own.variable('customer: "Ada"').waitFor();
    expect(await own.lineOf('rule')).toBe('rule total, 6 of 8');
    expect(await own.lineOf('quantity')).toBe('quantity 2');
    await expect.poll(() => own.reading(), pollOptions).toEqual(['2', '10', 'total would be20double']);
    await editor.expectText(/customer += "trim\(input.customer\)".*= "Ada"/);

    await own.step('F10', 'create_order: transform, status');
    await own.variable('total: 20').waitFor();
    await own.step('F11', 'create_order: transform, created_at');
    expect(await own.evaluate('output.total * 2.0')).toBe('40double');
    expect(await own.evaluate('output.nothing')).toMatch(/nothing/);

    await own.change('total: 20', '99');
    await expect.poll(() => own.lineOf('total'), pollOptions).toBe('total 99 changed forced, was 20');
    expect(await own.evaluate('output.total')).toBe('99forced, was 20double');
    expect(await own.watch('output.total')).toBe('output.total99forced, was 20double');
    await page.keyboard.press('F5');
    expect(await answer).toEqual({ status: 201, body: { id: 2, href: '/orders/2' } });
    expect(await ask('GET', `${service}/orders/2`)).toMatchObject({ body: { order: { customer: 'Ada', total: 99 } } });
    await own.expectState('Running');
  });

  test('is offered the tables of the running service, and the columns of the one that is written', async ({
    journey: { page, workbench },
  }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    await new Debugger(page).start();
    const labels = () => editor.suggestions.locator('.label-name').allTextContents();
    await editor.goBehind('target    = "orders');
    // The names come when the service has answered; a list that is open does not change.
    const offered = async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      await editor.suggestions
        .first()
        .waitFor({ timeout: 1_000 })
        .catch(() => undefined);
      return labels();
    };
    await expect.poll(offered, pollOptions).toContain('orders');
    await page.keyboard.press('Escape');
    await editor.goBehind('target    = "orders"');
    await page.keyboard.press('Enter');
    await page.keyboard.type('transform {');
    await page.keyboard.press('Enter');
    await page.keyboard.type('unit');
    await expect.poll(labels, pollOptions).toEqual(['unit_price']);
    await page.keyboard.press('Enter');
    await editor.expectText(/^ {6}unit_price = ""/m);
  });

  test('sees why a breakpoint does not hold, and has another only write', async ({ journey }) => {
    const { page, service, workbench } = journey;
    const { editor, own } = await startWithBreakpoint(journey, { 'Logs instead': 'costs {input.unit_price}' });
    await editor.goBehind('created_at = "now()"');
    await page.keyboard.press('Enter');
    await page.keyboard.type('extra = "1"', { delay: 20 });
    await workbench.expectProblems('no problems');
    await page.keyboard.press('F9');
    await expect
      .poll(() => own.breakpoints().allTextContents(), pollOptions)
      .toEqual(
        expect.arrayContaining([
          expect.stringContaining('logs costs {input.unit_price}'),
          'extra stage "transform" has rules 0 to 7, not 8',
        ]),
      );
    expect(await ask('POST', `${service}/orders`, order)).toMatchObject({ status: 201 });
    await own.console.getByText('costs 10', { exact: true }).waitFor();
    await own.expectState('Running');
  });

  test('holds two requests, lets them go by detaching, and ends the service', async ({ journey }) => {
    const { page, service, workbench } = journey;
    const { own } = await startWithBreakpoint(journey);
    const answers = [1, 2].map(() => ask('POST', `${service}/orders`, order));
    await expect.poll(() => own.threads.count(), pollOptions).toBe(2);
    await page.getByText('2 paused, 0 running', { exact: true }).waitFor();
    await own.threads.nth(1).click();
    await page.getByRole('region', { name: 'Variables' }).getByText('create_order #2', { exact: true }).waitFor();
    expect(await ask('GET', `${service}/orders`)).toMatchObject({ status: 200, body: { count: 0 } });

    await workbench.run('Debug: Detach and Let Threads Run');
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201]);
    await own.expectState('Not attached');
    await page.getByRole('button', { name: /^Service: Running/ }).waitFor();

    await page.keyboard.press('Shift+F5');
    await page.getByRole('button', { name: 'Service: Not running' }).waitFor();
    await expect(fetch(service)).rejects.toThrow();
  });

  test('sets and removes breakpoints with the mouse', async ({ journey: { workbench, page } }) => {
    const editor = await workbench.open('flows/create-order.hcl');
    const own = new Debugger(page);
    const glyph = editor.widget.locator('.glyph-margin');
    const line = editor.widget.locator('.line-numbers').getByText('18', { exact: true });
    const click = async () => {
      const [margin, number] = [await glyph.boundingBox(), await line.boundingBox()];
      await page.mouse.click(margin!.x + 8, number!.y + number!.height / 2);
    };
    await click();
    await workbench.expectSaid('Breakpoint set at line 18.');
    await page.getByRole('button', { name: /^Run and debug/ }).click();
    await expect.poll(() => own.breakpoints().count(), pollOptions).toBe(1);
    await click();
    await workbench.expectSaid('Breakpoint removed at line 18.');
    await expect.poll(() => own.breakpoints().count(), pollOptions).toBe(0);
  });
});
