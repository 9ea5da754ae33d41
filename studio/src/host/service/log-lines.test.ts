import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { LogLine } from '../../shared/services.ts';
import { LogLines } from './log-lines.ts';

test('a stream is reported line by line, with characters put together again and long lines cut', async () => {
  const [batches, watched]: [(readonly LogLine[])[], string[]] = [[], []];
  const log = new LogLines(
    (lines) => batches.push(lines),
    (text) => watched.push(text),
  );
  const stream = new PassThrough();
  log.follow(stream, 'error');
  const bytes = Buffer.from('grün\r\nzwei\n');
  stream.write(bytes.subarray(0, 3));
  stream.write(bytes.subarray(3));
  stream.end('x'.repeat(9_000));
  await until(() => batches.flat().length === 4);
  const texts = ['grün', 'zwei', 'x'.repeat(8_192), 'x'.repeat(808)];
  expect(batches.flat()).toEqual(texts.map((text) => ({ at: expect.any(Number), stream: 'error', text })));
  expect(watched).toEqual(texts);
  expect(log.last).toEqual(batches.flat());
});

test('a flood is cut, and says so', () => {
  const batches: (readonly LogLine[])[] = [];
  const log = new LogLines(
    (lines) => batches.push(lines),
    () => undefined,
  );
  for (let n = 0; n < 3; n++) {
    for (let line = 0; line < 1_500; line++) log.add('out', `${n}`);
    log.flush();
  }
  expect(batches.map((lines) => lines.length)).toEqual([1_001, 1_001, 1_001]);
  expect(batches[0]?.at(-1)?.text).toBe('(500 lines left out)');
  expect(log.last.length).toBe(2_000);
});
