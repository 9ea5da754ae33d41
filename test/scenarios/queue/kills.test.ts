import { describe, expect, test } from 'vitest';
import { isReconciled, runKills } from '../../chaos/kills.ts';

const server = process.env['TEST_POSTGRES_URL'] ?? '';
/** Addresses of the brokers; that of the log is a stand-in of the test. */
const brokers = [
  ['rabbitmq', process.env['TEST_RABBITMQ_URL']],
  ['jetstream', process.env['TEST_NATS_URL']],
  ['log', ''],
] as const;

// "npm run chaos -- kills" runs the same at full scale.
describe.skipIf(server === '')('a process that is killed while it takes messages', () => {
  for (const [kind, broker] of brokers)
    test.skipIf(broker === undefined)(
      `R-70: rows equal messages of ${kind}, and no more is repeated than the window holds`,
      async () => {
        const report = await runKills({ server, kind, broker: broker as string, messages: 2_000, kills: 3 });
        expect([isReconciled(report), report]).toMatchObject([true, { rows: 2_000, missing: 0, strange: 0, left: 0 }]);
      },
    );
});
