import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../../../../../test/support/folder.ts';
import { freePort } from '../../../../../test/support/free-port.ts';
import { assemble } from '../../../../../test/support/wasm.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { serviceOf } from '../../../service/index.ts';

/** A line of the log of a service. */
export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const running: (() => Promise<unknown>)[] = [];

/** Ends what was started; for `afterEach`. */
export async function stopServices(): Promise<void> {
  await Promise.all(running.splice(0).map((stop) => stop()));
}

/** A service of a folder: its files, and modules that are written as text, by their paths. */
export async function startModules(files: Readonly<Record<string, string>>, modules: Readonly<Record<string, string>>) {
  const directory = folderWith(files);
  for (const [path, source] of Object.entries(modules)) await writeModule(directory, path, source);
  const lines: Line[] = [];
  const port = await freePort();
  const variables = { PORT: String(port), ADMIN_PORT: String(await freePort()), KEY: 'a-key-that-is-secret' };
  const service = serviceOf({ directory, log: logTo(lines), variables });
  await service.start();
  running.push(() => service.stop());
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    return [answer.status, text === '' ? undefined : JSON.parse(text)] as const;
  };
  /** Posts a text of JSON as it is; resolves with the text of the answer. */
  const said = async (path: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers })).text();
  };
  const metrics = async () => (await fetch(`http://127.0.0.1:${variables.ADMIN_PORT}/metrics`)).text();
  const health = async () => (await fetch(`http://127.0.0.1:${variables.ADMIN_PORT}/health`)).json();
  return { directory, lines, ask, said, metrics, health, service };
}

export async function writeModule(directory: string, path: string, source: string): Promise<void> {
  writeFileSync(join(directory, path), await assemble(source));
}

function logTo(lines: Line[], own: Readonly<Record<string, unknown>> = {}): Log {
  const write =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void lines.push({ level, message, fields: { ...own, ...fields } });
  return {
    enabled: () => true,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => logTo(lines, { ...own, ...fields }),
  };
}
