import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const generous = 60_000;

/** Packages that Node loads from `node_modules` ask for this file of `graphql`: with another one there were two of it. */
const oneGraphql = { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] };

/** A condition that a test waits for has the time of the test, and no limit of its own. */
const conditions = { poll: { timeout: generous } } as const;

/** Suites that start programs. Those that drive a browser run one file after another, behind the others. */
const whole = { expect: conditions, testTimeout: generous, hookTimeout: generous } as const;
const oneByOne = { ...whole, fileParallelism: false, sequence: { groupOrder: 1 } } as const;

export default defineConfig({
  test: {
    // Most tests wait for other programs more than they compute: two files at a time take half of the time of one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: process.env['TEST_REPORT'] === undefined ? ['default'] : ['default', 'json'],
    outputFile: { json: process.env['TEST_REPORT'] ?? '' },
    projects: [
      {
        test: {
          name: 'protocol',
          root: 'protocol',
          include: ['src/**/*.test.ts'],
          expect: conditions,
          testTimeout: generous,
        },
      },
      {
        resolve: oneGraphql,
        test: {
          name: 'runtime',
          root: 'runtime',
          include: ['src/**/*.test.ts'],
          expect: conditions,
          testTimeout: generous,
          hookTimeout: generous,
        },
      },
      {
        test: {
          name: 'studio',
          root: 'studio',
          include: ['src/**/*.test.{ts,tsx}'],
          expect: conditions,
          testTimeout: generous,
          hookTimeout: generous,
        },
      },
      {
        resolve: oneGraphql,
        test: {
          name: 'test',
          root: 'test',
          include: ['**/*.test.ts'],
          exclude: ['scenarios/**'],
          expect: conditions,
          testTimeout: generous,
          hookTimeout: generous,
        },
      },
      { test: { name: 'scenarios', root: 'test/scenarios', include: ['**/*.test.ts'], ...whole } },
      { test: { name: 'e2e', root: 'e2e', include: ['**/*.test.ts'], ...oneByOne } },
    ],
  },
});
