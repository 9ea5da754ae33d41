import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from './commands.ts';
import { commandHelp, programHelp } from './help.ts';
import { inDirectory, typed } from './testing/typed.ts';

describe('what is typed', () => {
  test('nothing is wrong usage and shows the help, --help is good', async () => {
    expect(await typed([])).toEqual({ status: 2, out: programHelp(commands), error: '' });
    for (const words of [['--help'], ['-h'], ['help']])
      expect(await typed(words)).toEqual({ status: 0, out: programHelp(commands), error: '' });
  });

  test.each(commands.map((command) => [command.name, command] as const))('svc %s --help', async (name, command) => {
    for (const words of [
      [name, '--help'],
      [name, '-h'],
      ['help', name],
    ])
      expect(await typed(words)).toEqual({ status: 0, out: commandHelp(command), error: '' });
  });

  test('unknown commands and options are wrong usage, with what was meant', async () => {
    expect(await typed(['vaildate'])).toEqual({
      status: 2,
      out: '',
      error: 'svc: there is no command "vaildate"; did you mean "validate"?\nsvc --help lists the commands.\n',
    });
    expect(await typed(['frobnicate'])).toMatchObject({ status: 2, out: '' });
    expect(await typed(['validate', '--formt', 'json'])).toEqual({
      status: 2,
      out: '',
      error:
        'svc validate: there is no option --formt; did you mean --format?\nsvc validate --help shows how it is used.\n',
    });
  });

  test.each([
    [['validate', '--format', 'xml'], '--format takes text, json, sarif, not "xml"'],
    [['validate', 'a', 'b'], 'unexpected argument "b"'],
    [['validate', '/nowhere/at/all'], 'there is no directory /nowhere/at/all'],
    [['validate', '-c', '/etc', '/etc'], 'name the directory once: as an argument or with --config'],
    [['validate', '--workers', 'many'], 'the number of workers is a whole number from 1 to 256, not "many"'],
    [['start', '--log-level', 'loud'], '--log-level takes debug, info, warn, error, not "loud"'],
    [['completion', 'csh'], 'name a shell: bash, zsh or fish'],
    [['export'], 'name what to export: openapi, asyncapi, graphql, wsdl or proto'],
    [['export', 'grpc'], '"grpc" is unknown; it can be openapi, asyncapi, graphql, wsdl or proto'],
    [
      ['export', 'asyncapi', '--base-url', 'http://a'],
      '--base-url is of openapi: the servers of asyncapi are those of the connectors',
    ],
    [['export', 'openapi', '--base-url', 'here'], '--base-url takes an address, not "here"'],
    [['init', '../a'], '"../a" is not a name for a directory: use letters, digits, dots, dashes and underscores'],
    [['fmt', 'nowhere'], 'there is no file or directory nowhere'],
  ])('%j is wrong usage', async (words, message) => {
    const [name] = words;
    expect(await typed(words)).toEqual({
      status: 2,
      out: '',
      error: `svc ${name}: ${message}\nsvc ${name} --help shows how it is used.\n`,
    });
  });

  test('what the system refuses is one line that names it, without a stack', async () => {
    await inDirectory({ 'main.hcl': 'service {\n  name = "x"\n}\n' }, async (directory) => {
      // A path that is longer than the system takes: each half can be made, and the one be moved into the other.
      const half = Array.from({ length: 9 }, () => 'x'.repeat(240)).join('/');
      for (const name of ['one', 'other']) mkdirSync(join(directory, name, half), { recursive: true });
      renameSync(join(directory, 'other'), join(directory, 'one', half, 'other'));
      const { status, out, error } = await typed(['validate', directory]);
      renameSync(join(directory, 'one', half, 'other'), join(directory, 'other'));
      expect({ status, out, lines: error.split('\n').length }).toEqual({ status: 1, out: '', lines: 2 });
      expect(error.replaceAll(/x{240}\/?/g, '').replace(directory, '')).toMatch(
        /^svc validate: \/one\/+other\/* cannot be used: .*name too long \(ENAMETOOLONG, \w+\)\n$/,
      );
    });
  });

  test('options of every command may be written before its name', async () => {
    await inDirectory({ 'a.hcl': 'service {}\n' }, async (directory) => {
      const expected = { status: 0, out: 'valid: 1 file, 0 connectors, 0 flows; 0 errors, 0 warnings\n', error: '' };
      expect(await typed(['-c', directory, 'validate'])).toEqual(expected);
      expect(await typed([`--config=${directory}`, '-v', 'validate'])).toEqual(expected);
      expect(await typed(['validate', '--config', directory])).toEqual(expected);
      expect(await typed(['validate'], directory)).toEqual(expected);
    });
  });

  test('a version is one line', async () => {
    for (const words of [['version'], ['--version']]) {
      const { status, out, error } = await typed(words);
      expect({ status, error, line: /^svc \S+ \(node v\d[^)]*\)\n$/.test(out) }).toEqual({
        status: 0,
        error: '',
        line: true,
      });
    }
  });
});

describe('help', () => {
  test('fits a terminal and names every command and option', () => {
    for (const { name } of commands) expect(programHelp(commands)).toContain(`  ${name}`);
    for (const command of commands) {
      const text = commandHelp(command);
      expect(text.startsWith(`${command.summary}\n\nUsage: svc ${command.name}`)).toBe(true);
      for (const option of Object.keys(command.options)) expect(text).toContain(`--${option}`);
      expect(text.split('\n').filter((line) => line.length > 130)).toEqual([]);
      expect(text.endsWith('\n')).toBe(true);
    }
  });
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s knows every command and its options', async (shell) => {
    const { status, out, error } = await typed(['completion', shell]);
    expect({ status, error }).toEqual({ status: 0, error: '' });
    for (const { name, options } of commands) {
      expect(out).toContain(name);
      for (const option of Object.keys(options))
        expect(out).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
    }
  });
});

describe('docs', () => {
  test('a block, a connector, an attribute by its path, a function', async () => {
    const say = async (...words: string[]) => (await typed(['docs', ...words])).out;
    expect(await say()).toContain('Blocks: ');
    expect(await say('flow')).toContain('# `flow "name"`');
    expect(await say('rest')).toContain('# Connector `rest`');
    expect(await say('sqlite')).toContain('driver `sqlite`');
    expect(await say('flow', 'to', 'when')).toBe(
      'flow to\n\n- `when` (CEL giving bool; reads `input`, `output`, `step`, `lock`): The write happens only when this is true.\n',
    );
    expect(await say('lower')).toContain('lower(');
    expect(await say('max_requeue')).toContain('flow from filter\n- `max_requeue`');
    expect(await say('rest', 'cors')).toContain('cors');
  });

  test('what plugins of a configuration add', async () => {
    const config = ['--config', join(import.meta.dirname, '../../../examples/plugin')];
    const say = async (...words: string[]) => (await typed(['docs', ...words, ...config])).out;
    expect(await say('gazetteer')).toContain('# Connector `gazetteer`');
    expect(await say('gazetteer', 'country')).toContain('- `country`');
    expect(await say('postcode_area')).toBe(
      '- `postcode_area(code)`: A function of plugin "postcodes": postcodes.wasm. It gives the same for the same arguments.\n',
    );
    expect(await say('postcode')).toContain('- `validator = "postcode"`: A validator of plugin "postcodes"');
    expect((await typed(['docs', 'gazeteer', ...config])).error).toContain('did you mean "gazetteer"?');
  });

  test('what is called nothing', async () => {
    expect(await typed(['docs', 'conector'])).toMatchObject({ status: 1, out: '' });
    expect((await typed(['docs', 'transfrom'])).error).toBe(
      'svc docs: nothing is called "transfrom"; did you mean "transform"?\n',
    );
    for (const words of [['hasOwnProperty'], ['flow', 'constructor'], ['rest', '__proto__']])
      expect(await typed(['docs', ...words])).toEqual({
        status: 1,
        out: '',
        error: `svc docs: nothing is called "${words.join(' ')}"\n`,
      });
  });
});
