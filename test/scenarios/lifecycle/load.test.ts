import { describe, expect, test } from 'vitest';
import { runReloads, runRestarts } from '../../chaos/lifecycle.ts';

const server = process.env['TEST_POSTGRES_URL'] ?? '';
const broker = process.env['TEST_RABBITMQ_URL'];
const nothing = { failed: 0, lost: 0, doubled: 0, unclean: 0, examples: [] };

// "npm run chaos" runs the same at full scale.
describe.skipIf(server === '')('under load', () => {
  test('R-57, R-81: restarts one after another fail, lose and double nothing, also of what is published with confirms', async () => {
    expect(await runRestarts({ server, broker, rate: 50, restarts: 4 })).toMatchObject({ ...nothing, events: 4 });
  });

  test('R-85: reloads one after another fail, lose and double nothing, and declare no consumer again', async () => {
    expect(await runReloads({ server, broker, rate: 50, reloads: 10 })).toMatchObject({
      ...nothing,
      events: 10,
      consumes: broker === undefined ? 0 : 1,
    });
  });
});
