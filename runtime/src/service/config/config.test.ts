import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discover } from './discover.ts';
import { parseDotenv, readDotenv, withDotenv } from './dotenv.ts';
import { nodeHost } from './host.ts';
import { runOptions } from './options.ts';
import { readConfiguration } from './read.ts';
import { isRelevant, watchConfiguration } from './watch.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-config-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function write(path: string, text = ''): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
}

describe('discover', () => {
  test('finds .hcl and .mycel files at any depth in lexical order, and skips what is not configuration', async () => {
    for (const path of [
      'b.hcl',
      'a/z.mycel',
      'a.hcl',
      'flows/deep/x.hcl',
      'tests/one.hcl',
      'flows/tests/two.hcl',
      '.hidden.hcl',
      '.git/c.hcl',
      'node_modules/p/c.hcl',
      'svc_plugins/p/plugin.hcl',
      'notes.txt',
      'x.HCL',
    ])
      await write(path);
    const own = ['a.hcl', 'a/z.mycel', 'b.hcl', 'flows/deep/x.hcl', 'flows/tests/two.hcl'];
    expect(await discover(directory, { tests: false })).toEqual(own);
    expect(await discover(directory, { tests: true })).toEqual([...own, 'tests/one.hcl']);
  });

  test('follows links, reads a folder that leads back to itself once, and finds a link that leads to nothing', async () => {
    await write('real/a.hcl');
    await symlink(join(directory, 'real/a.hcl'), join(directory, 'linked.hcl'));
    await symlink(directory, join(directory, 'real/loop'));
    await symlink(join(directory, 'nowhere'), join(directory, 'dangling.hcl'));
    for (const confined of [false, true])
      expect(await discover(directory, { tests: false, confined })).toEqual([
        'dangling.hcl',
        'linked.hcl',
        'real/a.hcl',
      ]);
  });

  test('a plugin manifest is not configuration, wherever it is', async () => {
    await write('plugins/salesforce/plugin.hcl', 'plugin {\n  name = "x"\n}\nprovides {\n}\n');
    await write('plugins.hcl', 'plugin "x" {\n}\n');
    expect((await readConfiguration(directory, { tests: false })).map(({ path }) => path)).toEqual(['plugins.hcl']);
  });
});

describe('.env', () => {
  test.each([
    ['A=1', { A: '1' }],
    ['export A = 1 # one', { A: '1' }],
    ['A: 1', { A: '1' }],
    ['A=a#b', { A: 'a#b' }],
    ["A='${B} \\n # x' # y", { A: '${B} \\n # x' }],
    ['A="1\\n\\"2\\" \\${B}"', { A: '1\n"2" ${B}' }],
    ['B=2\nA="x${B}y${C}z${NONE}"', { B: '2', A: 'x2yfromprocessz' }],
    ['B=2\nA=${B}/${B}', { B: '2', A: '2/2' }],
    ['A="-----BEGIN\nabc\n-----END"\nB=1', { A: '-----BEGIN\nabc\n-----END', B: '1' }],
    ['\uFEFF# comment\r\n\r\nA=1\r\nB=\r\n', { A: '1', B: '' }],
    ['A=1\nA=2', { A: '2' }],
    ['__proto__=x', { ['__proto__']: 'x' }],
  ])('%j', (text, values) => {
    const found = parseDotenv(text, { C: 'fromprocess' });
    expect(found.problems).toEqual([]);
    expect(Object.entries(found.values)).toEqual(Object.entries(values));
  });

  test('what is not an assignment is reported with its line, and the rest is read', () => {
    expect(parseDotenv('A=1\nwhat is this\nB="open\nC=3', {})).toEqual({
      values: Object.assign(Object.create(null), { A: '1', C: '3' }),
      problems: [
        { line: 2, message: 'this is neither NAME=value nor a comment' },
        { line: 3, message: 'the quote " is not closed' },
      ],
    });
  });

  test('the process wins, the configuration directory comes before the working directory', async () => {
    await write('config/.env', 'A=file\nB=file');
    await write('.env', 'A=other\nC=other');
    const config = join(directory, 'config');
    const found = await readDotenv(config, directory, {});
    expect(withDotenv({ A: 'process', D: undefined }, found)).toEqual({ A: 'process', B: 'file' });
    await rm(join(config, '.env'));
    expect((await readDotenv(config, directory, {}))?.path).toBe(join(directory, '.env'));
    expect(await readDotenv(config, config, {})).toBe(undefined);
  });
});

describe('options', () => {
  test('S-01: outside development the debugger is there only when asked for, and only with a token', () => {
    const debug = (flags: Parameters<typeof runOptions>[0], variables = {}) => runOptions(flags, variables).debug;
    const production = { environment: 'production' };
    expect(debug(production)).toEqual({
      enabled: false,
      token: undefined,
      origin: undefined,
      maxPause: 1_800_000,
      suspend: false,
    });
    expect(() => debug({ ...production, debug: true })).toThrow('--debug in production needs SVC_DEBUG_TOKEN');
    const variables = { SVC_DEBUG_TOKEN: 't', SVC_DEBUG_ORIGIN: 'http://a', SVC_DEBUG_MAX_PAUSE: '5m' };
    expect(debug({ ...production, debug: true }, variables)).toEqual({
      enabled: true,
      token: 't',
      origin: 'http://a',
      maxPause: 300_000,
      suspend: false,
    });
    expect(debug({ workers: '2' }).enabled).toBe(true);
    expect(debug({ ...production, workers: '2' }).enabled).toBe(false);
    expect(() => debug({}, { SVC_DEBUG_MAX_PAUSE: 'soon' })).toThrow('SVC_DEBUG_MAX_PAUSE is a duration');
  });

  test('event sources are held at start in development alone, by one process', () => {
    const suspending = (flags: Parameters<typeof runOptions>[0], variables = {}) => {
      const { debug, warnings } = runOptions(flags, variables);
      return [debug.suspend, ...warnings];
    };
    expect(suspending({ debugSuspend: true })).toEqual([true]);
    expect(suspending({}, { SVC_DEBUG_SUSPEND: '1' })).toEqual([true]);
    expect(suspending({}, { SVC_DEBUG_SUSPEND: 'no' })).toEqual([false]);
    expect(() => suspending({ debugSuspend: true, workers: '2' })).toThrow('--debug-suspend needs one process');
    const staging = { environment: 'staging', debug: true, debugSuspend: true };
    expect(suspending(staging, { SVC_DEBUG_TOKEN: 't' })).toEqual([false, '--debug-suspend is ignored in staging']);
  });

  test('flags win over variables, variables over the defaults of the environment', () => {
    expect(runOptions({}, {})).toEqual({
      environment: 'development',
      group: 'development',
      debug: { enabled: true, token: undefined, origin: undefined, maxPause: 1_800_000, suspend: false },
      logLevel: 'debug',
      logLevelGiven: false,
      logFormat: 'text',
      workers: 1,
      hotReload: true,
      verboseFlow: false,
      payload: undefined,
      tracing: false,
      capture: undefined,
      warnings: [],
    });
    const variables = { SVC_ENV: 'PROD', SVC_LOG_LEVEL: 'error', SVC_WORKERS: '4', SVC_PAYLOAD_SHOW: '1' };
    expect(runOptions({ logLevel: 'info', verboseFlow: true, workers: '2' }, variables)).toEqual({
      environment: 'PROD',
      group: 'production',
      debug: { enabled: false, token: undefined, origin: undefined, maxPause: 1_800_000, suspend: false },
      logLevel: 'info',
      logLevelGiven: true,
      logFormat: 'json',
      workers: 2,
      hotReload: false,
      verboseFlow: false,
      payload: 4096,
      tracing: false,
      capture: undefined,
      warnings: [
        '--verbose-flow is ignored in PROD',
        'SVC_PAYLOAD_SHOW has no effect: messages are logged at level debug',
      ],
    });
    expect(runOptions({ environment: 'qa' }, { SVC_ENV: 'stage' }).group).toBe('development');
  });

  test.each([
    [{ SVC_WORKERS: 'many' }, 'the number of workers is a whole number from 1, not "many"'],
    [{ SVC_WORKERS: '0' }, 'the number of workers is a whole number from 1, not "0"'],
    [{ SVC_LOG_LEVEL: 'loud' }, 'the log level is one of debug, info, warn, error, not "loud"'],
    [
      { SVC_PAYLOAD_SHOW: 'true', SVC_PAYLOAD_SIZE: '4kb' },
      'SVC_PAYLOAD_SIZE is a number of bytes such as 4k or 1m, not "4kb"',
    ],
    [
      { SVC_CAPTURE: 'sent', SVC_ENV: 'production' },
      'SVC_CAPTURE keeps notifications from being sent, in development alone; this is production: unset it',
    ],
    [
      { SVC_CAPTURE: 'sent', SVC_ENV: 'staging' },
      'SVC_CAPTURE keeps notifications from being sent, in development alone; this is staging: unset it',
    ],
  ])('%j is refused', (variables, message) => {
    expect(() => runOptions({}, variables)).toThrow(message);
  });
});

describe('host', () => {
  test('relative paths are taken from the configuration directory, the working directory comes second with a warning', async () => {
    await write('config/a.sql', 'config');
    await write('a.sql', 'working');
    await write('b.sql', 'only here');
    const warnings: string[] = [];
    const host = nodeHost({
      directory: join(directory, 'config'),
      workingDirectory: directory,
      variables: { A: '1' },
      warn: (message) => warnings.push(message),
    });
    expect([host.readFile('a.sql'), host.readFile('b.sql'), host.env('A'), host.env('B')]).toEqual([
      'config',
      'only here',
      '1',
      undefined,
    ]);
    expect(host.absolutePath('x/../y')).toBe(join(directory, 'config', 'y'));
    expect(warnings).toEqual([
      'the file b.sql is not in the configuration directory; b.sql of the working directory is read',
    ]);
    expect(() => host.readFile('none.sql')).toThrow(
      `the file none.sql cannot be read: it does not exist (${join(directory, 'config', 'none.sql')})`,
    );
  });
});

describe('watch', () => {
  test('only what may change the configuration counts', () => {
    const paths = ['a.hcl', 'flows/b.mycel', '.env', 'flows', 'flows/.env', '.a.hcl.swp', '.git/a.hcl', 'notes.txt'];
    const schemas = ['a.graphql', 'schemas/b.gql', 'c.graphqls', '.d.graphql', 'node_modules/e.graphql'];
    const definitions = ['protos/f.proto', 'erp/g.wsdl', 'erp/xsd/h.xsd', 'erp/.i.xsd', 'erp/j.xml'];
    const locks = ['plugins.lock', 'flows/plugins.lock', 'svc_plugins/.lock', 'svc_plugins/geo/plugin.hcl'];
    expect([...paths, ...schemas, ...definitions, ...locks].filter(isRelevant)).toEqual([
      'a.hcl',
      'flows/b.mycel',
      '.env',
      'a.graphql',
      'schemas/b.gql',
      'c.graphqls',
      'protos/f.proto',
      'erp/g.wsdl',
      'erp/xsd/h.xsd',
      'plugins.lock',
    ]);
  });

  test.each([false, true])(
    'reports created, changed, renamed and deleted files once they settled (polling: %s)',
    async (poll) => {
      await write('a.hcl', '1');
      let notice: () => void = () => undefined;
      let count = 0;
      const changed = () => {
        count++;
        notice();
      };
      const stop = watchConfiguration({ directory, changed, settle: 20, poll, pollEvery: 10 });
      try {
        // Watching a tree begins a little after the call; writing until it is noticed waits for that.
        const noticed = (change: (attempt: number) => Promise<void>) =>
          new Promise<void>((resolve, reject) => {
            let attempt = 0;
            const again = setInterval(() => void change(attempt++).catch(reject), 100);
            notice = () => {
              clearInterval(again);
              resolve();
            };
          });
        await noticed((attempt) => write('a.hcl', `changed ${attempt}`));
        await noticed((attempt) => write('flows/new.hcl', `created ${attempt}`));
        await noticed((attempt) => write('.env', `A=${attempt}`));
        let name = 'a.hcl';
        await noticed(async (attempt) => {
          const next = `renamed${attempt}.hcl`;
          await rename(join(directory, name), join(directory, next));
          name = next;
        });
        await noticed(() => rm(join(directory, 'flows'), { recursive: true, force: true }));
        expect(count).toBeGreaterThanOrEqual(5);
      } finally {
        stop();
      }
    },
  );

  test.each([false, true])(
    'follows its path when the directory, a folder or the link that leads to it is replaced (polling: %s)',
    async (poll) => {
      await write('first/flows/a.hcl', '1');
      await write('second/flows/a.hcl', '1');
      await symlink('first', join(directory, 'current'));
      let count = 0;
      const current = join(directory, 'current');
      const stop = watchConfiguration({ directory: current, changed: () => count++, settle: 5, poll, pollEvery: 5 });
      let written = 0;
      /** Until the watch has reported a change to this file. */
      const seen = async (path: string) => {
        const before = count;
        await expect
          .poll(async () => {
            await write(path, `${'x'.repeat(written++ % 100)}`);
            return count;
          })
          .toBeGreaterThan(before);
      };
      /** Until the watch reports no more, so that its next report is new. */
      const settled = async () => {
        for (let before = -1; before !== count; await sleep(50)) before = count;
        return count;
      };
      try {
        await seen('first/flows/a.hcl');
        const before = await settled();
        await symlink('second', join(directory, 'next'));
        await rename(join(directory, 'next'), current);
        await expect.poll(() => count).toBeGreaterThan(before);
        await settled();
        await seen('second/flows/a.hcl');
        await settled();
        await write('other/a.hcl', 'other');
        await rename(join(directory, 'second/flows'), join(directory, 'former'));
        await rename(join(directory, 'other'), join(directory, 'second/flows'));
        await settled();
        await seen('second/flows/a.hcl');
        await rm(current);
        await settled();
        await write('current/a.hcl', 'a directory again');
        await settled();
        await seen('current/a.hcl');
      } finally {
        stop();
      }
    },
  );

  test.each([false, true])(
    'a log or a database beside the configuration is not part of it (polling: %s)',
    async (poll) => {
      await write('a.hcl', '1');
      await write('log', 'a line');
      let count = 0;
      const stop = watchConfiguration({ directory, changed: () => count++, settle: 1, poll, pollEvery: 5 });
      const noticed = expect.poll(async () => {
        await write('a.hcl', String(Math.random()));
        return count;
      });
      try {
        await noticed.toBeGreaterThan(0);
        // What the writes above still cause has to be over.
        for (let before = -1; before !== count; await sleep(100)) before = count;
        const before = count;
        for (let line = 0; line < 10; line++) {
          await write('log', `${line} lines`.repeat(line));
          await write(`data${line}`, 'new');
          await sleep(10);
        }
        expect(count).toBe(before);
      } finally {
        stop();
      }
    },
  );
});
