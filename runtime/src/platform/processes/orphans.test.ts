import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { until } from '../../../../test/support/until.ts';
import { isAlive } from './testing/alive.ts';

/** A process that starts programs, as a service does, and is killed. */
const starter = `
import { Program } from ${JSON.stringify(join(import.meta.dirname, 'program.ts'))};
const options = { stop: new AbortController().signal, killAfter: 0, maxStderr: 0 };
const start = (script) =>
  new Program({ file: '/bin/sh', args: ['-c', script], env: { PATH: process.env.PATH }, cwd: process.argv[2] }, options);
for (let at = 0; at < 5; at++) await start('true').gone;
start("trap '' TERM HUP; sh -c 'echo $$ > inner; exec sleep 1000' & echo $$ > outer; wait");
`;

test('S-51: programs end with a service that is killed, those before them are forgotten', async () => {
  const folder = folderWith({ 'starter.mjs': starter });
  const child = spawn(process.execPath, [join(folder, 'starter.mjs'), folder], { stdio: 'inherit' });
  const pid = (name: string) => until(() => Number(readFileSync(join(folder, name), 'utf8')) || undefined);
  const pids = [await pid('outer'), await pid('inner')];
  expect(pids.map(isAlive)).toEqual([true, true]);
  child.kill('SIGKILL');
  await until(() => !pids.some(isAlive));
});
