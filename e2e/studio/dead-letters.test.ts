import { expect } from 'vitest';
import { brokerUrl, TestQueue } from '../../runtime/src/connectors/mq/testing/broker.ts';
import { folderWith } from '../../test/support/folder.ts';
import { describeInBrowser, test } from './journey.ts';
import { Debugger } from './pages/debugger.ts';
import { pollOptions } from './pages/poll-options.ts';

if (brokerUrl === undefined) console.warn('SKIP  dead letters in the window: TEST_RABBITMQ_URL names no broker');

const service = (queue: string, dead: string) => `service {
  name       = "worker"
  admin_port = env("ADMIN_PORT")
}
connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = env("AMQP_URL")
  consumer {
    queue = "${queue}"
    dlq {
      queue = "${dead}"
    }
  }
}
flow "keep" {
  from {
    connector = "orders"
  }
  accept {
    when = "input.body.customer != 'mary'"
  }
}
`;

const given = { deliveryMode: 2, headers: { 'x-last-error': 'transform, free: no such key fre', 'x-retry-count': 3 } };

describeInBrowser('messages that a broker keeps', () => {
  test.skipIf(brokerUrl === undefined)(
    'are looked at where they are, and dead letters go back once the person has agreed',
    async ({ open }) => {
      const [queue, dead] = [await TestQueue.declare(), await TestQueue.declare()];
      const counts = async () => [(await queue.counts()).ready, (await dead.counts()).ready];
      await queue.publish([{ customer: 'ada' }, { customer: 'charles' }]);
      await dead.publish([{ customer: 'grace' }, { customer: 'mary' }], given);
      const directory = folderWith({ 'service.hcl': service(queue.name, dead.name) });
      const window = await open({ directory, env: { AMQP_URL: brokerUrl as string } });
      const { page, workbench } = window;
      await workbench.ready();
      const own = new Debugger(page);
      await page.keyboard.press('F5');
      await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
      await own.expectState('Running');
      await page.getByRole('button', { name: /^Queues/ }).click();
      const side = page.getByRole('complementary', { name: 'Queues' });
      await side.getByText('On demand', { exact: true }).click();
      await side.getByRole('button', { name: new RegExp(queue.name) }).click();

      await page.getByRole('button', { name: 'Peek 20' }).click();
      const waiting = page.getByRole('region', { name: 'Waiting messages' });
      await waiting.getByText('{"customer":"ada"}').waitFor();
      await waiting.getByText('{"customer":"charles"}').waitFor();
      await expect.poll(counts, pollOptions).toEqual([2, 2]);

      const letters = page.getByRole('region', { name: 'Dead letters' });
      await letters.getByRole('button', { name: 'List' }).click();
      await letters.getByText('1 of 2 would pass now; no connector was called.').waitFor();
      await letters.getByText('transform, free: no such key fre').first().click();
      await letters.getByText('"grace"').waitFor();
      await letters.getByRole('cell', { name: 'would pass', exact: true }).waitFor();
      await letters.getByRole('cell', { name: /^would be turned away: / }).waitFor();
      await expect.poll(counts, pollOptions).toEqual([2, 2]);
      await picture('dead-letters');

      const title = `Send 1 message that would pass back to ${queue.name}`;
      await letters.getByRole('button', { name: title }).click();
      const asking = page.getByRole('dialog', { name: `${title}?` });
      await picture('dead-letters-asked');
      await asking.getByRole('button', { name: 'Keep' }).click();
      await asking.waitFor({ state: 'detached' });
      expect(await counts()).toEqual([2, 2]);
      await letters.getByRole('button', { name: title }).click();
      await asking.getByRole('button', { name: title }).click();
      await letters.getByText('0 of 1 would pass now; no connector was called.').waitFor();
      await expect.poll(counts, pollOptions).toEqual([3, 1]);
      await picture('dead-letters-sent');

      const condition = letters.getByRole('textbox', { name: 'Only messages where' });
      await condition.fill("input.body.customer == 'ada'");
      await condition.press('Enter');
      await letters.getByText('No message meets the condition.').waitFor();
      await condition.fill("input.body.customer == 'mary'");
      await condition.press('Enter');
      const removal = `Remove 1 message from ${dead.name}`;
      await letters.getByRole('button', { name: removal }).click();
      await page
        .getByRole('dialog', { name: `${removal}?` })
        .getByRole('button', { name: removal })
        .click();
      await letters.getByText('No message meets the condition.').waitFor();
      await expect.poll(counts, pollOptions).toEqual([3, 0]);
      await window.close();
      await queue.end();
      await dead.end();

      async function picture(name: string): Promise<void> {
        if (process.env['E2E_PICTURES']) await page.screenshot({ path: `${process.env['E2E_PICTURES']}/${name}.png` });
      }
    },
    120_000,
  );
});
