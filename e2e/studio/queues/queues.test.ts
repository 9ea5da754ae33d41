import { expect } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { folderWith } from '../../../test/support/folder.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';

if (brokerUrl === undefined) console.warn('SKIP  queues in the window: TEST_RABBITMQ_URL names no broker');

const files = (queue: string) => ({
  'service.hcl': `service {
  name       = "worker"
  admin_port = env("ADMIN_PORT")
}
connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("AMQP_URL")
  consumer {
    queue    = "${queue}"
    prefetch = 1
  }
}
connector "api" {
  type = "rest"
  port = env("PORT")
}
`,
  'flow.hcl': `flow "keep" {
  from {
    connector = "orders"
    operation = "#"
  }
  transform {
    customer = "upper(input.body.customer)"
    item     = "input.body.item"
  }
  response {
    done = "true"
  }
}
`,
});

describeInBrowser('messages of a queue', () => {
  test.skipIf(brokerUrl === undefined)('are taken one by one, held at a rule and acknowledged', async ({ open }) => {
    const queue = await TestQueue.declare();
    const waiting = async () => (await queue.counts()).ready;
    await queue.publish([
      { customer: 'ada', item: 'Engine' },
      { customer: 'charles', item: 'Engine' },
    ]);
    const window = await open({ directory: folderWith(files(queue.name)), env: { AMQP_URL: brokerUrl as string } });
    const { page, workbench } = window;
    await workbench.ready();
    const editor = await workbench.open('flow.hcl');
    await editor.goBehind('    item ');
    await page.keyboard.press('F9');

    await page.getByRole('button', { name: /^Service: / }).click();
    await page.getByRole('menuitem', { name: 'Start', exact: true }).click();
    await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
    const own = new Debugger(page);
    await own.expectState('Running');
    await page.getByRole('button', { name: /^Queues/ }).click();
    const side = page.getByRole('complementary', { name: 'Queues' });
    await side.getByText('On demand', { exact: true }).click();
    await side.getByRole('button', { name: new RegExp(queue.name) }).click();
    expect(await waiting()).toBe(2);

    await page.getByRole('button', { name: 'Pull one' }).click();
    await own.expectAt('keep: transform, item');
    await workbench.tab(queue.name).click();
    const underWay = page.getByRole('region', { name: 'Message under way' });
    await underWay.waitFor();
    await own
      .variable(/^customer/)
      .filter({ hasText: 'ADA' })
      .waitFor();
    await underWay.getByText(/^You hold .*, unacked for \d+ s; 1 wait behind it$/).waitFor();
    expect(await waiting()).toBe(1);
    await page.keyboard.press('F5');
    await underWay.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Taken messages' }).getByText('acknowledged').first().waitFor();

    await page.getByRole('button', { name: 'Pull one' }).click();
    await own.expectAt('keep: transform, item');
    await page.keyboard.press('F5');
    await underWay.waitFor({ state: 'detached' });
    await window.close();
    expect(await waiting()).toBe(0);
    await queue.end();
  });
});
