import { expect } from 'vitest';
import { describeInBrowser } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { journeyOfEach } from './kept-messages.ts';

const flow = `type "order" {
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

const given = { 'x-last-error': 'customer is required', 'x-retry-count': '3', 'x-replay-count': '1' };
const incomplete = { id: 8 };
const whole = Array.from({ length: 24 }, (_, at) => ({ id: 8 + at, customer: 'ada' }));
const published = { id: 7, customer: 'grace' };
const repaired = { id: 8, customer: 'mary' };

describeInBrowser('messages that a person writes', () => {
  journeyOfEach(
    'a test message is published from the type of the flow, and a dead letter is repaired, sent, and removed after that',
    flow,
    async ({ place, queue, kept, picture }) => {
      const { publishing, stats, letters, waiting } = queue;
      const left = whole.map((body) => [body, '1']);
      await place.bury(
        [incomplete, ...whole].map((body) => JSON.stringify(body)),
        given,
      );

      await publishing.getByRole('button', { name: 'Write one' }).click();
      const message = publishing.getByRole('textbox', { name: 'Test message' });
      await expect.poll(() => message.inputValue(), pollOptions).toBe('{\n  "id": 7,\n  "customer": "customer"\n}');
      await message.fill('{ "id": 7');
      await publishing.getByText(/^This is not JSON: /).waitFor();
      await message.fill('{ "id": 7, "customer": "grace" }');
      const target = publishing.getByRole('textbox', { name: 'Queue, topic or subject' });
      // Where the configuration does not say where messages are sent to, the person does.
      expect(await target.inputValue()).toBe(place.isNamed ? '' : place.target);
      await target.fill(place.target);
      await picture('queue-publish');
      await publishing.getByRole('button', { name: `Publish 1 message to ${place.target}` }).click();
      await expect.poll(kept, pollOptions).toEqual({ waiting: [[published]], dead: [[incomplete, '1'], ...left] });
      // The figures of the broker follow by themselves.
      await stats.getByText('Consumers').waitFor();
      await expect
        .poll(() => stats.locator('div', { hasText: 'Ready' }).innerText(), pollOptions)
        .toMatch(/^Ready\s+1$/);

      await letters.getByRole('button', { name: 'List' }).click();
      await letters.getByText('19 of 20 would pass now; no connector was called.').waitFor();
      await letters.getByText('20 of 25', { exact: true }).waitFor();
      await letters.getByRole('button', { name: 'Show more' }).click();
      await letters.getByText('24 of 25 would pass now; no connector was called.').waitFor();

      await letters.getByText('customer is required').first().click();
      const name = `Dead letter ${place.deadPositions[0]?.[0]}`;
      const letter = letters.getByRole('region', { name, exact: true });
      expect((await letter.locator('dl.history').innerText()).replaceAll(/\s+/g, ' ')).toMatch(
        /^Failed tries 3 Sent back once Now would fail: /,
      );
      await picture('queue-letter');
      await letter.getByRole('button', { name: 'Edit and send' }).click();
      const edited = letter.getByRole('textbox', { name: 'Edited message' });
      expect(await edited.inputValue()).toBe('{\n  "id": 8\n}');
      await edited.fill('{ "id": 8, "customer": "mary" }');
      const title = `Send the edited message to ${place.source}`;
      await letter.getByRole('button', { name: title }).click();
      await queue.asked(title).getByRole('button', { name: 'Keep' }).click();
      await queue.asked(title).waitFor({ state: 'detached' });
      expect(await edited.inputValue()).toBe('{ "id": 8, "customer": "mary" }');
      expect(await kept()).toEqual({ waiting: [[published]], dead: [[incomplete, '1'], ...left] });
      await letter.getByRole('button', { name: title }).click();
      await picture('queue-letter-edited');
      await queue.asked(title).getByRole('button', { name: title }).click();
      await letters.getByText('24 of 24 would pass now; no connector was called.').waitFor();
      await expect.poll(kept, pollOptions).toEqual({ waiting: [[published], [repaired, '2']], dead: left });

      await queue.peek();
      await waiting.getByText('{"id":7,"customer":"grace"}').waitFor();
      await waiting.getByText('{"id":8,"customer":"mary"}').click();
      await waiting.getByText('x-replay-count').waitFor();
      await picture('queue-replayed');
    },
  );
});
