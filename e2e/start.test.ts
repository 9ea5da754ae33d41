import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { until } from '../test/support/until.ts';
import { ask } from './example.ts';

const root = join(import.meta.dirname, '..');
const taken: Server[] = [];

afterEach(() => {
  for (const server of taken.splice(0)) server.close();
});

/** Listens on a port, unless another process does so already. */
function take(port: number): Promise<void> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve());
    server.listen(port, () => {
      taken.push(server);
      resolve();
    });
  });
}

test.skipIf(process.platform === 'win32')(
  'npm start serves the example beside taken ports and ends on an interrupt',
  async () => {
    await take(3000);
    await take(9090);
    const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
    const child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs')], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DATABASE: join(folder, 'orders.db'), XDG_CONFIG_HOME: folder, NO_COLOR: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece));
    const ended = new Promise<unknown>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));

    await until(() => /Ctrl-C/.test(output) || child.exitCode !== null);
    expect(output).toMatch(
      /^start: building\nstart: applying migrations\nstart: starting the service and the studio\n/m,
    );
    expect(output.trimEnd()).toMatch(/Ctrl-C ends it\.$/);
    const port = Number(/service +http:\/\/localhost:(\d+)\/orders/.exec(output)?.[1]);
    const adminPort = Number(/admin +http:\/\/localhost:(\d+)\/health/.exec(output)?.[1]);
    expect(
      [port, adminPort].map((each) => each > 0 && each !== 3000 && each !== 9090),
      output,
    ).toEqual([true, true]);
    expect(await ask('GET', `http://127.0.0.1:${port}/orders`)).toEqual({
      status: 200,
      body: { orders: [], count: 0 },
    });

    const studio = /studio +(http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)/.exec(output)?.[1];
    if (existsSync(join(root, 'studio', 'vite.config.ts'))) {
      const answer = await fetch(studio!, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    }

    // As a terminal does it: every process of the group gets the signal.
    process.kill(-child.pid!, 'SIGINT');
    expect(await ended, output).toEqual({ code: 0, signal: null });
    await expect(fetch(`http://127.0.0.1:${port}/orders`)).rejects.toThrow();
    if (studio !== undefined)
      await until(() =>
        fetch(studio).then(
          () => false,
          () => true,
        ),
      );
    rmSync(folder, { recursive: true });
  },
);
