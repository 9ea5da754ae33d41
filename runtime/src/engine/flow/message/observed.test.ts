import { describe, expect, test } from 'vitest';
import type { FlowProbe } from '../../../foundation/contracts/probe.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Answer, serve } from '../../plan/testing/service.ts';

/** A probe that records its notifications; `hold` may make it wait. */
function recordingProbe(hold: (stage: string, rule: number) => void | Promise<void> = () => undefined) {
  const seen: string[] = [];
  const record = (what: string, stage: string, name: string, rule: number) =>
    seen.push(`${what} ${stage}${name && ` ${name}`}${rule < 0 ? '' : ` #${rule}`}`);
  const probe: FlowProbe = {
    attached: true,
    begin: (flow) => {
      seen.push(`begin ${flow}`);
      return 'thread';
    },
    enter: (thread, { stage, name }, rule) => {
      expect(thread).toBe('thread');
      record('>', stage, name, rule?.index ?? -1);
      return hold(stage, rule?.index ?? -1);
    },
    leave: (_thread, { stage, name }, rule, _frame, error) => {
      record(error === undefined ? '<' : '!', stage, name, rule?.index ?? -1);
    },
    end: (_thread, error) => {
      seen.push(error === undefined ? 'end' : `end ${(error as Error).message}`);
    },
  };
  return { seen, probe };
}

const everything = `type "t" { n = number }
transform "named" { first = "1" }
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
    filter    = "true"
  }
  accept { when = "true" }
  validate { input = "t" }
  step "s" {
    connector = "db"
    target    = "s"
    when      = "true"
    params    = { a = "input.n", b = 2 }
  }
  enrich "e" {
    connector = "db"
    operation = "e"
    params { a = "input.n" }
  }
  transform {
    use    = "named"
    second = "output.first + 1"
  }
  to {
    connector = "db"
    target    = "t"
  }
  response {
    http_status_code = "201"
    id = "output.id"
  }
}`;
const answer: Answer = ({ description }) => (description.verb === 'read' ? { rows: [] } : { affected: 1, id: 5 });

describe('a watched flow', () => {
  test('announces every stage and rule in order, and answers like one that is not watched', async () => {
    const { seen, probe } = recordingProbe();
    const watched = await serve(everything, { probe, answer });
    const plain = await serve(everything, { answer });
    expect(await watched.deliver('f', { n: 1 })).toEqual(plain.deliver('f', { n: 1 }));
    expect(seen).toEqual([
      'begin f',
      ...['> input', '< input', '> sanitize', '< sanitize'],
      ...['> filter', '> filter #0', '< filter #0', '< filter'],
      ...['> accept', '> accept #0', '< accept #0', '< accept'],
      ...['> validate_input', '< validate_input', '> step s'],
      ...['> step s #0', '< step s #0', '> step s #1', '< step s #1', '> step s #2', '< step s #2', '< step s'],
      ...['> enrich e', '> enrich e #0', '< enrich e #0', '< enrich e'],
      ...['> transform', '> transform #0', '< transform #0', '> transform #1', '< transform #1', '< transform'],
      ...[
        '> write db',
        '< write db',
        '> response',
        '> response #0',
        '< response #0',
        '> response #1',
        '< response #1',
        '< response',
      ],
      ...['> validate_output', '< validate_output'],
      'end',
    ]);
  });

  test('waits where the probe holds it', async () => {
    const gate = Promise.withResolvers<void>();
    const { seen, probe } = recordingProbe((stage, rule) =>
      stage === 'transform' && rule === 1 ? gate.promise : undefined,
    );
    const service = await serve(everything, { probe, answer });
    const outcome = service.deliver('f', { n: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.at(-1)).toBe('> transform #1');
    gate.resolve();
    expect(await outcome).toMatchObject({ status: 201 });
  });

  test('reports where it failed', async () => {
    const { seen, probe } = recordingProbe();
    const service = await serve(everything.replace('output.first + 1', 'input.missing'), { probe, answer });
    expect(() => service.deliver('f', { n: 1 })).toThrow(Failure);
    expect(seen.slice(-4)).toEqual([
      '> transform #1',
      '! transform #1',
      '! transform',
      'end transform: second: no such key: missing',
    ]);
  });

  test('announces each of several destinations, and the rules of its own transform', async () => {
    const { seen, probe } = recordingProbe();
    const service = await serve(
      `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  to {
    connector = "db"
    target    = "a"
    parallel  = false
    transform { x = "1" }
  }
  to {
    connector = "db"
    target    = "b"
    parallel  = false
  }
}`,
      { probe },
    );
    expect(await service.deliver('f', { n: 1 })).toMatchObject({ value: { success: true } });
    expect(seen.filter((each) => each.includes('write'))).toEqual([
      ...['> write db:a', '> write db:a #0', '< write db:a #0', '< write db:a', '> write db:b', '< write db:b'],
    ]);
  });

  test('announces hits and misses of the cache', async () => {
    const { seen, probe } = recordingProbe();
    const service = await serve(
      `flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  cache { storage = "memory" }
  to {
    connector = "db"
    target    = "t"
  }
}`,
      { probe, answer },
    );
    await service.deliver('f');
    await service.deliver('f');
    expect(seen.filter((each) => /cache|read/.test(each))).toEqual([
      ...['> cache_miss', '< cache_miss', '> read t', '< read t', '> cache_hit', '< cache_hit'],
    ]);
  });

  test('announces what is taken before the rest of the flow, with its key', async () => {
    const { seen, probe } = recordingProbe();
    const service = await serve(
      `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  lock { key = "'a:' + string(input.n)" }
  semaphore {
    key   = "pool"
    limit = 1
  }
  to {
    connector = "db"
    target    = "t"
  }
}`,
      { probe, answer },
    );
    await service.deliver('f', { n: 1 });
    await expect((async () => service.deliver('f', {}))()).rejects.toThrow('lock: key');
    expect(seen.filter((each) => /lock|semaphore|write/.test(each))).toEqual([
      ...['> lock', '> lock #0', '< lock #0', '< lock', '> semaphore', '< semaphore', '> write db', '< write db'],
      ...['> lock', '> lock #0', '! lock #0', '! lock', 'end lock: key: no such key: n'],
    ]);
  });
});

test('at response and validate_output, output is what the stage works on', async () => {
  const seen: unknown[] = [];
  const probe: FlowProbe = {
    attached: true,
    begin: () => 'thread',
    enter: (_thread, { stage }, rule, frame) => {
      if (rule === undefined && (stage === 'response' || stage === 'validate_output'))
        seen.push([stage, (frame as { output: unknown }).output]);
    },
    leave: () => undefined,
    end: () => undefined,
  };
  const text = `type "t" { n = number }
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  validate { output = "t" }
  transform { sent = "input.n" }
  to {
    connector = "db"
    target    = "t"
  }
  response { n = "output.id" }
}
`;
  const service = await serve(text, { probe, answer: () => ({ affected: 1, id: 7 }) });
  await service.deliver('f', { n: 1 });
  expect(seen).toEqual([
    ['response', { id: 7, affected: 1n }],
    ['validate_output', { n: 7 }],
  ]);
});
