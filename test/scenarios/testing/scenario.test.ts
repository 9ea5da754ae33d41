import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { program, runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { copyConfiguration } from '../scenario.ts';

const example = join(import.meta.dirname, '../../../examples/orders');
let directory: string;

beforeEach(() => {
  directory = copyConfiguration(example);
});

afterEach(() => rmSync(directory, { recursive: true }));

const flowFile = () => join(directory, 'flows/create-order.hcl');
const change = (from: string, to: string) =>
  writeFileSync(flowFile(), readFileSync(flowFile(), 'utf8').replace(from, to));

test('svc test runs the tests of a service, and shows the rule of a value that is not expected', async () => {
  expect(await runCommand(['test', directory])).toMatchObject({ code: 0, stderr: '' });
  change('input.quantity * input.unit_price', 'input.quantity + input.unit_price');
  const { code, stdout } = await runCommand(['test', '-c', directory, '--filter', 'create-order']);
  expect(code).toBe(1);
  expect(stdout).toContain('create_order › transform › total  flows/create-order.hcl:18:18');
  expect(stdout).toContain('= input.quantity = 3');
  expect(stdout).toContain('1 failed, 3 passed, 8 left out');
});

test('svc test --watch runs again after a change and ends with a signal, with the status of the last run', async () => {
  const child = spawn(process.execPath, [program, 'test', directory, '--watch'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let out = '';
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  const ended = once(child, 'close');
  try {
    await until(() => out.includes('12 passed'));
    change('input.quantity * input.unit_price', 'input.quantity + input.unit_price');
    await until(() => out.includes('1 failed, 11 passed'));
  } finally {
    child.kill('SIGINT');
  }
  expect(await ended).toEqual([1, null]);
});
