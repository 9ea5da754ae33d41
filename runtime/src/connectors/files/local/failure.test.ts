import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { type SmallDisk, smallDisk } from '../../../../../test/support/small-disk.ts';
import { Content } from '../../../foundation/contracts/content.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create } from './connector.ts';
import { failureOf } from './failure.ts';
import { file } from './spec.ts';

let folder: string;
let files: TargetConnector;
beforeEach(() => {
  folder = folderWith();
});
afterEach(async () => {
  await files?.close();
  rmSync(folder, { recursive: true });
});

async function open(at: string): Promise<void> {
  files = create('files', configured(file.config, { base_path: at }), connectorServices()) as TargetConnector;
  await files.open(new AbortController().signal);
}

async function ask(operation: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  const description = { verb: 'call', operation, target: undefined, query: undefined, timeout: undefined } as const;
  const execute = files.target.prepare({ ...description, exact: false, flow: 'f', label: 'step "s"' });
  return (await execute({ params })).value;
}

async function failing(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as Failure,
  );
}

/** Bytes that come in pieces, as an upload. */
function contentOf(size: number): Content {
  const pieces = function* () {
    for (let left = size; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), 'x');
  };
  const stream = () => Readable.from(pieces(), { objectMode: false });
  const bytes = { size, once: false, inMemory: undefined, stream, read: () => Buffer.alloc(0) };
  return new Content(bytes, { filename: '', contentType: '' }, new Uint8Array());
}

describe('a disk of its own', () => {
  let mounted: SmallDisk | undefined;
  let disk: string;
  /** Mounts it; the reason why that cannot be done. */
  function mount(size: string): string | undefined {
    mounted = smallDisk(size);
    disk = mounted?.path ?? '';
    return mounted === undefined ? 'no file system can be mounted here' : undefined;
  }
  afterEach(async () => {
    await files?.close();
    mounted?.[Symbol.dispose]();
  });

  test('R-79, A-15: that is full is a failure that may be retried, leaves what was there, and is used again when there is space', async ({
    skip,
  }) => {
    const reason = mount('256k');
    if (reason !== undefined) return skip(reason);
    await open(disk);
    await ask('write', { path: 'kept.txt', content: 'before' });
    await ask('append', { path: 'lines.txt', content: 'first\n', format: 'text' });
    const asked = [
      () => ask('write', { path: 'kept.txt', content: contentOf(400_000) }),
      () => ask('write', { path: 'in/new.txt', content: contentOf(400_000) }),
      () => ask('append', { path: 'lines.txt', content: contentOf(400_000) }),
      () => ask('append', { path: 'other.txt', content: contentOf(400_000) }),
    ];
    for (const each of asked) {
      const { code, retriable, message } = await failing(each());
      expect([code, retriable, message]).toEqual([
        'connector_refused',
        true,
        expect.stringMatching(/: no space is left on the device$/),
      ]);
    }
    expect(readdirSync(disk, { recursive: true }).sort()).toEqual(['in', 'kept.txt', 'lines.txt']);
    expect(['kept.txt', 'lines.txt'].map((path) => readFileSync(join(disk, path), 'utf8'))).toEqual([
      'before',
      'first\n',
    ]);
    await ask('write', { path: 'kept.txt', content: 'after' });
    expect(readFileSync(join(disk, 'kept.txt'), 'utf8')).toBe('after');
  });

  test('that is read-only is read, and refuses what changes it', async ({ skip }) => {
    const reason = mount('256k');
    if (reason !== undefined) return skip(reason);
    writeFileSync(join(disk, 'a.txt'), 'text');
    mounted?.readOnly(true);
    await open(disk);
    expect(await ask('read', { path: 'a.txt' })).toEqual([{ content: 'text' }]);
    for (const [operation, params] of [
      ['write', { path: 'a.txt', content: 'x' }],
      ['append', { path: 'a.txt', content: 'x', format: 'text' }],
      ['delete', { path: 'a.txt' }],
      ['mkdir', { path: 'in' }],
      ['move', { source: 'a.txt', destination: 'b.txt' }],
    ] as const) {
      const { code, retriable, message } = await failing(ask(operation, params));
      expect([operation, code, retriable, message]).toEqual([
        operation,
        'connector_failed',
        false,
        expect.stringMatching(/: the file system is read-only$/),
      ]);
    }
  });
});

test('a folder is not moved into itself, nor to where a folder with files is', async () => {
  await open(folder);
  for (const path of ['a/x.txt', 'b/y.txt']) await ask('write', { path, content: 'x' });
  for (const destination of ['a/in', 'a/in/deeper', 'b'])
    expect((await failing(ask('move', { source: 'a', destination }))).code).toBe('value_refused');
  expect((await failing(ask('copy', { source: 'a', destination: 'c' }))).code).toBe('value_refused');
  await ask('move', { source: 'a', destination: 'c/d' });
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['b', 'b/y.txt', 'c', 'c/d', 'c/d/x.txt']);
});

test.each([
  ['ENOENT', 'not_found', false],
  ['EACCES', 'connector_failed', false],
  ['EPERM', 'connector_failed', false],
  ['EMFILE', 'connector_busy', true],
  ['ENFILE', 'connector_busy', true],
  ['EIO', 'connector_refused', true],
  ['EDQUOT', 'connector_refused', true],
  ['ELOOP', 'value_refused', false],
  ['ESTRANGE', 'connector_failed', undefined],
])('an error %s of the system is %s', (code, expected, retriable) => {
  const failure = failureOf(Object.assign(new Error('x'), { code }), 'in/a.txt') as Failure;
  expect([failure.code, failure.message]).toEqual([expected, expect.stringMatching(/^"in\/a\.txt": /)]);
  if (retriable !== undefined) expect(failure.retriable).toBe(retriable);
});

test('what is not an error of the system stays as it is', () => {
  for (const error of [
    new Failure('cancelled', 'x'),
    new Error('x'),
    Object.assign(new Error('x'), { name: 'AbortError' }),
  ])
    expect(failureOf(error, 'a')).toBe(error);
});
