import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { folderWith, type Opened, openHost } from '../testing/opened.ts';

const small = {
  'service.hcl': `connector "api" {
  type = "rest"
  port = 0
}
flow "double" {
  from {
    connector = "api"
    operation = "POST /double"
  }
  response {
    n = "input.n * 2.0"
  }
}
`,
  'tests/double.hcl': `test "two" {
  flow  = "double"
  input = { n = 1 }
  expect {
    output = { n = 2 }
  }
}

test "three" {
  flow  = "double"
  input = { n = 1 }
  expect {
    output = { n = 3 }
  }
}
`,
};

const results = ({ emitted }: Opened) =>
  emitted.flatMap((each) => (each.event === 'tests.results' ? each.params.results : []));

async function trusted(files: Readonly<Record<string, string>> = small, script?: string): Promise<Opened> {
  const host = await openHost(
    files,
    script === undefined
      ? {}
      : { program: { executable: process.execPath, args: [`${folderWith({ 'program.cjs': script })}/program.cjs`] } },
  );
  await host.services['project.trust']({});
  return host;
}

describe('tests of a folder', () => {
  test('do not run before the folder is trusted', async () => {
    const { services } = await openHost(small);
    await expect(services['tests.run']({})).rejects.toThrow('trust this folder first');
    await expect(services['tests.debug']({ at: 'tests/double.hcl:1' })).rejects.toThrow('trust this folder first');
  });

  test('run, each with its result, and what they reach', async () => {
    const host = await trusted();
    const { total, failed, coverage } = await host.services['tests.run']({ coverage: true });
    expect([total, failed, coverage?.flows]).toEqual([2, 1, { covered: 1, total: 1 }]);
    expect(results(host)).toMatchObject([
      { name: 'two', passed: true, problems: [] },
      {
        name: 'three',
        passed: false,
        at: { file: 'tests/double.hcl', line: 9 },
        problems: [{ subject: 'output.n', expected: '3', actual: '2', accept: { was: '3' } }],
      },
    ]);
  });

  test('run by their places', async () => {
    const host = await trusted();
    expect(await host.services['tests.run']({ at: ['tests/double.hcl:9'] })).toMatchObject({ total: 1, failed: 1 });
    await expect(host.services['tests.run']({ at: ['service.hcl'] })).rejects.toThrow('names a file of tests');
  });

  test('say why they cannot run', async () => {
    const host = await trusted({ ...small, 'more.hcl': 'flow "broken" {' });
    await expect(host.services['tests.run']({})).rejects.toThrow('more.hcl');
  });

  test('one that is debugged lets itself be dialled with its own token, and ends when it is stopped', async () => {
    const host = await trusted();
    const { services, emitted } = host;
    const { address } = await services['tests.debug']({ at: 'tests/double.hcl:1' });
    await expect(services['tests.debug']({ at: 'tests/double.hcl:1' })).rejects.toThrow('end it first');
    const { id } = await services['debug.dial']({ address });
    await services['debug.send']({ id, text: '{"jsonrpc":"2.0","id":1,"method":"debug.attach","params":{}}' });
    await until(() => emitted.some(({ event }) => event === 'debug.texts'));
    await services['tests.stop']({});
    await until(() => emitted.find(({ event }) => event === 'tests.debugEnded'));
    expect(emitted.filter(({ event }) => event === 'tests.debugEnded')).toEqual([
      { event: 'tests.debugEnded', params: { address, reason: 'it was ended' } },
    ]);
    expect(JSON.stringify(emitted)).not.toMatch(/Bearer|SVC_DEBUG_TOKEN/);
  });
});

describe('a program that runs tests', () => {
  test('that hangs is ended, whatever it does with the signal, and another run can begin', async () => {
    const hangs =
      'process.on("SIGTERM", () => undefined); console.log(JSON.stringify({ kind: "test", name: "a" })); setInterval(() => undefined, 1000);';
    const host = await trusted(small, hangs);
    const running = host.services['tests.run']({});
    await until(() => results(host).length === 1);
    await expect(host.services['tests.run']({})).rejects.toThrow('tests run already');
    await host.services['tests.stop']({});
    await expect(running).rejects.toThrow('the run was ended');
    const again = host.services['tests.run']({});
    host.pageLeft();
    await expect(again).rejects.toThrow('the page was left');
  });

  test.each([
    ['that is killed', 'process.kill(process.pid, "SIGKILL");', 'the tests were ended by SIGKILL'],
    ['that complains', 'console.error("svc test: it is broken"); process.exitCode = 1;', /^it is broken$/],
    ['that says something else', 'console.log("{"); console.log("[1]"); console.log("x");', 'ended with status 0'],
    [
      'whose line has no end',
      'const piece = "x".repeat(1 << 20); for (let n = 0; n < 20; n++) process.stdout.write(piece); setInterval(() => undefined, 1000);',
      'larger than 16 MiB',
    ],
  ])('%s is refused', async (_, script, message) => {
    const host = await trusted(small, script);
    await expect(host.services['tests.run']({})).rejects.toThrow(message);
    expect(results(host)).toEqual([]);
  });

  test('that does not exist is refused', async () => {
    const host = await openHost(small, { program: { executable: '/nowhere/there-is-none', args: [] } });
    await host.services['project.trust']({});
    await expect(host.services['tests.run']({})).rejects.toThrow('ENOENT');
    await expect(host.services['tests.debug']({ at: 'tests/double.hcl:1' })).rejects.toThrow('ENOENT');
  });
});
