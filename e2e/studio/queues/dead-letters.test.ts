import { expect } from 'vitest';
import { describeInBrowser } from '../journey.ts';
import { pollOptions } from '../pages/poll-options.ts';
import { journeyOfEach } from './kept-messages.ts';

const flow = `flow "keep" {
  from {
    connector = "orders"
  }
  accept {
    when = "input.body.customer != 'mary'"
  }
}
`;

const given = { 'x-last-error': 'transform, free: no such key fre', 'x-retry-count': '3' };
const [ada, charles, grace, mary] = ['ada', 'charles', 'grace', 'mary'].map((customer) => ({ customer }));
const texts = (...bodies: readonly unknown[]) => bodies.map((body) => JSON.stringify(body));

describeInBrowser('messages that a broker keeps', () => {
  journeyOfEach(
    'are looked at where they are, and dead letters go back once the person has agreed',
    flow,
    async ({ place, queue, kept, picture }) => {
      const { waiting, letters } = queue;
      await place.publish(texts(ada, charles));
      await place.bury(texts(grace, mary), given);
      const untouched = { waiting: [[ada], [charles]], dead: [[grace], [mary]] };

      await queue.peek();
      await waiting.getByText('{"customer":"ada"}').waitFor();
      await waiting.getByText('{"customer":"charles"}').waitFor();
      await expect.poll(kept, pollOptions).toEqual(untouched);

      await letters.getByRole('button', { name: 'List' }).click();
      await letters.getByText('1 of 2 would pass now; no connector was called.').waitFor();
      await letters.getByText('transform, free: no such key fre').first().click();
      await letters.getByText('"grace"').waitFor();
      await letters.getByRole('cell', { name: 'would pass', exact: true }).waitFor();
      await letters.getByRole('cell', { name: /^would be turned away: / }).waitFor();
      await expect.poll(kept, pollOptions).toEqual(untouched);
      await picture('dead-letters');

      const title = `Send 1 message that would pass back to ${place.source}`;
      await letters.getByRole('button', { name: title }).click();
      await picture('dead-letters-asked');
      await queue.asked(title).getByRole('button', { name: 'Keep' }).click();
      await queue.asked(title).waitFor({ state: 'detached' });
      expect(await kept()).toEqual(untouched);
      await letters.getByRole('button', { name: title }).click();
      await queue.asked(title).getByRole('button', { name: title }).click();
      await letters.getByText('0 of 1 would pass now; no connector was called.').waitFor();
      await expect.poll(kept, pollOptions).toEqual({ waiting: [[ada], [charles], [grace, '1']], dead: [[mary]] });
      await picture('dead-letters-sent');

      await queue.filter("input.body.customer == 'ada'");
      await letters.getByText('No message meets the condition.').waitFor();
      await queue.filter("input.body.customer == 'mary'");
      const removal = `Remove 1 message from ${place.dead}`;
      await letters.getByRole('button', { name: removal }).click();
      await queue.asked(removal).getByRole('button', { name: removal }).click();
      await letters.getByText('No message meets the condition.').waitFor();
      await expect.poll(kept, pollOptions).toEqual({ waiting: [[ada], [charles], [grace, '1']], dead: [] });
    },
  );
});
