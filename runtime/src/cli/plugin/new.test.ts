import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { compileAssemblyScript } from '../../../../test/support/assembly-script.ts';
import { startModules, stopServices } from '../../engine/plugins/testing/service.ts';
import { inDirectory, typed } from '../testing/typed.ts';
import { compilerVersion, projectFiles } from './project/files.ts';
import { type Kind, kinds } from './project/kinds.ts';

afterEach(stopServices);

const service = (text: string) => `service {
  name       = "plugins"
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  port = env("PORT")
}
plugin "my-plugin" {
  source = "./my-plugin"
}
${text}`;
const flow = (body: string, operation = 'POST /f') => `flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
${body}
}
`;

/** A service that uses a plugin of each kind, what it is asked, and what it answers. */
const uses: Readonly<Record<Kind, { text: string; asked: readonly (readonly [unknown, number, unknown])[] }>> = {
  function: {
    text: flow('  transform {\n    slug = "my_plugin_of(input.title)"\n  }'),
    asked: [
      [{ title: 'Über  "Tea" & Cake\n\u2028 №5 \\ 😀' }, 200, { slug: 'ber-tea-cake-5' }],
      [{ title: 7 }, 500, undefined],
    ],
  },
  validator: {
    text: `type "card" {\n  number = string({ validator = "my-plugin" })\n}\n${flow('  validate {\n    input = "card"\n  }\n  transform {\n    ok = "true"\n  }')}`,
    asked: [
      [{ number: '79927398713' }, 200, { ok: true }],
      [{ number: '79927398714' }, 400, undefined],
    ],
  },
  sanitizer: {
    text: flow('  transform {\n    all = "input.all"\n  }'),
    asked: [
      [
        { all: ['\t a"\\ ', { b: ' ü😀 ' }, 1.5, -3.5e-20, true, null] },
        200,
        { all: ['a"\\', { b: 'ü😀' }, 1.5, -3.5e-20, true, null] },
      ],
      [{ all: 'a <Script>' }, 400, undefined],
    ],
  },
  connector: {
    text: `connector "greetings" {\n  type     = "my-plugin"\n  language = "de"\n}\n${flow('  step "greeting" {\n    connector = "greetings"\n    operation = "greet"\n    params    = { name = "input.name" }\n  }\n  response {\n    text = "step.greeting"\n  }')}`,
    asked: [[{ name: 'Ada' }, 200, { text: 'Hallo, Ada' }]],
  },
};

describe('svc plugin new', () => {
  test.each(kinds)(
    '%s: what it writes compiles, passes its cases, and is used by a service',
    async (kind) => {
      const { text, asked } = uses[kind];
      const running = await startModules(
        {
          'a.hcl':
            'flow "f" {\n  when = "@yearly"\n  response {\n    a = "1"\n  }\n}\nservice {\n  admin_port = env("ADMIN_PORT")\n}\n',
        },
        {},
      );
      const { directory } = running;
      const made = await typed(['plugin', 'new', 'my-plugin', '--kind', kind], directory);
      expect([made.status, made.out.split('\n').sort()]).toEqual([
        0,
        ['', ...Object.keys(projectFiles('my-plugin', kind)).map((path) => `my-plugin/${path}`)].sort(),
      ]);
      expect(made.error).toContain('  cd my-plugin\n  npm install\n  npm run build\n  svc plugin test\n');
      const folder = join(directory, 'my-plugin');
      const before = await typed(['plugin', 'test', 'my-plugin'], directory);
      expect(before).toMatchObject({ status: 1, error: expect.stringContaining('compile it first: npm run build') });
      const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      await compileAssemblyScript(folder, scripts.build);
      const tested = await typed(['plugin', 'test', '--format', 'json'], folder);
      const { passed, tests } = JSON.parse(tested.out);
      expect([tested.status, passed, tests.flatMap(({ problems }: { problems: unknown }) => problems)]).toEqual([
        0,
        true,
        [],
      ]);
      expect(tests.length).toBeGreaterThan(1);

      writeFileSync(join(directory, 'a.hcl'), service(text));
      expect(await running.service.reload()).toBe(true);
      for (const [body, status, answer] of asked) {
        const [answered, given] = await running.ask('POST', '/f', body);
        expect([answered, answer === undefined ? undefined : given]).toEqual([status, answer]);
      }
      await running.service.stop();
    },
    60_000,
  );

  test('compiles with the version that the tests have', () => {
    const { version } = createRequire(import.meta.url)('assemblyscript/package.json') as { version: string };
    expect(version).toBe(compilerVersion);
  });

  test('changes nothing that is there', async () => {
    await inDirectory({ 'geo/plugin.hcl': 'mine' }, async (directory) => {
      const { status, error } = await typed(['plugin', 'new', 'geo', '--kind', 'function'], directory);
      expect([status, error]).toEqual([
        1,
        `svc plugin: plugin.hcl already there in ${join(directory, 'geo')}; nothing was written\n`,
      ]);
      expect(readFileSync(join(directory, 'geo/plugin.hcl'), 'utf8')).toBe('mine');
      expect(existsSync(join(directory, 'geo/package.json'))).toBe(false);
    });
  });

  test.each([
    [['Geo', '--kind', 'function'], '"Geo" is not a name of a plugin'],
    [['../geo', '--kind', 'function'], '"../geo" is not a name of a plugin'],
    [['geo'], 'say what it provides: --kind connector'],
    [['geo', '--kind', 'service'], 'service'],
    [['http', '--kind', 'connector'], 'there is a connector type "http" already'],
    [[], 'takes one NAME'],
  ])('%j is refused', async (words, says) => {
    await inDirectory({}, async (directory) => {
      const { status, error } = await typed(['plugin', 'new', ...words], directory);
      expect([status, error]).toEqual([2, expect.stringContaining(says)]);
    });
  });

  test('writes below the directory that -c names', async () => {
    await inDirectory({}, async (directory) => {
      mkdirSync(join(directory, 'plugins'));
      const { status, out } = await typed(['plugin', 'new', 'geo', '--kind', 'validator', '-c', 'plugins'], directory);
      expect([status, out.split('\n')[0]]).toEqual([0, 'plugins/geo/assembly/abi.ts']);
    });
  });
});
