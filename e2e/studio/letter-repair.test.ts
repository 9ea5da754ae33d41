import { expect } from 'vitest';
import { brokerUrl, TestQueue } from '../../runtime/src/connectors/mq/testing/broker.ts';
import { folderWith } from '../../test/support/folder.ts';
import { describeInBrowser, test } from './journey.ts';
import { Debugger } from './pages/debugger.ts';
import { pollOptions } from './pages/poll-options.ts';

if (brokerUrl === undefined)
  console.warn('SKIP  messages that are written in the window: TEST_RABBITMQ_URL names no broker');

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
type "order" {
  body = "content"
}
type "content" {
  id       = integer({ min = 7 })
  customer = string
}
flow "keep" {
  from {
    connector = "orders"
  }
  validate {
    input = "order"
  }
}
`;

const given = {
  deliveryMode: 2,
  headers: { 'x-last-error': 'customer is required', 'x-retry-count': 3, 'x-replay-count': 1 },
};

describeInBrowser('messages that a person writes', () => {
  test.skipIf(brokerUrl === undefined)(
    'a test message is published from the type of the flow, and a dead letter is repaired, sent, and removed after that',
    async ({ open }) => {
      const [queue, dead] = [await TestQueue.declare(), await TestQueue.declare()];
      const counts = async () => [(await queue.counts()).ready, (await dead.counts()).ready];
      await dead.publish(
        Array.from({ length: 25 }, (_, at) => (at === 0 ? { id: 8 } : { id: 7 + at, customer: 'ada' })),
        given,
      );
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

      const publishing = page.getByRole('region', { name: 'Publish' });
      await publishing.getByRole('button', { name: 'Write one' }).click();
      const message = publishing.getByRole('textbox', { name: 'Test message' });
      await expect.poll(() => message.inputValue(), pollOptions).toBe('{\n  "id": 7,\n  "customer": "customer"\n}');
      await message.fill('{ "id": 7');
      await publishing.getByText(/^This is not JSON: /).waitFor();
      await message.fill('{ "id": 7, "customer": "grace" }');
      await picture('queue-publish');
      await publishing.getByRole('button', { name: `Publish 1 message to ${queue.name}` }).click();
      await expect.poll(counts, pollOptions).toEqual([1, 25]);
      // The figures of the broker follow by themselves.
      const stats = page.locator('dl.stats');
      await stats.getByText('Consumers').waitFor();
      await expect
        .poll(() => stats.locator('div', { hasText: 'Ready' }).innerText(), pollOptions)
        .toMatch(/^Ready\s+1$/);

      const letters = page.getByRole('region', { name: 'Dead letters' });
      await letters.getByRole('button', { name: 'List' }).click();
      await letters.getByText('19 of 20 would pass now; no connector was called.').waitFor();
      await letters.getByText('20 of 25', { exact: true }).waitFor();
      await letters.getByRole('button', { name: 'Show more' }).click();
      await letters.getByText('24 of 25 would pass now; no connector was called.').waitFor();

      await letters.getByText('customer is required').first().click();
      const letter = letters.getByRole('region', { name: 'Dead letter 1', exact: true });
      expect((await letter.locator('dl.history').innerText()).replaceAll(/\s+/g, ' ')).toMatch(
        /^Failed tries 3 Sent back once Now would fail: /,
      );
      await picture('queue-letter');
      await letter.getByRole('button', { name: 'Edit and send' }).click();
      const edited = letter.getByRole('textbox', { name: 'Edited message' });
      expect(await edited.inputValue()).toBe('{\n  "id": 8\n}');
      await edited.fill('{ "id": 8, "customer": "mary" }');
      const title = `Send the edited message to ${queue.name}`;
      await letter.getByRole('button', { name: title }).click();
      const asking = page.getByRole('dialog', { name: `${title}?` });
      await asking.getByRole('button', { name: 'Keep' }).click();
      await asking.waitFor({ state: 'detached' });
      expect([await edited.inputValue(), await counts()]).toEqual(['{ "id": 8, "customer": "mary" }', [1, 25]]);
      await letter.getByRole('button', { name: title }).click();
      await picture('queue-letter-edited');
      await asking.getByRole('button', { name: title }).click();
      await letters.getByText('24 of 24 would pass now; no connector was called.').waitFor();
      await expect.poll(counts, pollOptions).toEqual([2, 24]);

      await page.getByRole('button', { name: 'Peek 20' }).click();
      const waiting = page.getByRole('region', { name: 'Waiting messages' });
      await waiting.getByText('{"id":7,"customer":"grace"}').waitFor();
      await waiting.getByText('{"id":8,"customer":"mary"}').click();
      await waiting.getByText('x-replay-count').waitFor();
      await picture('queue-replayed');
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
