import { expect, test } from 'vitest';
import { CacheEvents } from '../flow/cache-events.ts';
import { flowsOf } from '../flow/declarations.ts';
import { Frame } from '../flow/message/frame.ts';
import type { SagaProgram } from '../workflows/program.ts';
import { createExpressionEngine } from './engine.ts';
import { Expressions } from './expressions.ts';
import { bindFlow } from './flows.ts';
import { planServices } from './testing/plan-services.ts';
import { load, messageOf } from './testing/service.ts';

const configuration = `saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
  }
  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "holds"
      data      = { van_id = "input.van_id" }
    }
    delay = "1d"
  }
}`;

test('a saga that pauses is there for the engine; watched, each of its actions is a thread', async () => {
  const project = load(configuration);
  const [declaration] = flowsOf(project);
  if (declaration === undefined) throw new Error('there is no saga');
  const programs = new Map<string, SagaProgram>();
  const seen: unknown[] = [];
  const probe = {
    attached: true,
    begin: (flow: string) => {
      seen.push(`begin ${flow}`);
      return 'thread';
    },
    enter: (thread: unknown, { name }: { name: string }, rule: { target: string } | undefined) =>
      void seen.push(`${thread} ${name} ${rule?.target ?? ''}`),
    leave: () => undefined,
    end: (thread: unknown, error: unknown, output: unknown) => void seen.push([`end ${thread}`, error, output]),
  };
  const db = {
    name: 'db',
    open: async () => undefined,
    close: async () => undefined,
    target: { prepare: () => () => ({ rows: [{ id: 3n }] }) },
  };
  const { stages } = bindFlow(declaration, {
    project,
    plugins: { sanitizers: () => [] },
    expressions: new Expressions(createExpressionEngine()),
    types: new Map(),
    connectors: new Map([['db', db]]),
    services: planServices({ probe }),
    events: new CacheEvents(),
    flows: new Map(),
    workflows: { programs, start: async () => undefined },
    called: () => undefined,
    keepsAnswers: () => undefined,
  });
  expect(stages.map(({ stage, name }) => `${stage} ${name}`.trim())).toContain('step hold.action');
  const program = programs.get('rent');
  expect(program).toMatchObject({ name: 'rent', pauses: true, steps: [{ name: 'hold', delay: 86_400_000 }] });
  const act = () => program?.steps[0]?.action?.(new Frame(messageOf({ van_id: 7n }), {}));
  expect(await act()).toEqual({ id: 3n });
  expect(seen).toEqual([
    'begin rent',
    'thread hold.action ',
    'thread hold.action data.van_id',
    ['end thread', undefined, { id: 3n }],
  ]);
  probe.attached = false;
  expect(await act()).toEqual({ id: 3n });
  expect(seen).toHaveLength(4);
});
