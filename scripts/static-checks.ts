// The checks of the project that are not tests, each with the command that runs it alone.
export interface Check {
  readonly name: string;
  /** The arguments of Node, or a program of node_modules/.bin and its own. */
  readonly args: readonly string[];
  /** What a person types to run it alone. */
  readonly alone: string;
}

/** The program, which some tests run. */
export const build: Check = { name: 'build', args: ['scripts/build.mjs'], alone: 'npm run build' };

/** Checks that only read the sources. */
export function staticChecks(): readonly Check[] {
  const tool = (name: string, ...args: string[]) => [`node_modules/.bin/${name}`, ...args];
  const typeChecks = [
    'protocol',
    'protocol/tsconfig.test.json',
    'runtime',
    'studio',
    'studio/tsconfig.web.json',
    'test',
    'e2e',
    'scripts',
  ];
  return [
    ...typeChecks.map((area) => ({
      name: `types of ${area}`,
      args: tool('tsc', '-p', area),
      alone: `npx tsc -p ${area}`,
    })),
    {
      name: 'lint and format',
      args: tool('biome', 'check', '--error-on-warnings', '.'),
      alone: 'npm run lint',
    },
    { name: 'unused code', args: tool('knip'), alone: 'npm run unused' },
    { name: 'reference pages', args: ['scripts/docs.ts', '--check'], alone: 'npm run docs -- --check' },
  ];
}
