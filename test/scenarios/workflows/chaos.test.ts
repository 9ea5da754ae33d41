import { describe, expect, test } from 'vitest';
import { runChaos } from '../../chaos/chaos.ts';

const server = process.env['TEST_POSTGRES_URL'] ?? '';
const small = { server, workflows: 20, processes: 2, stepTime: 100, headStart: '1s', lease: '1s' };
const well = { workflows: 20, completed: 20, missing: 0, unexplained: [], undone: 0 };

describe.skipIf(server === '')('several processes with one database', () => {
  test('R-44: every step runs exactly once', async () => {
    expect(await runChaos({ ...small, killEvery: 200, mostKills: 0 })).toMatchObject({
      ...well,
      kills: 0,
      effects: 100,
      repeated: 0,
    });
  });

  test('X-09: with processes killed all workflows complete, and only what was under way is repeated', async () => {
    const report = await runChaos({ ...small, stepTime: 300, killEvery: 700, mostKills: 3 });
    expect(report).toMatchObject(well);
    expect(report.effects).toBe(100 + report.repeated);
  });
});
