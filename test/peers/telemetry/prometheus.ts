import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { makeFolder, startProgram } from '../../support/servers/program.ts';
import type { RunningServer } from '../../support/servers/server.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { Checks } from '../checks.ts';
import { GoModule, missingGo } from '../go.ts';
import type { Outcome, Peer } from '../peer.ts';
import { traced } from './service.ts';

const programs = new GoModule({
  name: 'prometheus',
  module: 'github.com/prometheus/prometheus',
  version: '0.316.0',
  programs: { prometheus: './cmd/prometheus', promtool: './cmd/promtool' },
  // Nothing is looked for in clouds.
  tags: 'remove_all_sd',
});

async function start(target: string): Promise<RunningServer> {
  const folder = makeFolder('prometheus');
  const port = await freePort();
  const file = join(folder, 'prometheus.yml');
  const settings = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms' },
    scrape_configs: [{ job_name: 'traced', static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(file, JSON.stringify(settings));
  return startProgram({
    program: await programs.path('prometheus'),
    args: [
      `--config.file=${file}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
    ],
    folder,
    address: `http://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers: async (address) => (await fetch(`${address}/-/ready`).catch(() => undefined))?.ok === true,
  });
}

/** The same with one process and with two, whose values are sums. */
async function run(): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const workers of ['1', '2'])
    for (const { check, ...outcome } of await runWith(workers))
      outcomes.push({ check: `${check}, workers: ${workers}`, ...outcome });
  return outcomes;
}

async function runWith(workers: string): Promise<readonly Outcome[]> {
  const directory = folderWith(traced);
  const service = await startService({ directory, args: ['--workers', workers] });
  try {
    for (const path of ['/count/abc', '/count/ab', '/fail', '/nowhere']) await fetch(service.address + path);
    const server = await start(new URL(service.admin).host);
    try {
      return await ask(server.address, service.admin);
    } finally {
      await server.stop();
    }
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function ask(server: string, admin: string): Promise<readonly Outcome[]> {
  const checks = new Checks();
  const data = async (path: string): Promise<unknown> =>
    ((await (await fetch(`${server}/api/v1/${path}`)).json()) as { readonly data: unknown }).data;
  const query = async (text: string): Promise<readonly Sample[]> =>
    ((await data(`query?query=${encodeURIComponent(text)}`)) as { readonly result: readonly Sample[] }).result;
  await until(async () => (await query('up')).length > 0, AbortSignal.timeout(30_000));

  await checks.same('it takes what the service says', [{ health: 'up', lastError: '' }], async () => {
    const { activeTargets } = (await data('targets')) as { readonly activeTargets: readonly Target[] };
    return activeTargets.map(({ health, lastError }) => ({ health, lastError }));
  });
  const page = await (await fetch(`${admin}/metrics`)).text();
  await checks.same('it has every metric of the page', namesOn(page), async () =>
    ((await data('label/__name__/values')) as readonly string[]).filter((name) => !itsOwn.test(name)).sort(),
  );
  const counted = ['/count/:name 200 2', '/fail 500 1', 'unmatched 404 1'];
  await checks.same('requests are counted by route and status', counted, async () =>
    (await query('svc_requests_total'))
      .map(({ metric, value }) => `${metric['path']} ${metric['status']} ${value[1]}`)
      .sort(),
  );
  await checks.same('times are a histogram', true, async () => {
    const [sample] = await query(
      'histogram_quantile(0.99, sum by (le) (svc_request_duration_seconds_bucket{path="/count/:name"}))',
    );
    const seconds = Number(sample?.value[1]);
    return seconds > 0 && seconds <= 10;
  });
  await checks.same('a metric has its type and its help', [{ type: 'counter', isThere: true }], async () => {
    const about = (await data('metadata?metric=svc_requests_total')) as Record<string, readonly Metadata[]>;
    return about['svc_requests_total']?.map(({ type, help }) => ({
      type,
      isThere: page.includes(help) && help !== '',
    }));
  });
  const promtool = await programs.path('promtool');
  await checks.same('promtool has nothing to say', '', () => lint(promtool, page));
  return checks.outcomes;
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

interface Target {
  readonly health: string;
  readonly lastError: string;
}

interface Metadata {
  readonly type: string;
  readonly help: string;
}

/** What it says itself about what it fetches. */
const itsOwn = /^(up|scrape_\w+)$/;

/** The names of its lines, each once. */
function namesOn(page: string): readonly string[] {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return [...new Set(lines.map((line) => /^\w+/.exec(line)?.[0] ?? ''))].sort();
}

function lint(promtool: string, page: string): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(promtool, ['check', 'metrics'], (_error, output, complaints) =>
      resolve(`${output}${complaints}`),
    );
    child.stdin?.end(page);
  });
}

export const prometheus: Peer = {
  name: 'Prometheus',
  version: '3 (0.316)',
  ran: 'metrics that it fetches, in its text format 0.0.4; `promtool check metrics`',
  needs: [],
  missing: missingGo,
  run,
  differs: [],
};
