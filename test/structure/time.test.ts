import { expect, test } from 'vitest';
import { isTest, readSources } from './sources.ts';

/** The clock, and what modules of plugins are given. */
const clocks = [
  'runtime/src/foundation/observe/clock.ts',
  'runtime/src/engine/plugins/host/lane.ts',
  'runtime/src/engine/plugins/host/wasi.ts',
];

test('the runtime reads elapsed time from its clock, which gives whole milliseconds or a reading', () => {
  const found = readSources()
    .filter(({ path }) => path.startsWith('runtime/src/') && !isTest(path) && !path.includes('/testing/'))
    .filter(({ path }) => !clocks.includes(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => (/performance\.now|hrtime/.test(line) ? [`${path}:${index + 1}`] : [])),
    );
  expect(found).toEqual([]);
});
