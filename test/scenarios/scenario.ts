import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Exit, runCommand, type ServiceOptions, startService } from '../support/service.ts';

/** One answer as its caller sees it. */
export interface Answer {
  readonly status: number;
  /** Without those that describe the connection and the moment. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The decoded body when it is JSON; undefined when there is no body. */
  readonly body: unknown;
}

/** A body: an object or list is sent as JSON, text as JSON unless a header says otherwise, a form as multipart. */
export type Sent = object | string | FormData | undefined;

/** A service started on a copy of the configuration of a scenario, which tests may change. */
export interface Scenario {
  readonly directory: string;
  readonly address: string;
  readonly admin: string;
  readonly pid: number;
  readonly log: string;
  ask(method: string, path: string, body?: Sent, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The value of one series on the admin port, named as it is exposed; undefined when it is not there. */
  metric(series: string): Promise<number | undefined>;
  /** Writes a file of the configuration. */
  write(file: string, text: string): void;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
  /** Kills what still runs and removes the copy. */
  end(): Promise<void>;
}

/** A copy of the `.hcl` files of a folder, in a folder of its own. */
export function copyConfiguration(folder: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-scenario-'));
  cpSync(folder, directory, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  return directory;
}

/** Starts the service of a folder; `prepare` runs on the copy before. */
export async function startScenario(
  folder: string,
  options: Omit<ServiceOptions, 'directory'> & { readonly prepare?: (directory: string) => void | Promise<void> } = {},
): Promise<Scenario> {
  const directory = copyConfiguration(folder);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  await options.prepare?.(directory);
  const service = await startService({ ...options, directory }).catch((error: unknown) => {
    remove();
    throw error;
  });
  const { address, admin, pid } = service;
  return {
    directory,
    address,
    admin,
    pid,
    get log() {
      return service.log;
    },
    ask: (method, path, body, headers) => ask(method, address + path, body, headers),
    metric: async (series) => metricIn((await ask('GET', `${admin}/metrics`)).text, series),
    write: (file, text) => writeFileSync(join(directory, file), text),
    stop: (signal) => service.stop(signal),
    async end() {
      await service.stop('SIGKILL');
      remove();
    },
  };
}

/** Applies the migrations of these databases. */
export async function migrate(
  directory: string,
  connectors: readonly string[],
  env: Record<string, string> = {},
): Promise<void> {
  for (const connector of connectors) {
    const { code, stdout, stderr } = await runCommand(['migrate', '-c', directory, '--connector', connector], env);
    if (code !== 0) throw new Error(`migrations of "${connector}" failed:\n${stdout}${stderr}`);
  }
}

/** One request. */
export async function ask(
  method: string,
  url: string,
  body?: Sent,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const sent = body === undefined || isForm || typeof body === 'string' ? body : JSON.stringify(body);
  const type: Record<string, string> = sent === undefined || isForm ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    redirect: 'manual',
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !ofTheMoment.has(name))),
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text === '' ? undefined : text,
  };
}

const ofTheMoment = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** The value of a series such as `svc_flow_drops_total{flow="a",reason="filter"}` in an exposition. */
export function metricIn(exposition: string, series: string): number | undefined {
  const line = exposition.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
