import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { engines } from '../../../connectors/database/testing/engines.ts';
import { type Clock, systemClock } from '../../../foundation/observe/clock.ts';
import { relationalBed } from '../testing/beds.ts';
import { doing, engineOn, instanceOf, programOf } from '../testing/engines.ts';
import { storeConformance } from '../testing/store-conformance.ts';

for (const each of engines)
  describe.skipIf(each.skip)(each.engine, () => storeConformance(each.engine, () => relationalBed(each)));

const beds = engines.filter(({ skip }) => !skip).map((each) => [each.engine, () => relationalBed(each)] as const);

test.each(beds)('%s: a process with a wrong clock does not take what another one runs', async (_, open) => {
  const bed = await open();
  const [mine, theirs] = [await bed.store(), await bed.store()];
  const effects: string[] = [];
  const held = Promise.withResolvers<void>();
  const program = programOf({ a: { action: doing(effects, 'a', () => held.promise) } });
  const lease = 60_000;
  const right = engineOn(mine, [program], { lease });
  await right.engine.start();
  const state = instanceOf(program);
  await right.engine.begin(state);
  await until(() => effects.length === 1);
  const claims: number[] = [];
  const claim = theirs.claim.bind(theirs);
  theirs.claim = async (asked) => {
    const claimed = await claim(asked);
    claims.push(claimed.length);
    return claimed;
  };
  const clock: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 };
  const wrong = engineOn(theirs, [program], { lease, clock });
  await wrong.engine.start();
  await until(() => claims.length >= 3);
  expect([claims.slice(0, 3), effects]).toEqual([[0, 0, 0], ['a']]);
  held.resolve();
  await until(async () => (await mine.get(state.id))?.state.status === 'completed');
  await Promise.all([right.engine.stop(), wrong.engine.stop()]);
  await bed.close();
});
