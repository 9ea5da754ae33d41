import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../support/servers/program.ts';
import { startRedisCluster } from '../../support/servers/redis-cluster.ts';
import type { RedisNode } from '../../support/servers/redis-node.ts';
import { startWatchedRedis } from '../../support/servers/redis-sentinel.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

/** Servers of one mode. */
interface Servers {
  /** Two addresses that a configuration names. */
  readonly nodes: readonly [string, string];
  /** One that can be missed, and what a check says of it then. */
  readonly spare: RedisNode;
  readonly missing: RegExp;
  stop(): Promise<void>;
}

async function cluster(): Promise<Servers> {
  const { nodes, replicas, stop } = await startRedisCluster(1);
  const [spare] = replicas as [RedisNode];
  const missing = new RegExp(`1 of 4 nodes of the cluster have failed: 127\\.0\\.0\\.1:${spare.port}`);
  return { nodes: [nodes[0] as string, nodes[1] as string], spare, missing, stop };
}

async function sentinel(): Promise<Servers> {
  const { node, replica, stop } = await startWatchedRedis({ servers: 'geheim' });
  const missing = new RegExp(
    `1 of 2 sentinels do not answer: 127\\.0\\.0\\.1:1; replicas are down: 127\\.0\\.0\\.1:${replica.port}`,
  );
  return { nodes: [node, '127.0.0.1:1'], spare: replica, missing, stop };
}

describe.skipIf(findProgram('redis-server') === undefined).each([
  ['cluster', cluster],
  ['sentinel', sentinel],
] as const)('two processes in front of a %s', (engine, start) => {
  let servers: Servers;
  let processes: readonly [Scenario, Scenario];
  let environment: Record<string, string>;

  beforeAll(async () => {
    servers = await start();
    environment = { NODE_1: servers.nodes[0], NODE_2: servers.nodes[1] };
    const startOne = () =>
      startScenario(import.meta.dirname, {
        env: environment,
        prepare: (directory) => {
          cpSync(join(directory, 'engines', engine), directory, { recursive: true });
          rmSync(join(directory, 'engines'), { recursive: true });
        },
      });
    processes = [await startOne(), await startOne()];
  });

  afterAll(async () => {
    await Promise.all((processes ?? []).map((each) => each.end()));
    await servers?.stop();
  });

  const body = async (at: 0 | 1, method: string, path: string, sent?: object) =>
    (await processes[at].ask(method, path, sent)).body;
  const entryOf = async (at: 0 | 1, id: string) => (await body(at, 'GET', `/entries/${id}`)) as { value: unknown };

  test('X-12: what one process changes, the other one forgets', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `k${at}`);
    for (const id of ids) {
      await body(0, 'PUT', `/entries/${id}`, { value: 'first' });
      expect([await entryOf(0, id), await entryOf(1, id)]).toEqual([{ value: 'first' }, { value: 'first' }]);
    }
    for (const id of ids) {
      await body(0, 'PUT', `/entries/${id}`, { value: 'second' });
      expect(await entryOf(0, id)).toEqual({ value: 'second' });
      await until(async () => (await entryOf(1, id)).value === 'second');
    }
    for (const id of ids) {
      expect(await body(1, 'DELETE', `/entries/${id}`)).toEqual({ dropped: 1 });
      await until(async () => (await entryOf(0, id)).value === 'none');
    }
  });

  test('a counter with a limit lets exactly so many through in both processes together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, at) => body(at % 2 === 0 ? 0 : 1, 'POST', '/counters/shared')),
    );
    const counted = answers as readonly { value: number; allowed: boolean }[];
    const allowed = counted.filter((answer) => answer.allowed).map(({ value }) => value);
    expect(allowed.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect(new Set(counted.filter((answer) => !answer.allowed).map(({ value }) => value))).toEqual(new Set([50]));
  });

  test('a check names what is missing, and the service continues without it', async () => {
    const check = async () => {
      const { code, stdout, stderr } = await runCommand(['check', '-c', processes[0].directory], environment);
      return { code, text: `${stdout}${stderr}` };
    };
    await servers.spare.stop();
    await until(async () => servers.missing.test((await check()).text));
    const { code, text } = await check();
    expect([code, text.includes('geheim')]).toEqual([0, false]);
    await body(0, 'PUT', '/entries/after', { value: 1 });
    expect(await entryOf(1, 'after')).toEqual({ value: 1 });
  });
});
