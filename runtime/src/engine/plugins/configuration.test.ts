import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LanguageService } from '@svc/protocol/language';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { answering, assemble, echoing, moduleText } from '../../../../test/support/wasm.ts';
import { languageSupport } from '../../checks/language/support.ts';
import { openDirectory } from '../../service/config/language-folder.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { createExpressionEngine } from '../plan/engine.ts';
import { limitsOfUse, modulesOf } from './modules.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
const flow = (body: string) =>
  `flow "f" {\n  from {\n    connector = "api"\n    operation = "POST /f"\n  }\n${body}\n}\n`;
const manifest = (provides: string) =>
  `plugin {\n  name    = "geo"\n  version = "1.0.0"\n}\nprovides {\n${provides}\n}\n`;
const plugin = 'plugin "geo" {\n  source = "./geo"\n}\n';
const module = moduleText(
  `${echoing('read')} ${echoing('score')} ${answering('validate_zip', '1')} ${answering('sanitize', '1', 1100)}`,
);

async function load(
  files: Record<string, string>,
  modules: Record<string, string> = { 'geo/geo.wasm': module, 'm.wasm': module },
) {
  const directory = folderWith(files);
  for (const [path, source] of Object.entries(modules)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), await assemble(source));
  }
  return { directory, loaded: await check(directory) };
}

const check = (directory: string) =>
  loadConfiguration(directory, { environment: {}, workingDirectory: directory, workers: 1, tests: false });

async function problems(files: Record<string, string>, modules?: Record<string, string>): Promise<string[]> {
  const { loaded } = await load(files, modules);
  return loaded.diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, code, message, file }) => `${file}: ${severity} ${code}: ${message}`);
}

const service = (text: string) => ({ 'a.hcl': `${api}${text}` });
const withGeo = (provides: string, text = '') => ({
  'a.hcl': `${api}${plugin}${text}`,
  'geo/plugin.hcl': manifest(provides),
});
const functions = (more = '', exports = '["score"]') =>
  `functions "m" {\n  wasm    = "m.wasm"\n  exports = ${exports}\n${more}\n}\n`;

describe('svc validate refuses', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'a repository that is not installed',
      service('plugin "geo" {\n  source = "github.com/x/geo"\n  version = "^1.0"\n}\n'),
      ['a.hcl: error missing-plugin: plugin "geo" (github.com/x/geo) is not installed'],
    ],
    [
      'S-84: a source that git takes for an option',
      service('plugin "geo" {\n  source = "--depth=1"\n}\n'),
      ['a.hcl: error invalid-value: the source --depth=1 begins with -, as an option of a program does'],
    ],
    [
      'S-84: credentials in a source',
      service('plugin "geo" {\n  source = "https://user:secret@host.example/geo.git"\n}\n'),
      ['a.hcl: error invalid-value: the source https://***@host.example/geo.git holds credentials'],
    ],
    [
      'S-84: a version that git takes for an option',
      service('plugin "geo" {\n  source = "github.com/x/geo"\n  version = "--exec=x"\n}\n'),
      [
        'a.hcl: error missing-plugin: plugin "geo" (github.com/x/geo) is not installed',
        'a.hcl: error invalid-value: "--exec=x" is not a version of a plugin',
      ],
    ],
    [
      'S-84: a name that leads to another folder',
      service('plugin "../geo" {\n  source = "github.com/x/geo"\n}\n'),
      ['a.hcl: error invalid-value: "../geo" is not a name of an installed plugin'],
    ],
    [
      'a version of a folder',
      { 'a.hcl': `${api}plugin "geo" {\n  source = "./geo"\n  version = "1.0.0"\n}\n`, 'geo/plugin.hcl': manifest('') },
      ['a.hcl: error conflicting-attributes: a folder has one version'],
    ],
    [
      'a version and a copy of an archive',
      service('plugin "geo" {\n  source = "./geo.tgz"\n  version = "1.0.0"\n  copy = true\n}\n'),
      [
        'a.hcl: error missing-plugin: plugin "geo" (./geo.tgz) is not installed',
        'a.hcl: error conflicting-attributes: an archive has one version',
        'a.hcl: error conflicting-attributes: only folders are copied: this plugin is installed anyway',
      ],
    ],
    [
      'a copy that is not installed',
      { 'a.hcl': `${api}plugin "geo" {\n  source = "./geo"\n  copy = true\n}\n`, 'geo/plugin.hcl': manifest('') },
      ['a.hcl: error missing-plugin: plugin "geo" (./geo) is not installed'],
    ],
    [
      'a version that is not written out',
      service(
        'constants {\n  one = "^1.0"\n}\nplugin "geo" {\n  source = "github.com/x/geo"\n  version = constants.one\n}\n',
      ),
      [
        'a.hcl: error missing-plugin: plugin "geo" (github.com/x/geo) is not installed',
        'a.hcl: error not-literal: the version of plugin "geo" must be written out',
      ],
    ],
    [
      'a folder without a manifest',
      service(plugin),
      [expect.stringContaining('a.hcl: error missing-plugin: there is no plugin at ./geo: ') as unknown as string],
    ],
    [
      'another name than that of the manifest',
      { 'a.hcl': `${api}${plugin.replace('"geo"', '"maps"')}`, 'geo/plugin.hcl': manifest('') },
      ['a.hcl: error wrong-plugin: the plugin at ./geo is named "geo", not "maps"'],
    ],
    [
      'an unknown word of a manifest',
      withGeo('  functions {\n    wasm = "geo.wasm"\n    exports = ["score"]\n    speed = 3\n  }'),
      ['geo/plugin.hcl: error unknown-attribute: functions in provides has no attribute "speed"'],
    ],
    [
      'S-84: a module that is elsewhere',
      withGeo('  validator "zip" {\n    wasm = "../m.wasm"\n  }'),
      ['geo/plugin.hcl: error outside-plugin: the module ../m.wasm is not in the folder of the plugin'],
    ],
    [
      'S-84: a module at an absolute path',
      withGeo('  validator "zip" {\n    wasm = "/etc/passwd"\n  }'),
      ['geo/plugin.hcl: error outside-plugin: the module /etc/passwd is not in the folder of the plugin'],
    ],
    [
      'a missing required field of a connector, and an unknown one',
      withGeo(
        '  connector "places" {\n    wasm = "geo.wasm"\n    config {\n      key = string({ required = true })\n    }\n  }',
        'connector "geo" {\n  type = "places"\n  kee = "x"\n}\n',
      ),
      [
        'a.hcl: error missing-attribute: connector "geo" needs the attribute key',
        'a.hcl: error unknown-attribute: connector "geo" has no attribute "kee"',
      ],
    ],
    [
      'a field of no known type',
      withGeo(
        '  connector "places" {\n    wasm = "geo.wasm"\n    config {\n      key = text({ required = true })\n    }\n  }',
      ),
      ['geo/plugin.hcl: error wrong-kind: the field key needs one of the types string, number and bool'],
    ],
    [
      'a type of connectors that is built in',
      withGeo('  connector "http" {\n    wasm = "geo.wasm"\n  }'),
      ['geo/plugin.hcl: error duplicate-name: there is a connector type "http" already'],
    ],
    [
      'a module that is missing',
      service(functions().replace('m.wasm', 'n.wasm')),
      [
        expect.stringContaining(
          'a.hcl: error invalid-module: functions "m" cannot be used: there is no file n.wasm (',
        ) as unknown as string,
      ],
    ],
    [
      'a function that is not exported',
      service(functions('', '["sore"]')),
      [
        'a.hcl: error invalid-module: functions "m" cannot be used: it does not export the function "sore"; it exports alloc, free, read, score, validate_zip, sanitize',
      ],
    ],
    [
      'a function of the language',
      service(functions('', '["size"]')),
      [
        expect.anything() as unknown as string,
        'a.hcl: error duplicate-name: size() is a function of expressions already',
      ],
    ],
    [
      'equal names of functions',
      service(`${functions()}${functions().replace('functions "m"', 'functions "n"')}`),
      ['a.hcl: error duplicate-name: there is another function named "score"'],
    ],
    [
      'a deterministic function that is not exported',
      service(functions('  deterministic = ["other"]')),
      ['a.hcl: error unknown-function: deterministic names other, which is not among exports'],
    ],
    [
      'a call with another number of arguments, as a warning',
      service(`${functions('', '["score(order, rate)"]')}${flow('  transform {\n    a = "score(1)"\n  }')}`),
      ['a.hcl: warning invalid-expression: score() takes 2 arguments, not 1'],
    ],
    [
      'a call where nothing waits',
      service(
        `${functions()}connector "mem" {\n  type = "cache"\n  driver = "memory"\n}\n${flow('  lock {\n    storage {\n      driver = "memory"\n    }\n    key = "score(input.id)"\n  }')}`,
      ),
      [
        'a.hcl: error invalid-expression: score() is a function of a module, and this place does not wait for its value',
        'a.hcl: warning gate-never-passes: no message meets this condition: its expression is not valid',
      ],
    ],
    [
      'an unknown sanitizer',
      service(`security {\n  flow "f" {\n    sanitizers = ["x"]\n  }\n}\n${flow('')}`),
      ['a.hcl: error unknown-sanitizer: there is no sanitizer named "x"'],
    ],
    [
      'a transaction of a connector of a plugin',
      withGeo(
        '  connector "places" {\n    wasm = "geo.wasm"\n  }',
        `connector "geo" {\n  type = "places"\n}\n${flow('  to {\n    connector = "geo"\n    transaction {\n      exec "a" {\n        query = "DELETE FROM t"\n      }\n    }\n  }')}`,
      ),
      [
        'a.hcl: error missing-target: to of flow "f" does not say what to read or write',
        'a.hcl: error unknown-block: connector "geo" (places) takes no transaction, which to in flow "f" writes',
      ],
    ],
    [
      'a source that is not written out',
      service('constants {\n  folder = "./geo"\n}\nplugin "geo" {\n  source = constants.folder\n}\n'),
      ['a.hcl: error not-literal: the source of plugin "geo" must be written out'],
    ],
    [
      'a malformed pattern and an unknown function of a manifest',
      withGeo(
        '  functions {\n    wasm = "geo.wasm"\n    exports = ["score"]\n    deterministic = ["other"]\n  }\n  sanitizer "clean" {\n    wasm = "geo.wasm"\n    apply_to = ["[a"]\n  }',
      ),
      [
        'geo/plugin.hcl: error unknown-function: deterministic names other, which is not among exports',
        expect.stringContaining(
          'geo/plugin.hcl: error invalid-pattern: the pattern "[a" is malformed',
        ) as unknown as string,
      ],
    ],
    [
      'another source of a sanitizer',
      service('security {\n  sanitizer "s" {\n    source = "lua"\n    wasm = "m.wasm"\n  }\n}\n'),
      [expect.stringContaining('source of sanitizer "s"') as unknown as string],
    ],
    [
      'words of modules for a validator of another type',
      service('validator "v" {\n  type = "regex"\n  pattern = "a"\n  timeout = "1s"\n}\n'),
      [expect.stringContaining('timeout') as unknown as string],
    ],
  ])('%s', async (_, files, expected) => {
    expect(await problems(files)).toEqual(expected);
  });

  test('S-84: a module over a link that leads out of the folder', async () => {
    const { directory } = await load(withGeo('  validator "zip" {\n    wasm = "geo.wasm"\n  }'), { 'm.wasm': module });
    symlinkSync(join(directory, 'm.wasm'), join(directory, 'geo/geo.wasm'));
    const { diagnostics } = await check(directory);
    expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      'plugin "geo": geo.wasm cannot be used: its links lead out of the folder of the plugin',
    ]);
  });
});

test('limits and forms of results of every block are those of its module', async () => {
  const limits = (timeout: number) =>
    `timeout = "${timeout}ms"\nmax_memory_mb = ${timeout}\nmax_bytes = ${timeout * 10}\ninstances = ${timeout % 50}\n`;
  const { loaded } = await load({
    'a.hcl': `${api}plugin "geo" {\n  source = "./geo"\n${limits(31)}}
functions "own" {\n  wasm = "m.wasm"\n  exports = ["score(a)"]\n  abi = "nul-terminated"\n${limits(32)}}
validator "v" {\n  type = "wasm"\n  wasm = "m.wasm"\n  entrypoint = "check"\n  message = "no"\n${limits(33)}}
security {\n  sanitizer "s" {\n  source = "wasm"\n  wasm = "m.wasm"\n  entrypoint = "clean"\n  abi = "nul-terminated"\n  apply_to = ["a*"]\n  fields = ["b"]\n${limits(34)}}\n}\n`,
    'geo/plugin.hcl': manifest(
      '  functions {\n    wasm    = "geo.wasm"\n    exports = ["far"]\n    deterministic = ["far"]\n  }\n  validator "zip" {\n    wasm = "geo.wasm"\n  }',
    ),
  });
  const { project } = loaded;
  const { functions: found, validators, sanitizers } = modulesOf(project);
  const shown = [...found, ...validators.values(), ...sanitizers].map((each) => {
    const { module: use, origin: _, ...rest } = each as (typeof found)[number];
    return { ...rest, path: use.path, abi: use.abi, limits: Object.values(limitsOfUse(project, use)) };
  });
  const of = (timeout: number) => [timeout, timeout, timeout * 10, timeout % 50];
  expect(shown).toEqual([
    { name: 'score', parameters: ['a'], deterministic: false, path: 'm.wasm', abi: 'nul-terminated', limits: of(32) },
    {
      name: 'far',
      parameters: undefined,
      deterministic: true,
      path: './geo/geo.wasm',
      abi: 'length-prefixed',
      limits: of(31),
    },
    {
      name: 'zip',
      entry: 'validate_zip',
      message: undefined,
      path: './geo/geo.wasm',
      abi: 'length-prefixed',
      limits: of(31),
    },
    { name: 'v', entry: 'check', message: 'no', path: 'm.wasm', abi: 'length-prefixed', limits: of(33) },
    { name: 's', entry: 'clean', flows: ['a*'], fields: ['b'], path: 'm.wasm', abi: 'nul-terminated', limits: of(34) },
  ]);
});

describe('the icon of a plugin', () => {
  const withIcon = (icon: string) =>
    manifest('  connector "places" {\n    wasm = "geo.wasm"\n  }').replace('"1.0.0"', `"1.0.0"\n  icon    = "${icon}"`);
  const text = `${api}${plugin}connector "geo" {\n  type = "places"\n}\n`;
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 2h12v12z"/></svg>';
  const found = (icon: string, files: Record<string, string>) =>
    problems({ 'a.hcl': text, 'geo/plugin.hcl': withIcon(icon), ...files });

  test('is that of its connectors', async () => {
    const files = { 'a.hcl': text, 'geo/plugin.hcl': withIcon('./pictures/icon.svg'), 'geo/pictures/icon.svg': svg };
    const { directory, loaded } = await load(files);
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { service: language } = await openDirectory(directory, {});
    expect(language.outline().connectors.map(({ name, icon }) => [name, icon])).toEqual([
      ['api', undefined],
      ['geo', 'geo/pictures/icon.svg'],
    ]);
  });

  test.each<[string, string, Record<string, string>, string]>([
    [
      'missing',
      'icon.svg',
      {},
      'geo/plugin.hcl: error invalid-icon: the icon of plugin "geo" cannot be used: there is no file',
    ],
    ['with a script', 'icon.svg', { 'geo/icon.svg': '<svg><script/></svg>' }, 'it holds <script>'],
    ['too large', 'icon.svg', { 'geo/icon.svg': svg + ' '.repeat(40_000) }, 'it is larger than 32 KiB'],
    ['elsewhere', '../icon.svg', { 'icon.svg': svg }, 'outside-plugin: the icon ../icon.svg is not in the folder'],
    ['another kind of file', 'icon.png', {}, 'must be a file that ends in .svg'],
  ])('S-84: is refused where it is %s', async (_, icon, files, says) => {
    expect(await found(icon, files)).toEqual([expect.stringContaining(says)]);
  });

  test('S-84: is refused where a link leads out of the folder', async () => {
    const { directory } = await load({ 'a.hcl': text, 'geo/plugin.hcl': withIcon('icon.svg'), 'icon.svg': svg });
    symlinkSync('../icon.svg', join(directory, 'geo/icon.svg'));
    const { diagnostics } = await check(directory);
    expect(diagnostics.map(({ message }) => message)).toContain(
      'the icon of plugin "geo" cannot be used: its links lead out of the folder of the plugin',
    );
  });
});

test('editors offer, explain and check what plugins provide', async () => {
  const text = `${api}${plugin}connector "geo" {\n  type = "places"\n  \n}\n${flow('  transform {\n    a = "sc"\n    b = "score(1, 2)"\n  }\n  lock {\n    storage = "api"\n    key = "sc"\n  }')}`;
  const { directory } = await load({
    'a.hcl': text,
    'geo/plugin.hcl': manifest(
      '  functions {\n    wasm    = "geo.wasm"\n    exports = ["score(order, rate)"]\n  }\n  connector "places" {\n    wasm = "geo.wasm"\n    config {\n      api_key = string({ sensitive = true, description = "The key of the account." })\n    }\n  }',
    ),
  });
  const { service: language } = await openDirectory(directory, {});
  const at = (after: string, from = 0) => text.indexOf(after, from) + after.length;
  const labels = (offset: number) => language.completion('a.hcl', offset).map(({ label }) => label);
  expect(labels(at('a = "sc'))).toContain('score');
  expect(labels(at('key = "sc'))).not.toContain('score');
  expect(labels(at('type = "places"\n  '))).toContain('api_key');
  expect(labels(at('type = "')).length).toBeGreaterThan(0);
  expect(language.hover('a.hcl', at('b = "sco'))?.text).toContain('score(order: dyn, rate: dyn) -> dyn');
  expect(language.signatureHelp('a.hcl', at('score(1, '))?.signatures[0]?.parameters).toEqual([
    'order: dyn',
    'rate: dyn',
  ]);
});

test('a page, whose host reads no file, knows the plugins of its folder', () => {
  const host = {
    env: () => undefined,
    readFile: () => {
      throw new Error('a page reads no files');
    },
    absolutePath: (path: string) => path,
  };
  const language = new LanguageService(
    languageSupport(
      host,
      createExpressionEngine(() => undefined),
    ),
  );
  const connector = 'connector "geo" {\n  type    = "places"\n  country = 3\n  kee     = "x"\n}\n';
  language.provide('a.hcl', `${api}${plugin}${connector}`);
  const found = () =>
    language
      .diagnostics()
      .filter(({ severity }) => severity === 'error')
      .map(({ file, code, message }) => `${file} ${code}: ${message}`);
  expect(found()[0]).toContain('a.hcl missing-plugin');
  const config = '  connector "places" {\n    wasm = "geo.wasm"\n    config {\n      country = string\n    }\n  }';
  language.provide('geo/plugin.hcl', manifest(config));
  expect(found()).toEqual(['a.hcl unknown-attribute: connector "geo" has no attribute "kee"']);
  language.provide('geo/plugin.hcl', manifest(config.replace('country = string', 'kee = string')));
  expect(found()).toEqual(['a.hcl unknown-attribute: connector "geo" has no attribute "country"']);
});
