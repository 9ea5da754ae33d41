import { expect, test } from 'vitest';
import { projectOf } from '../../checks/rules/testing/problems.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { MemoryStorage } from '../../platform/sync/memory/storage.ts';
import { compilePlan } from './compile.ts';
import { claimsJobs } from './jobs-binding.ts';
import { planServices } from './testing/plan-services.ts';

const flow = (name: string, connector: string, operation: string, more = '') => `flow "${name}" {
  from {
    connector = "${connector}"
    operation = "${operation}"
  }
  ${more}
  response {
    ok = "true"
  }
}
`;
const job = 'async { storage = "memory" }';

function operationsOf(flows: string): Readonly<Record<string, readonly string[]>> {
  const project = projectOf(`connector "api" {
  type = "rest"
}
connector "other" {
  type = "rest"
  port = 3001
}
connector "memory" {
  type   = "cache"
  driver = "memory"
}
${flows}`);
  const storage = new MemoryStorage({ eviction: 'lru', maxItems: 1, defaultTtl: undefined }, systemClock);
  const connectors = new Map<string, Connector>(
    ['api', 'other', 'memory'].map((name) => [
      name,
      { name, open: async () => undefined, close: async () => undefined, ...(name === 'memory' ? { storage } : {}) },
    ]),
  );
  const { bindings } = compilePlan(project).bind(connectors, planServices());
  return Object.fromEntries(
    [...bindings].map(([name, bound]) => [name, bound.map(({ flow: of, operation }) => `${of}: ${operation}`)]),
  );
}

test('REST servers with an async flow answer for its jobs, the others do not', () => {
  expect(
    operationsOf(flow('a', 'api', 'POST /a', job) + flow('b', 'api', 'POST /b', job) + flow('c', 'other', 'POST /c')),
  ).toEqual({
    api: ['a: POST /a', 'b: POST /b', ': GET /jobs/:job_id'],
    other: ['c: POST /c'],
  });
});

test('a flow that claims the path wins', () => {
  const claimed = flow('a', 'api', 'POST /a', job) + flow('jobs', 'api', 'GET /jobs/:id');
  expect(operationsOf(claimed)).toEqual({ api: ['a: POST /a', 'jobs: GET /jobs/:id'] });
  expect(
    [
      '/jobs/{id}',
      'GET /jobs/:x',
      'GET /jobs',
      'GET /jobs/all',
      'POST /jobs/:id',
      'GET /jobs/:id/log',
      'GET /:kind/:id',
      undefined,
    ].map(claimsJobs),
  ).toEqual([true, true, false, false, false, false, false, false]);
});
