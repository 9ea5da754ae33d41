import { describe, expect, test } from 'vitest';
import {
  argument,
  block,
  cel,
  connector,
  duration,
  flag,
  int,
  list,
  map,
  oneOf,
  originOf,
  reference,
  template,
  text,
  type Vocabulary,
} from '../schema/index.ts';
import { type ConfigurationFile, type ConfigurationHost, loadProject } from './index.ts';

const retry = block({
  doc: 'Retries.',
  label: { name: 'name', doc: 'Name.' },
  reusable: true,
  definitionNeeds: ['attempts'],
  attributes: { attempts: int('Tries.', { default: 1 }), delay: duration('Wait.', { default: 1000 }) },
});
const { label: _label, ...unlabelled } = retry;
const flow = block({
  doc: 'A flow.',
  label: { name: 'name', doc: 'Name.' },
  repeated: true,
  attributes: { tags: list('Tags.', text('Tag.')), store: reference('Cache.', 'storage') },
  blocks: {
    from: block({
      doc: 'Source.',
      required: true,
      attributes: {
        connector: reference('Source.', 'connector', { required: true }),
        filter: cel('Gate.', { reads: ['input'], gives: 'bool' }),
      },
    }),
    transform: block({ doc: 'Mapping.', fields: cel('Field.', { reads: ['input', 'output'] }) }),
    step: block({
      doc: 'Step.',
      repeated: true,
      label: { name: 'name', doc: 'Name.' },
      attributes: {
        params: argument('Parameters.', { reads: ['input', 'step'] }),
        key: template('Key.', { reads: ['input'] }),
      },
    }),
    retry: unlabelled,
  },
  unavailable: ['lock'],
});
const service = block({
  doc: 'Service.',
  repeated: true,
  attributes: { name: text('Name.'), port: int('Port.', { default: 9090, min: 0 }) },
});
const vocabulary: Vocabulary = {
  blocks: { flow, retry, service, constants: block({ doc: 'Constants.', repeated: true }) },
  connectors: [
    connector({
      type: 'rest',
      config: block({ doc: 'Server.', attributes: { port: int('Port.', { required: true }), debug: flag('Debug.') } }),
    }),
    connector({
      type: 'cache',
      driver: 'redis',
      driverAliases: ['kv_store'],
      storage: true,
      config: block({
        doc: 'Redis.',
        attributes: {
          url: text('Address.', { required: true }),
          mode: oneOf('Mode.', ['standalone']),
          headers: map('H.', text('v')),
        },
      }),
    }),
  ],
  profiled: block({ doc: 'Profiles.', attributes: { default: text('Profile.') } }),
  everyProfile: block({ doc: 'Profile.' }),
  unavailable: { blocks: ['saga'], connectors: ['mqtt', 'cache/memcached'] },
};

const host: ConfigurationHost = {
  env: (name) => ({ PORT: '3000', EMPTY: '' })[name],
  readFile: (path) => {
    throw new Error(`cannot read ${path}`);
  },
  absolutePath: (path) => `/srv/${path}`,
};

function load(...files: (ConfigurationFile | string)[]) {
  return loadProject(
    files.map((file, index) => (typeof file === 'string' ? { path: `${index}.hcl`, text: file } : file)),
    { vocabulary, host, expressionFunctions: ['now'] },
  );
}

/** `code file:text message` of every problem. */
function problems(...files: string[]) {
  const project = load(...files);
  return project.diagnostics.map(({ code, file, range, message }) => {
    const source = project.files.find((tree) => tree.file === file)?.text ?? '';
    return `${code} ${file} «${source.slice(range.start, range.end)}» ${message}`;
  });
}

const api = 'connector "api" {\n  type = "rest"\n  port = env("PORT")\n}\n';

describe('a project', () => {
  test('holds decoded values with their places', () => {
    const project = load(
      api,
      `constants {\n  size = 250\n}\nflow "list" {\n  tags = "one"\n  from {\n    connector = connector.api\n    filter = "input.id > 1"\n  }\n  transform {\n    b = "input.b"\n    a = constants.size\n    c = input.deep.x\n  }\n}\n`,
    );
    expect(project.diagnostics).toEqual([]);
    const [first] = project.all('flow', flow);
    expect(first?.name).toBe('list');
    expect(first?.values.tags).toEqual(['one']);
    expect(first?.values.from.connector).toBe('api');
    expect(
      first?.values.transform?.fields.map(({ name, value }) => [name, value.source, value.constant?.value]),
    ).toEqual([
      ['b', 'input.b', undefined],
      ['a', '250', 250n],
      ['c', 'input.deep.x', undefined],
    ]);
    const filter = first?.values.from.filter;
    expect(project.files[1]?.text.slice(filter?.origin.range.start, filter?.origin.range.end)).toBe('input.id > 1');
    expect(project.connectors.get('api')?.values['port' as never]).toBe(3000);
    expect(project.constants).toEqual({ size: 250n });
    expect(originOf(first?.values.from as never, 'connector').file).toBe('1.hcl');
  });

  test('folds several service blocks field by field (R-31)', () => {
    const project = load('service {\n  name = "a"\n  port = 1\n}\n', 'service {\n  name = "b"\n}\n');
    expect(project.diagnostics).toEqual([]);
    expect(project.one('service', service)).toMatchObject({ name: 'b', port: 1 });
  });

  test('lays a flow over the definition it uses', () => {
    const project = load(
      `${api}retry "persistent" {\n  attempts = 5\n  delay = "2s"\n}\nflow "f" {\n  from { connector = "api" }\n  retry {\n    use = "retry.persistent"\n    attempts = 2\n  }\n}\n`,
    );
    expect(project.diagnostics).toEqual([]);
    expect(project.all('flow', flow)[0]?.values.retry).toMatchObject({ attempts: 2, delay: 2000 });
  });

  test('tells constants, expressions and templates apart', () => {
    const project = load(
      `${api}flow "f" {\n  from { connector = "api" }\n  step "s" {\n    key = "k:\${input.id}:\${env("PORT")}"\n    params = {\n      a = "input.id"\n      b = "plain text"\n      c = ["now()", 5, "see input"]\n    }\n  }\n}\n`,
    );
    expect(project.diagnostics).toEqual([]);
    const step = project.all('flow', flow)[0]?.values.step[0];
    expect(step?.key?.parts.map((part) => (typeof part === 'string' ? part : { cel: part.source }))).toEqual([
      'k:',
      { cel: 'input.id' },
      ':3000',
    ]);
    const shape = (source: NonNullable<typeof step>['params']): unknown =>
      source?.kind === 'cel'
        ? { cel: source.source }
        : source?.kind === 'constant'
          ? source.value
          : source?.kind === 'list'
            ? source.items.map(shape)
            : Object.fromEntries((source?.entries ?? []).map(([k, v]) => [k, shape(v)]));
    expect(shape(step?.params)).toEqual({
      a: { cel: 'input.id' },
      b: 'plain text',
      c: [{ cel: 'now()' }, 5, 'see input'],
    });
  });
});

describe('problems', () => {
  test('unknown words come with what was meant, unavailable ones by name (R-20, R-26)', () => {
    expect(
      problems(
        'connector "api" {\n  type = "rest"\n  port = 1\n  dbug = true\n}\nflw "x" {}\nsaga "s" {}\nconnector "q" {\n  type = "mqtt"\n}\nflow "f" {\n  from { connector = "ap" }\n  lock {}\n}\n',
      ),
    ).toEqual([
      'unknown-attribute 0.hcl «dbug» connector "api" has no attribute "dbug"',
      'unknown-block 0.hcl «flw» there is no block "flw"',
      'not-available 0.hcl «saga» block "saga" is not available in this version',
      'not-available 0.hcl «"mqtt"» connector type "mqtt" is not available in this version',
      'unknown-connector 0.hcl «"ap"» there is no connector named "ap"',
      'not-available 0.hcl «lock» block "lock" is not available in this version',
    ]);
  });

  test('equal names name both places (R-32)', () => {
    const project = load(
      `${api}flow "f" {\n  from { connector = "api" }\n  step "s" {}\n  step "s" {}\n}\n`,
      'flow "f" {\n  from { connector = "api" }\n}\n',
    );
    expect(
      project.diagnostics.map(({ code, file, related }) => [code, file, related?.map((place) => place.file)]),
    ).toEqual([
      ['duplicate-name', '0.hcl', ['0.hcl']],
      ['duplicate-name', '1.hcl', ['0.hcl']],
    ]);
  });

  test('a required attribute emptied by a variable names the variable', () => {
    expect(problems('connector "c" {\n  type = "cache"\n  driver = "kv_store"\n  url = env("NOPE")\n}\n')).toEqual([
      'missing-attribute 0.hcl «env("NOPE")» connector "c" needs url, and the variable NOPE is not set',
    ]);
  });

  test('R-27: any kind of value for any attribute is a diagnostic or a value, never a crash', () => {
    const values = [
      '5',
      'true',
      '"x"',
      '[1]',
      '{ a = 1 }',
      'null',
      'env("NOPE")',
      'input.x',
      '"${input.x}"',
      '-1.5',
      'file("x")',
      '[for a in [1] : a]',
      'nope(1)',
    ];
    const spots = [
      (v: string) => `connector "c" {\n  type = ${v}\n}\n`,
      (v: string) => `connector "c" {\n  type = "rest"\n  port = ${v}\n  debug = ${v}\n}\n`,
      (v: string) => `connector "c" {\n  type = "cache"\n  driver = ${v}\n  url = ${v}\n}\n`,
      (v: string) =>
        `${api}flow "f" {\n  tags = ${v}\n  store = ${v}\n  from {\n    connector = ${v}\n    filter = ${v}\n  }\n  transform {\n    x = ${v}\n  }\n  step "s" {\n    params = ${v}\n    key = ${v}\n  }\n  retry {\n    attempts = ${v}\n    delay = ${v}\n    use = ${v}\n  }\n}\n`,
      (v: string) => `service {\n  name = ${v}\n  port = ${v}\n}\nconstants {\n  x = ${v}\n}\n`,
    ];
    for (const spot of spots) for (const value of values) expect(load(spot(value)).files).toHaveLength(1);
  });

  test('R-23: a malformed duration names its attribute', () => {
    expect(problems('retry "r" {\n  attempts = 1\n  delay = "5 minutes"\n}\n')).toEqual([
      'malformed-duration 0.hcl «"5 minutes"» delay of retry "r" must be a duration, not "5 minutes"',
    ]);
  });

  test('a cache reference to a connector that is not a cache says so', () => {
    expect(problems(`${api}flow "f" {\n  store = "api"\n  from { connector = "api" }\n}\n`)).toEqual([
      'not-a-storage 0.hcl «"api"» connector "api" is not a cache, so nothing can be stored in it',
    ]);
  });
});

test('a block that is never closed is reported as such, and nothing that it lacks', () => {
  expect(problems('flow "f" {\n', 'connector "c" {\n')).toEqual([
    'syntax-unclosed-block 0.hcl «{» The block "flow" is never closed',
    'syntax-unclosed-block 1.hcl «{» The block "connector" is never closed',
  ]);
});
