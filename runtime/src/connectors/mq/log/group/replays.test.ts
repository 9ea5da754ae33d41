import { expect, test } from 'vitest';
import { onEveryGround } from '../testing/consuming.ts';
import { deskOf } from '../testing/desk.ts';

const letters = Array.from({ length: 60 }, (_, n) => ({ value: String(n), headers: { 'x-last-error': 'it failed' } }));

onEveryGround((start) => {
  test('R-75: of replays that begin at the same moment one sends the letters back, and the others say so', async () => {
    const brokers = await start();
    for (let round = 0; round < 4; round++) {
      const topic = await brokers.topic();
      await brokers.create(`${topic}.dlq`);
      await brokers.send(`${topic}.dlq`, letters);
      const desks = await Promise.all([1, 2, 3].map(() => deskOf(brokers, topic)));
      const sent: string[] = [];
      const ends = await Promise.allSettled(
        desks.map((desk) =>
          desk.replay(
            100,
            () => true,
            ({ position }) => void sent.push(position),
          ),
        ),
      );
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const end of ends)
        if (end.status === 'rejected') expect((end.reason as Error).message).toMatch(/^another client /);
      const values = (await brokers.sent(topic, letters.length)).map(({ value }) => Number(value));
      expect([...new Set(values)].toSorted((a, b) => a - b)).toEqual(letters.map((_, n) => n));
      // One that another one follows may have had a letter in hand.
      expect(values.length - letters.length).toBeLessThan(desks.length);
      expect(new Set(sent).size).toBe(letters.length);
    }
  });
});
