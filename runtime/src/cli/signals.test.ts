import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';

const program = `
import { handleSignals } from ${JSON.stringify(join(import.meta.dirname, 'signals.ts'))};
const open = setInterval(() => {}, 1000);
const say = (word) => console.log(word);
handleSignals({
  stop: () => { say('stop'); setTimeout(say, 400, 'later'); },
  stopNow: (status) => { say('now ' + status); clearInterval(open); },
  reload: () => say('reload'),
});
say('ready');
`;

let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill('SIGKILL');
});

/** Starts a program that says what signals ask of it. */
function start(): { kill(signal: NodeJS.Signals): void; said(): string[] } {
  const started = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  let output = '';
  started.stdout.on('data', (piece) => (output += piece));
  return { kill: (signal) => void started.kill(signal), said: () => output.trimEnd().split('\n') };
}

test('one key press that arrives twice stops once; a later one stops at once', async () => {
  const { kill, said } = start();
  await until(() => said().includes('ready'));
  kill('SIGINT');
  await until(() => said().includes('stop'));
  kill('SIGINT');
  await until(() => said().includes('later'));
  expect(said()).toEqual(['ready', 'stop', 'later']);
  kill('SIGINT');
  await until(() => said().includes('now 130'));
  expect(said()).toEqual(['ready', 'stop', 'later', 'now 130']);
});

test('a hangup reloads, a second SIGTERM stops at once', async () => {
  const { kill, said } = start();
  await until(() => said().includes('ready'));
  kill('SIGHUP');
  await until(() => said().includes('reload'));
  kill('SIGTERM');
  await until(() => said().includes('stop'));
  kill('SIGTERM');
  await until(() => said().includes('now 143'));
  expect(said()).toEqual(['ready', 'reload', 'stop', 'now 143']);
});
