import { setTimeout as pause } from 'node:timers/promises';
import type { Experiment } from './experiment.ts';
import type { Shown } from './flows.ts';
import { type Running, serves } from './running.ts';

const service = (lines: string) => `service {
  admin_port = 0
}
connector "api" {
  type = "rest"
  port = 0
}
${lines}
`;

/** A cache that keeps answers which differ whenever they are made; `look` asks for them by id. */
const cached = (lines: string, values: Experiment['values'], look: (service: Running) => Promise<unknown>) =>
  serves(
    service(`connector "memory" {
  type   = "cache"
  driver = "memory"
  ${lines}
}
flow "kept" {
  from {
    connector = "api"
    operation = "GET /kept/:id"
  }
  cache {
    storage = "memory"
    key     = "\${input.id}"
  }
  response {
    made = "uuid()"
  }
}`),
    values,
    look,
  );

/** Whether the first of these answers is still there after the others. */
async function isKept({ ask, api }: Running, others: readonly string[], milliseconds: number): Promise<boolean> {
  const first = await ask(api, '/kept/1');
  for (const id of others) await ask(api, `/kept/${id}`);
  await pause(milliseconds);
  return String(await ask(api, '/kept/1')) === String(first);
}

export const memoryCache: Shown = {
  max_items: cached('max_items = §', ['1', '10'], (running) => isKept(running, ['2', '3'], 0)),
  default_ttl: cached('default_ttl = §', ['"10ms"', '"1h"'], (running) => isKept(running, [], 50)),
};

export const sqlite: Shown = {
  database: serves(
    service('connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = §\n}'),
    ['"one.db"', '"two.db"'],
    async (running) => running.tables(),
  ),
};
