import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { vocabulary } from '../../checks/vocabulary.ts';
import { contractNames } from '../add/contracts.ts';
import { kinds } from '../add/kinds.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const service = {
  'service.hcl': 'service {\n  name = "shop"\n}\n',
  'connectors/api.hcl': 'connector "api" {\n  type = "rest"\n}\n',
  'connectors/db.hcl': 'connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = "./a.db"\n}\n',
  'flows/all.hcl': 'flow "list_orders" {\n  from {\n    connector = "api"\n    operation = "GET /orders"\n  }\n}\n',
};

/** What a command wrote, by path; the files that were there are left out. */
async function added(words: readonly string[], environment: Record<string, string> = {}) {
  return inDirectory(service, async (directory) => {
    const result = await typed(['add', ...words], directory);
    const path = result.out.trim().slice(directory.length + 1);
    const text = path === '' ? '' : readFileSync(join(directory, path), 'utf8');
    const checked = await typed(['validate', '--format', 'json'], directory, environment);
    const formatted = await typed(['fmt', '--check'], directory);
    const { problems } = JSON.parse(checked.out) as { problems: { severity: string; message: string; code: string }[] };
    const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    return { ...result, path, text, errors, isCanonical: formatted.status === 0 };
  });
}

describe('svc add writes', () => {
  test('a flow', async () => {
    expect(
      await added(['flow', 'fetch', '--from', 'api', '--operation', 'GET /orders/:id', '--to', 'db', '--target', 'o']),
    ).toMatchObject({
      status: 0,
      error: '',
      path: 'flows/fetch.hcl',
      errors: [],
      isCanonical: true,
      text: `flow "fetch" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  to {
    connector = "db"
    target    = "o"
  }
}
`,
    });
  });

  test('a flow of which little is known, with what is missing as comments', async () => {
    const { text, isCanonical } = await added(['flow', 'later', '--from', 'api', '--to', 'db']);
    expect({ text, isCanonical }).toEqual({
      isCanonical: true,
      text: `flow "later" {
  from {
    connector = "api"
    # TODO: operation = "GET /…"
  }
  to {
    connector = "db"
    # TODO: one of target, query, transaction
  }
}
`,
    });
    expect((await added(['flow', 'empty'])).text).toBe(`flow "empty" {
  # TODO: from { connector = "…" }, or when
  # TODO: what it does: step, transform, to, response
}
`);
  });

  test('connectors, with a variable for everything that must be said', async () => {
    expect(await added(['connector', 'stock', '--type', 'http'], { STOCK_BASE_URL: 'http://x' })).toMatchObject({
      path: 'connectors/stock.hcl',
      errors: [],
      isCanonical: true,
      text: `# TODO: set STOCK_BASE_URL, for example in .env
connector "stock" {
  type     = "http"
  base_url = env("STOCK_BASE_URL")
}
`,
    });
    expect((await added(['connector', 'kept', '--type', 'cache', '--driver', 'memory'])).text).not.toContain('TODO');
  });

  test.each(vocabulary.connectors.map((spec) => [spec.type, spec.driver, spec] as const))(
    'a connector %s %s that is valid once its variables are set',
    async (type, driver, spec) => {
      const words = ['connector', 'one', '--type', type, ...(driver === undefined ? [] : ['--driver', driver])];
      const { text, isCanonical } = await added(words);
      const variables = [...text.matchAll(/env\("(\w+)"\)/g)].map(([, name]) => name as string);
      const values = variables.map((name) => [name, sampleOf(name, spec)]);
      const { errors } = await added(words, Object.fromEntries(values));
      // Two servers on the standard port meet, and definitions are written by hand: the person who adds it decides.
      const own = errors.filter((error) => !error.startsWith('port ') && !error.endsWith('holds no .proto file'));
      expect([isCanonical, own]).toEqual([true, []]);
    },
  );

  test('types, validators, transforms and constants', async () => {
    expect(await added(['type', 'order', '--fields', 'email:string:email,total:number'])).toMatchObject({
      errors: [],
      isCanonical: true,
      text: 'type "order" {\n  email = string({ format = "email" })\n  total = number\n}\n',
    });
    expect(await added(['validator', 'code', '--pattern', '^[A-Z]{2}$'])).toMatchObject({
      errors: [],
      isCanonical: true,
      text: 'validator "code" {\n  type    = "regex"\n  pattern = "^[A-Z]{2}$"\n  # TODO: message = "…", what the caller reads\n}\n',
    });
    expect(await added(['validator', 'even', '--expr', 'value % 2 == 0'])).toMatchObject({ errors: [] });
    expect(await added(['transform', 'neat', '--fields', 'a,b'])).toMatchObject({
      errors: [],
      isCanonical: true,
      text: 'transform "neat" {\n  # TODO: what each field is; it is that of the message now\n  a = "input.a"\n  b = "input.b"\n}\n',
    });
    expect(
      await added(['constants', 'sizes', '--value', 'page=50', '--value', 'note=a, b ${c}', '--value', 'on=true']),
    ).toMatchObject({
      errors: [],
      isCanonical: true,
      text: 'constants {\n  page = 50\n  note = "a, b $${c}"\n  on   = true\n}\n',
    });
  });

  const later = [
    ['aspect', ['audit', '--on', 'list_*', '--when', 'after', '--action-connector', 'db', '--target', 'a']],
    ['saga', ['ship', '--from', 'api', '--operation', 'POST /ship', '--steps', 'pack,send']],
    ['state-machine', ['life', '--states', 'open,paid', '--initial', 'open']],
  ] as const;
  test.each(later)('%s, where this version has it', async (name, words) => {
    const kind = kinds.find((each) => each.name === name);
    const { status, path, error, errors, isCanonical } = await added([name, ...words]);
    if (vocabulary.blocks[kind?.word ?? ''] === undefined) {
      expect({ status, path }).toEqual({ status: 2, path: '' });
      expect(error).toContain(`${kind?.word} is not available in this version`);
    } else expect({ status, isCanonical, errors }).toEqual({ status: 0, isCanonical: true, errors: [] });
  });
});

const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/**
 * What a variable may have: addresses are those that the pages of connectors show; of those that show none, one that every
 * connector takes.
 */
function sampleOf(name: string, { config }: (typeof vocabulary.connectors)[number]): string {
  if (name.endsWith('PRIVATE_KEY')) return privateKey;
  if (!/(?:URL|ENDPOINT|REDIRECT_URI|ISSUER)$/.test(name)) return name.toLowerCase();
  return JSON.parse(config.attributes['url']?.example ?? '"https://x"');
}

describe('svc add refuses', () => {
  test.each<[string[], number, string]>([
    [[], 2, 'name what to add: connector, flow, type, '],
    [['flwo', 'x'], 2, 'did you mean flow\\?'],
    [['flow'], 2, 'name the flow'],
    [['flow', '../x'], 2, '"../x" is not a name'],
    [['flow', 'x', '--fields', 'a'], 2, 'a flow has no --fields; it takes --from, '],
    [['flow', 'x', '--from', 'apii'], 2, 'there is no connector "apii"; did you mean "api"\\?; these exist: api, db'],
    [['flow', 'x', '--from', 'db'], 2, 'nothing can start at "db"'],
    [['flow', 'x', '--to', 'api'], 2, 'nothing can be sent to "api"'],
    [['flow', 'x', '--from', 'api', '--operation', 'list'], 2, '--operation: `list` is not an operation'],
    [['flow', 'x', '--operation', 'GET /'], 2, '--operation belongs to --from'],
    [['flow', 'x', '--target', 't'], 2, '--target belongs to --to'],
    [['flow', 'list_orders'], 1, 'there is a flow "list_orders" already; nothing was written'],
    [['connector', 'db', '--type', 'http'], 1, 'there is a connector "db" already; nothing was written'],
    [['connector', 'x'], 2, 'name its --type'],
    [['connector', 'x', '--type', 'rset'], 2, 'type "rset" is unknown; these exist: rest, '],
    [['connector', 'x', '--type', 'database'], 2, 'database needs a --driver: sqlite, '],
    [['type', 'x', '--fields', 'a:text'], 2, 'there is no type "text"; it is one of string, '],
    [['type', 'x', '--fields', 'a:string:mail'], 2, 'there is no format "mail"; it is one of email, '],
    [['type', 'x', '--fields', 'a:number:email'], 2, 'a format is that of a text'],
    [['type', 'x', '--fields', 'a'], 2, '--fields takes NAME:TYPE'],
    [['transform', 'x', '--fields', 'a-b'], 2, '"a-b" is not a name for a field'],
    [['validator', 'x'], 2, 'say what it checks'],
    [['validator', 'x', '--pattern', '('], 2, '--pattern: '],
    [['validator', 'x', '--expr', 'value >'], 2, '--expr: '],
    [['validator', 'x', '--type', 'regex', '--expr', 'true'], 2, 'needs --pattern, not --expr'],
    [['constants', 'x', '--value', 'a'], 2, '--value takes NAME=VALUE'],
    [['flow', '--list'], 2, '--list shows kinds'],
    [['saga', 'list_orders', '--from', 'api'], 1, 'there is a flow "list_orders" already; nothing was written'],
    [['aspect', 'a', '--on', '*', '--when', 'around', '--action-connector', 'db'], 2, 'an action runs before, after'],
    [['aspect', 'a', '--on', '*', '--action-flow', 'list_orders', '--target', 'a'], 2, '--target belongs to'],
    [['validator', 'x', '--type', 'wasm', '--expr', 'true'], 2, 'a validator of type wasm needs --wasm, not --expr'],
  ])('%j', async (words, status, message) => {
    const result = await added(words);
    expect({ status: result.status, path: result.path }).toEqual({ status, path: '' });
    expect(result.error).toMatch(new RegExp(message));
  });

  test('files that are there, and names that are used in files with errors', async () => {
    const files = { ...service, 'types/order.hcl': '# mine\n', 'broken.hcl': 'validator "v" {\n  type =\n}\n' };
    await inDirectory(files, async (directory) => {
      expect(await typed(['add', 'type', 'order'], directory)).toEqual({
        status: 1,
        out: '',
        error: 'svc add: types/order.hcl is there already; nothing was written\n',
      });
      expect(readFileSync(join(directory, 'types/order.hcl'), 'utf8')).toBe('# mine\n');
      expect(await typed(['add', 'validator', 'v', '--expr', 'true'], directory)).toMatchObject({
        status: 1,
        error: 'svc add: there is a validator "v" already; nothing was written\n',
      });
      expect(existsSync(join(directory, 'validators'))).toBe(false);
    });
  });

  test('constants that are declared anywhere', async () => {
    await inDirectory({ ...service, 'c.hcl': 'constants {\n  a = 1\n}\n' }, async (directory) => {
      expect(await typed(['add', 'constants', 'more', '--value', 'a=2'], directory)).toMatchObject({
        status: 2,
        error: expect.stringContaining('there is a constant "a" already'),
      });
      expect(readdirSync(directory)).not.toContain('constants');
    });
  });
});

test('lists the kinds and the types of connectors that this version has', async () => {
  const { status, out } = await typed(['add', '--list']);
  const names = out.split('\n').map((line) => line.split(' ')[0]);
  const known = kinds.filter(({ word }) => word === 'connector' || vocabulary.blocks[word] !== undefined);
  expect({ status, names }).toEqual({ status: 0, names: [...known.map(({ name }) => name), ...contractNames, ''] });
  const types = await typed(['add', 'connector', '--list']);
  expect(types.out.split('\n').slice(0, 2)).toEqual(['--type rest --driver server', '--type http --driver client']);
});
