import type { Diagnostic } from '@svc/protocol/text';
import { describe, expect, test } from 'vitest';
import { type Findings, reportJson, reportSarif, reportText } from './report.ts';
import { inDirectory, typed } from './testing/typed.ts';

const text = 'service {\n\tnmae = "ä𝄞" # not a name\n}\n';
const at = (part: string) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length });

const unknown: Diagnostic = {
  code: 'unknown-attribute',
  severity: 'error',
  family: 'config',
  message: 'service has no attribute "nmae"',
  file: 'a.hcl',
  range: at('nmae'),
  help: 'Did you mean "name"?',
  related: [{ message: 'the block is here', file: 'a.hcl', range: at('service') }],
};
const advice: Diagnostic = {
  code: 'crowded-file',
  severity: 'info',
  family: 'config',
  message: 'a.hcl holds 9 declarations',
  file: 'a.hcl',
  range: at('# not'),
};
const elsewhere: Diagnostic = {
  code: 'dotenv-line',
  severity: 'warning',
  family: 'config',
  message: 'line 3: no name',
  file: '.env',
  range: { start: 0, end: 0 },
};
const findings: Findings = { diagnostics: [unknown, advice, elsewhere], texts: new Map([['a.hcl', text]]) };

describe('problems for people', () => {
  test('message, place, line with carets, related places, help', () => {
    expect(reportText(findings, false)).toBe(
      `error[unknown-attribute]: service has no attribute "nmae"
  --> a.hcl:2:2
   |
 2 | \tnmae = "ä𝄞" # not a name
   | \t^^^^
   = the block is here: a.hcl:1:1
   = help: Did you mean "name"?

info[crowded-file]: a.hcl holds 9 declarations
  --> a.hcl:2:15
   |
 2 | \tnmae = "ä𝄞" # not a name
   | \t             ^^^^^
 
warning[dotenv-line]: line 3: no name
  --> .env
`.replace('\n \n', '\n\n'),
    );
  });

  test('colours only on a terminal', () => {
    const plain = reportText(findings, false);
    const coloured = reportText(findings, true);
    expect(plain.includes('\u001b')).toBe(false);
    expect(coloured.replace(/\u001b\[[\d;]*m/g, '')).toBe(plain);
    expect(coloured).not.toBe(plain);
  });

  test('a range of several lines is marked to the end of its first', () => {
    const range = { start: 0, end: text.length };
    const { diagnostics: _, ...rest } = findings;
    expect(
      reportText({ ...rest, diagnostics: [{ ...advice, range }] }, false)
        .split('\n')
        .slice(2, 5),
    ).toEqual(['   |', ' 1 | service {', '   | ^^^^^^^^^']);
  });
});

describe('problems for programs', () => {
  test('JSON', () => {
    expect(JSON.parse(reportJson(findings, false))).toEqual({
      valid: false,
      summary: { errors: 1, warnings: 1, infos: 1 },
      problems: [
        {
          code: 'unknown-attribute',
          family: 'config',
          severity: 'error',
          message: 'service has no attribute "nmae"',
          file: 'a.hcl',
          range: { start: { line: 2, column: 2, offset: 11 }, end: { line: 2, column: 6, offset: 15 } },
          related: [
            {
              message: 'the block is here',
              file: 'a.hcl',
              range: { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 8, offset: 7 } },
            },
          ],
          help: 'Did you mean "name"?',
        },
        {
          code: 'crowded-file',
          family: 'config',
          severity: 'info',
          message: 'a.hcl holds 9 declarations',
          file: 'a.hcl',
          range: { start: { line: 2, column: 15, offset: 24 }, end: { line: 2, column: 20, offset: 29 } },
          related: [],
          help: '',
        },
        {
          code: 'dotenv-line',
          family: 'config',
          severity: 'warning',
          message: 'line 3: no name',
          file: '.env',
          range: { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: 0 } },
          related: [],
          help: '',
        },
      ],
    });
  });

  test('SARIF', () => {
    const region = { startLine: 2, startColumn: 2, endLine: 2, endColumn: 6 };
    expect(JSON.parse(reportSarif({ ...findings, diagnostics: [unknown] }, '1.2.3'))).toEqual({
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'svc', version: '1.2.3', rules: [{ id: 'unknown-attribute' }] } },
          columnKind: 'utf16CodeUnits',
          results: [
            {
              ruleId: 'unknown-attribute',
              level: 'error',
              message: { text: 'service has no attribute "nmae". Did you mean "name"?' },
              locations: [{ physicalLocation: { artifactLocation: { uri: 'a.hcl' }, region } }],
              relatedLocations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'a.hcl' },
                    region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 8 },
                  },
                  message: { text: 'the block is here' },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});

describe('R-100: one run reports everything, with stable exit codes, for people and programs', () => {
  const files = {
    'flows/a.hcl': 'flwo "f" {}\n',
    'b.hcl': 'connector "api" {\n  type = "rset"\n}\n',
    'c.hcl': 'type "t" {\n  a = strng\n}\n',
  };

  test('errors of all files and all kinds at once', async () => {
    await inDirectory(files, async (directory) => {
      const { status, out, error } = await typed(['validate', '--format', 'json', directory]);
      const report = JSON.parse(out) as { valid: boolean; summary: object; problems: { code: string; file: string }[] };
      expect({ status, error, valid: report.valid, summary: report.summary }).toEqual({
        status: 1,
        error: '',
        valid: false,
        summary: { errors: 3, warnings: 0, infos: 1 },
      });
      expect(report.problems.map(({ code, file }) => [file, code])).toEqual([
        ['b.hcl', 'unknown-type'],
        ['c.hcl', 'unknown-type'],
        ['flows/a.hcl', 'unknown-block'],
        // Advice comes after what is wrong.
        ['c.hcl', 'unused'],
      ]);
    });
  });

  test('warnings alone are valid, and invalid with --strict', async () => {
    await inDirectory({ 'a.hcl': 'service {\n  name = env("NAME")\n}\n' }, async (directory) => {
      const statuses = [];
      for (const words of [['validate'], ['validate', '--strict'], ['validate', '--format', 'json', '--strict']])
        statuses.push((await typed(words, directory)).status);
      expect(statuses).toEqual([0, 1, 1]);
      expect((await typed(['validate', '--strict'], directory, { NAME: 'a' })).status).toBe(0);
    });
  });

  test('what is wrong in production alone is found with --env, SVC_ENV or .env, and warnings of it fail with --strict', async () => {
    const open =
      'connector "api" {\n  type = "rest"\n}\nconnector "db" {\n  type = "database"\n  driver = "sqlite"\n  database = "a.db"\n}\nflow "all" {\n  from {\n    connector = "api"\n    operation = "GET /"\n  }\n  to {\n    connector = "db"\n    target = "t"\n  }\n}\n';
    const weak = open.replace('type = "rest"', 'type = "rest"\n  auth {\n    type = "jwt"\n    secret = "short"\n  }');
    const statuses = (text: string, more: Record<string, string> = {}) =>
      inDirectory({ 'a.hcl': text, ...more }, async (directory) => {
        const found: number[] = [];
        const status = async (words: string[], environment = {}) =>
          found.push((await typed(['validate', ...words], directory, environment)).status);
        await status([]);
        await status(['--strict']);
        await status(['--env', 'production']);
        await status(['--env', 'production', '--strict']);
        await status(['--strict'], { SVC_ENV: 'production' });
        await status(['--strict', '--env', 'development'], { SVC_ENV: 'production' });
        return found;
      });
    expect(await statuses(open)).toEqual([0, 0, 0, 1, 1, 0]);
    expect(await statuses(weak)).toEqual([0, 0, 1, 1, 1, 0]);
    expect(await statuses(weak, { '.env': 'SVC_ENV=staging\n' })).toEqual([1, 1, 1, 1, 1, 0]);
  });

  test.each(['text', 'json', 'sarif'])('values of env() and file() are in no report, as %s', async (format) => {
    const secret = 'Zq8vPlantedSecretKx';
    const files = {
      'a.hcl': `connector "api" {\n  type = "rest"\n  port = env("SECRET")\n}\nconnector "db" {\n  type     = file("secret.txt")\n  driver   = "\${env("SECRET")}x"\n  database = "a.db"\n}\nservice {\n  log_level = env("SECRET")\n}\n`,
      'secret.txt': secret,
    };
    await inDirectory(files, async (directory) => {
      const words = ['validate', '--format', format, directory];
      const { status, out, error } = await typed(words, directory, { SECRET: secret });
      expect(status).toBe(1);
      expect(out + error).toContain('a.hcl');
      expect(out + error).not.toMatch(/zq8v|planted/i);
    });
  });

  const remedy =
    '   = help: Configuration is every file below the directory that ends in .hcl or .mycel. Name another directory with -c, or begin with svc init.\n';

  test.each([
    ['nothing', {}, 'the directory holds no configuration', '0 files'],
    [
      'no configuration',
      { 'notes.txt': 'x', '.hidden.hcl': 'service {\n}\n' },
      'the directory holds no configuration',
      '0 files',
    ],
    ['empty files', { 'a.hcl': '', 'b.hcl': '# nothing\n' }, 'the files declare nothing', '2 files'],
    ['tests alone', { 'tests/a.hcl': 'test "a" {\n  flow = "a"\n}\n' }, 'the files declare nothing', '1 file'],
  ] as const)('a directory that holds %s is not a configuration', async (_, files, message, size) => {
    await inDirectory(files, async (directory) => {
      const { status, out, error } = await typed(['validate'], directory);
      expect({ status, error }).toEqual({ status: 1, error: '' });
      expect(out).toContain(`error[empty-configuration]: ${message}\n  --> .\n${remedy}`);
      expect(out).toContain(`invalid: ${size}, 0 connectors, 0 flows; `);
    });
  });
});
