import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './peer.ts';

/** Outcomes of checks that this program does itself. */
export class Checks {
  readonly outcomes: Outcome[] = [];

  /** Does one: whatever it throws is why it failed. */
  async check(name: string, does: () => unknown): Promise<void> {
    try {
      await does();
      this.outcomes.push({ check: name });
    } catch (error) {
      const [line = 'failed'] = String(error).split('\n', 1);
      this.outcomes.push({ check: name, error: line });
    }
  }

  /** What is found has to be the whole value that is expected. */
  async same(name: string, expected: unknown, find: () => unknown): Promise<void> {
    await this.check(name, async () => {
      const found = await find();
      if (!isDeepStrictEqual(found, expected))
        throw new Error(`expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
    });
  }
}
