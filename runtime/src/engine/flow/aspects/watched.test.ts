import { describe, expect, test } from 'vitest';
import type { FlowProbe } from '../../../foundation/contracts/probe.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Answer, serve } from '../../plan/testing/service.ts';

/** A probe that records the aspects that are announced to it, and what their rules read of `result`. */
function recordingProbe() {
  const seen: string[] = [];
  const probe: FlowProbe = {
    attached: true,
    begin: () => 'thread',
    enter: (thread, { stage, name }, rule, scope) => {
      expect(thread).toBe('thread');
      if (stage === 'write') seen.push('write');
      if (stage !== 'aspect') return;
      const { result, _flow } = scope as { result?: { affected?: bigint }; _flow?: string };
      const read = rule === undefined ? '' : ` #${rule.index} ${rule.target} ${_flow} ${result?.affected}`;
      seen.push(`> ${name}${read}`);
      if (rule !== undefined) expect(rule.variables).toContain('result');
    },
    leave: (_thread, { stage, name }, rule, _scope, error, result) => {
      if (stage !== 'aspect') return;
      const gave = rule === undefined ? '' : ` #${rule.index} ${result}`;
      seen.push(error === undefined ? `< ${name}${gave}` : `! ${name}${rule ? ` #${rule.index}` : ''}`);
    },
    end: () => undefined,
  };
  return { seen, probe };
}

const configuration = `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
    filter    = "input.n != 0"
  }
  to {
    connector = "db"
    target    = "t"
  }
}
aspect "early" {
  on   = ["f"]
  when = "before"
  if   = "input.n > 0"
  action {
    connector = "peer"
    transform {
      a = "input.n"
      b = "output.a + 1"
    }
  }
}
aspect "breaker" {
  on   = ["f"]
  when = "around"
  if   = "input.n < 9"
  circuit_breaker {
    failure_threshold = 1
    timeout           = "1h"
  }
}
aspect "more" {
  on   = ["f"]
  when = "after"
  if   = "result.affected > 0"
  action {
    connector = "peer"
    transform { at = "_flow" }
  }
  response { total = "size(result.data)" }
}
aspect "alarm" {
  on   = ["f"]
  when = "on_error"
  if   = "input.missing"
  action { connector = "peer" }
}
aspect "headed" {
  on   = ["f"]
  when = "on_drop"
  action { connector = "peer" }
}
`;

const answer: Answer = ({ connector, payload }) => {
  if (connector === 'db' && payload?.['n'] === 5n) throw new Failure('connector_failed', 'away');
  return { affected: 1 };
};

describe('a watched flow', () => {
  test('announces its aspects with their rules, and answers like one that is not watched', async () => {
    const { seen, probe } = recordingProbe();
    const watched = await serve(configuration, { probe, answer });
    const plain = await serve(configuration, { answer });
    expect(await watched.deliver('f', { n: 1n })).toEqual(await plain.deliver('f', { n: 1n }));
    expect(watched.calls.map(({ payload }) => payload)).toEqual(plain.calls.map(({ payload }) => payload));
    expect(seen).toEqual([
      ...['> early', '> early #0 if f undefined', '< early #0 true'],
      ...['> early #1 a f undefined', '< early #1 1', '> early #2 b f undefined', '< early #2 2', '< early'],
      ...['> breaker', '> breaker #0 if f undefined', '< breaker #0 true', '< breaker', 'write'],
      ...['> more', '> more #0 if f 1', '< more #0 true', '> more #1 at f 1', '< more #1 f'],
      ...['> more #2 total f 1', '< more #2 1', '< more'],
    ]);
  });

  test('announces what follows a failure and a drop', async () => {
    const { seen, probe } = recordingProbe();
    const service = await serve(configuration, { probe, answer });
    await expect(service.deliver('f', { n: 5n })).rejects.toThrow('away');
    expect(seen.slice(-4)).toEqual(['> alarm', '> alarm #0 if f undefined', '! alarm #0', '< alarm']);
    await service.deliver('f', { n: 0n });
    expect(seen.slice(-2)).toEqual(['> headed', '< headed']);
    expect(service.metrics.families.aspectErrors.of('alarm', 'f').value).toBe(1);
  });
});
