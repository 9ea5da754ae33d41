import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { inDirectory, typed } from './testing/typed.ts';

const ugly = 'service {\nname="a"\n}\n';
const neat = 'service {\n  name = "a"\n}\n';
const broken = 'service {\n  name = \n';

describe('fmt', () => {
  test('writes the canonical layout, and reports what it changed', async () => {
    await inDirectory(
      { 'a.hcl': ugly, 'b.hcl': neat, 'c/d.mycel': ugly, 'tests/t.hcl': ugly, 'e.txt': ugly },
      async (directory) => {
        expect(await typed(['fmt'], directory)).toEqual({
          status: 0,
          out: 'a.hcl\nc/d.mycel\ntests/t.hcl\n',
          error: '',
        });
        for (const path of ['a.hcl', 'b.hcl', 'c/d.mycel', 'tests/t.hcl'])
          expect(readFileSync(join(directory, path), 'utf8')).toBe(neat);
        expect(readFileSync(join(directory, 'e.txt'), 'utf8')).toBe(ugly);
        expect(await typed(['fmt'], directory)).toEqual({ status: 0, out: '', error: '' });
      },
    );
  });

  test('--check changes nothing and fails', async () => {
    await inDirectory({ 'a.hcl': ugly, 'b.hcl': neat }, async (directory) => {
      expect(await typed(['fmt', '--check'], directory)).toEqual({
        status: 1,
        out: 'a.hcl\n',
        error: '1 not in the canonical layout; svc fmt writes it\n',
      });
      expect(readFileSync(join(directory, 'a.hcl'), 'utf8')).toBe(ugly);
      expect(await typed(['fmt', '--check', 'b.hcl'], directory)).toEqual({ status: 0, out: '', error: '' });
    });
  });

  test('files with syntax errors are left alone and reported, the others are written', async () => {
    await inDirectory({ 'a.hcl': broken, 'b.hcl': ugly }, async (directory) => {
      const { status, out, error } = await typed(['fmt'], directory);
      expect({ status, out, reported: error.includes('--> a.hcl:') }).toEqual({
        status: 1,
        out: 'b.hcl\n',
        reported: true,
      });
      expect(readFileSync(join(directory, 'a.hcl'), 'utf8')).toBe(broken);
      expect(readFileSync(join(directory, 'b.hcl'), 'utf8')).toBe(neat);
    });
  });

  test('keeps the permissions of a file', async () => {
    await inDirectory({ 'a.hcl': ugly }, async (directory) => {
      const { chmodSync } = await import('node:fs');
      chmodSync(join(directory, 'a.hcl'), 0o640);
      await typed(['fmt'], directory);
      expect((statSync(join(directory, 'a.hcl')).mode & 0o777).toString(8)).toBe('640');
    });
  });
});

describe('init', () => {
  const files = ['service.hcl', 'connectors/api.hcl', 'flows/status.hcl', '.env.example', '.gitignore'];

  test('writes a service that is valid without a warning and in the canonical layout', async () => {
    await inDirectory({}, async (directory) => {
      const { status, out } = await typed(['init', 'shop'], directory);
      expect({ status, out }).toEqual({
        status: 0,
        out: files.map((path) => `${join(directory, 'shop', path)}\n`).join(''),
      });
      expect(await typed(['validate', '--strict', 'shop'], directory)).toEqual({
        status: 0,
        out: 'valid: 3 files, 1 connector, 1 flow; 0 errors, 0 warnings\n',
        error: '',
      });
      expect(await typed(['fmt', '--check', 'shop'], directory)).toEqual({ status: 0, out: '', error: '' });
    });
  });

  test('writes nothing when one of the files is there', async () => {
    await inDirectory({ 'flows/status.hcl': '# mine\n' }, async (directory) => {
      expect(await typed(['init'], directory)).toEqual({
        status: 1,
        out: '',
        error: `svc init: flows/status.hcl already there in ${directory}; nothing was written\n`,
      });
      expect(files.filter((path) => existsSync(join(directory, path)))).toEqual(['flows/status.hcl']);
      expect(readFileSync(join(directory, 'flows/status.hcl'), 'utf8')).toBe('# mine\n');
    });
  });

  const templates = ['rest-sqlite', 'http-gateway', 'queue-worker', 'graphql', 'sign-in', 'file-watcher', 'alerts'];

  test.each(templates)('writes the template %s, valid without a warning and in the canonical layout', async (id) => {
    await inDirectory({}, async (directory) => {
      const { status, out, error } = await typed(['init', 'shop', '--template', id], directory);
      expect({ status, isWritten: out.includes(`${join(directory, 'shop', 'README.md')}\n`) }).toEqual({
        status: 0,
        isWritten: true,
      });
      expect(out).not.toContain('template.json');
      expect(error).toContain('svc start -c shop');
      const checked = await typed(['validate', '--strict', 'shop'], directory);
      expect({ ...checked, out: checked.out.split('; ')[1] }).toEqual({
        status: 0,
        out: '0 errors, 0 warnings\n',
        error: '',
      });
      expect(await typed(['fmt', '--check', 'shop'], directory)).toEqual({ status: 0, out: '', error: '' });
      // A second time it is all there already.
      expect(await typed(['init', 'shop', '--template', id], directory)).toMatchObject({ status: 1, out: '' });
    });
  });

  test('shows the templates, and refuses others by naming them', async () => {
    await inDirectory({}, async (directory) => {
      const { status, out } = await typed(['init', '--list'], directory);
      expect({
        status,
        ids: out
          .trimEnd()
          .split('\n')
          .map((line) => line.split(' ')[0]),
      }).toEqual({
        status: 0,
        ids: templates,
      });
      const refused = await typed(['init', 'shop', '--template', '../../etc'], directory);
      expect({
        status: refused.status,
        isSaid: refused.error.includes(`these exist: ${templates.join(', ')}`),
      }).toEqual({
        status: 2,
        isSaid: true,
      });
      expect(existsSync(join(directory, 'shop'))).toBe(false);
    });
  });

  test('names the service after its directory, whatever that is called', async () => {
    await inDirectory({ 'a ${b} "c"/x.txt': '' }, async (parent) => {
      const directory = join(parent, 'a ${b} "c"');
      expect((await typed(['init'], directory)).status).toBe(0);
      expect((await typed(['validate', '--strict'], directory)).status).toBe(0);
      expect(readFileSync(join(directory, 'service.hcl'), 'utf8')).toContain('name    = "a $${b} \\"c\\""');
    });
  });
});

describe('export', () => {
  const service = {
    'a.hcl':
      'connector "api" {\n  type = "rest"\n}\nflow "f" {\n  from {\n    connector = "api"\n    operation = "GET /a"\n  }\n}\n',
  };

  test('yaml and json say the same, to standard output or a file', async () => {
    await inDirectory(service, async (directory) => {
      const yaml = await typed(['export', 'openapi'], directory);
      const json = await typed(['export', 'openapi', '-f', 'json'], directory);
      expect([yaml.status, yaml.error, json.status, json.error]).toEqual([0, '', 0, '']);
      expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
      expect(await typed(['export', 'openapi', '-o', 'api.yaml'], directory)).toEqual({
        status: 0,
        out: '',
        error: '',
      });
      expect(readFileSync(join(directory, 'api.yaml'), 'utf8')).toBe(yaml.out);
      expect(await typed(['export', 'openapi', '-o', 'no/such/place.yaml'], directory)).toMatchObject({
        status: 1,
        out: '',
      });
    });
  });

  test('the messages that flows take and send, in both formats', async () => {
    const topics = {
      'a.hcl':
        'connector "plant" {\n  type = "mqtt"\n}\nflow "f" {\n  from {\n    connector = "plant"\n    operation = "a/{site}"\n  }\n}\n',
    };
    await inDirectory(topics, async (directory) => {
      const yaml = await typed(['export', 'asyncapi'], directory);
      const json = await typed(['export', 'asyncapi', '-f', 'json'], directory);
      expect([yaml.status, yaml.error, json.status, json.error]).toEqual([0, '', 0, '']);
      expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
      expect(parse(yaml.out)).toMatchObject({ asyncapi: '3.0.0', operations: { f: { action: 'receive' } } });
    });
  });

  test('a configuration with errors is reported and not described', async () => {
    await inDirectory({ 'a.hcl': 'flwo "f" {}\n' }, async (directory) => {
      const { status, out, error } = await typed(['export', 'openapi'], directory);
      expect({ status, out, reported: error.startsWith('error[unknown-block]: there is no block "flwo"\n') }).toEqual({
        status: 1,
        out: '',
        reported: true,
      });
    });
  });

  test('variables of .env are read', async () => {
    await inDirectory(
      { ...service, '.env': 'NAME=from-file\n', 's.hcl': 'service {\n  name = env("NAME")\n}\n' },
      async (directory) => {
        const { out } = await typed(['export', 'openapi', '-f', 'json'], directory);
        expect(JSON.parse(out)).toMatchObject({ info: { title: 'from-file API' } });
      },
    );
  });
});
