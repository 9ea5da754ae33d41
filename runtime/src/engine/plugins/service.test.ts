import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinedChannels, WireClient } from '@svc/protocol/wire';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { answering, echoing, moduleText } from '../../../../test/support/wasm.ts';
import { maskCredentials } from '../../foundation/observe/mask.ts';
import { startModules, stopServices, writeModule } from './testing/service.ts';
import { flow, longer, loop, service } from './testing/texts.ts';

afterEach(stopServices);

const functions = `functions "echoes" {
  wasm          = "echo.wasm"
  exports       = ["echo(a, b)", "any", "fixed()", "stop()", "fail()"]
  deterministic = ["fixed"]
  timeout       = "300ms"
}
`;
const echo = moduleText(
  [
    echoing('echo'),
    echoing('any'),
    answering('fixed', '{"result":"the same"}', 1100),
    answering('fail', '{"error":"no such country"}', 1200),
    `(func (export "stop") (param i32 i32) (result i32) ${loop})`,
  ].join('\n'),
);

describe('functions of a module', () => {
  test('are called wherever a place waits, in the order in which it is written', async () => {
    const { ask, metrics } = await startModules(
      {
        'service.hcl': `${service}${functions}connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
${flow('shape', '  transform {\n    a = "echo(input.x, 1).args"\n    b = "[1, 2].map(i, echo(i, output.a[0]).args[0])"\n    c = "fixed() + string(size(any().args))"\n  }')}
${flow('answer', '  response {\n    http_status_code = "200 + int(echo(1, 2).args[0])"\n    headers = { x_said = "fixed()" }\n    said = "echo(output.x, output.y).args"\n  }')}
${flow('gate', '  accept {\n    when = "echo(input.x, 1).args[0] == 5.0"\n  }\n  transform {\n    a = "1"\n  }')}
${flow(
  'asked',
  `  step "made" {
    connector = "db"
    query     = "SELECT :one AS one, :two AS two"
    params    = { one = "echo(input.x, 2).args[0]", two = "plain" }
    when      = "echo(input.x, 0).args[0] > 1.0"
  }
  response {
    made = "step.made"
  }`,
)}
`,
      },
      { 'echo.wasm': echo },
    );
    expect(await ask('POST', '/shape', { x: 7 })).toEqual([200, { a: [7, 1], b: [1, 2], c: 'the same0' }]);
    expect(await ask('POST', '/answer', { x: 'ä', y: [null] })).toEqual([201, { said: ['ä', [null]] }]);
    expect(await ask('POST', '/gate', { x: 5 })).toEqual([200, { a: 1 }]);
    expect(await ask('POST', '/gate', { x: 6 })).toEqual([200, { status: 'dropped', reason: 'accept' }]);
    expect(await ask('POST', '/asked', { x: 3 })).toEqual([200, { made: { one: 3, two: 'plain' } }]);
    expect(await ask('POST', '/asked', { x: 1 })).toEqual([200, { made: null }]);
    const all = await Promise.all(Array.from({ length: 100 }, (_, x) => ask('POST', '/shape', { x })));
    expect(all.map(([, body]) => body.a[0])).toEqual(Array.from({ length: 100 }, (_, x) => x));
    // It is deterministic and its arguments are constant: once for each expression.
    expect(await metrics()).toMatch(/svc_module_calls_total\{module="echoes",function="fixed",status="success"\} 2\n/);
  });

  test('A-03: fail the message alone: an error, a limit', async () => {
    const { ask, metrics, lines } = await startModules(
      {
        'service.hcl': `${service}${functions}${flow('fail', '  transform {\n    a = "fail()"\n  }')}${flow('stop', '  transform {\n    a = "stop()"\n  }')}${flow('good', '  transform {\n    a = "echo(input.x, 1).args[0]"\n  }')}`,
      },
      { 'echo.wasm': echo },
    );
    const answers = await Promise.all(
      ['stop', 'good', 'fail', 'good', 'stop', 'good'].map((name, x) => ask('POST', `/${name}`, { x })),
    );
    expect(answers.map(([status, body]) => (status === 200 ? body : status))).toEqual([
      500,
      { a: 1 },
      500,
      { a: 3 },
      500,
      { a: 5 },
    ]);
    const text = await metrics();
    expect(text).toMatch(/svc_module_ended_total\{module="echoes"\} 2\n/);
    expect(text).toMatch(/svc_module_calls_total\{module="echoes",function="stop",status="error"\} 2\n/);
    expect(lines.map(({ message }) => message)).toContain('a call of functions "echoes" was ended at its time limit');
  });
});

test('S-83: a module that cannot be started ends the start, and a reload with it changes nothing', async () => {
  const files = {
    'service.hcl': `${service}${functions}${flow('good', '  transform {\n    a = "echo(input.x, 1).args[0]"\n  }')}`,
  };
  const broken = echo.replace('(module', '(module (func $start (unreachable)) (start $start)');
  await expect(startModules(files, { 'echo.wasm': broken })).rejects.toThrow(
    'functions "echoes" cannot be started: unreachable',
  );
  const { ask, directory, service: running } = await startModules(files, { 'echo.wasm': echo });
  await writeModule(directory, 'echo.wasm', broken);
  expect(await running.reload()).toBe(false);
  expect(await ask('POST', '/good', { x: 5 })).toEqual([200, { a: 5 }]);
  await writeModule(directory, 'echo.wasm', echo);
  expect(await running.reload()).toBe(true);
  expect(await ask('POST', '/good', { x: 6 })).toEqual([200, { a: 6 }]);
});

describe('a connector of a plugin', () => {
  const manifest = `plugin {
  name    = "geo"
  version = "1.2.0"
}
provides {
  connector "places" {
    wasm = "geo.wasm"
    config {
      country = string({ required = true, description = "Where." })
      account = string({ sensitive = true })
      limit   = number({ default = 5 })
      exact   = "bool"
    }
  }
  functions {
    wasm    = "geo.wasm"
    exports = ["distance(from, to)"]
  }
  validator "zip" {
    wasm    = "geo.wasm"
    message = "must be a ZIP code"
  }
}
`;
  const files = {
    'plugins/geo/plugin.hcl': manifest,
    'service.hcl': `${service}plugin "geo" {
  source = "./plugins/geo"
}
connector "geo" {
  type    = "places"
  country = "de"
  account = env("KEY")
}
type "place" {
  zip = string({ validator = "zip" })
}
${flow('find', '  to {\n    connector = "geo"\n    target = "places"\n  }', 'GET /places/:id')}
${flow('add', '  validate {\n    input = "place"\n  }\n  to {\n    connector = "geo"\n    target = "places"\n  }')}
${flow('call', '  step "asked" {\n    connector = "geo"\n    operation = "GET /near"\n    params = { at = "input.at", far = "distance(1, 2)" }\n  }\n  enrich "more" {\n    connector = "geo"\n    operation = "places"\n  }\n  transform {\n    asked = "step.asked"\n    more  = "enriched.more"\n  }')}
`,
  };
  const geo = (read = answering('read', '{"rows":[{"id":1,"name":"Berlin"}]}', 1100)) =>
    moduleText(
      [
        read,
        echoing('call'),
        answering('write', '{"affected":1,"id":"n1"}', 1300),
        echoing('distance'),
        longer('validate_zip', 15),
        answering('init', '{}', 1400),
        answering('close', '{}', 1500),
      ].join('\n'),
    );

  test('reads, writes and is asked; its functions and validators are there too', async () => {
    const { ask, health } = await startModules(files, { 'plugins/geo/geo.wasm': geo() });
    expect(await ask('GET', '/places/1')).toEqual([200, [{ id: 1, name: 'Berlin' }]]);
    expect(await ask('POST', '/add', { zip: '123456' })).toEqual([200, { affected: 1, id: 'n1' }]);
    expect((await ask('POST', '/add', { zip: '1' }))[0]).toBe(400);
    expect(await ask('POST', '/call', { at: 'x' })).toEqual([
      200,
      {
        asked: {
          operation: 'GET /near',
          target: null,
          params: { at: 'x', far: { args: [1, 2] } },
          payload: null,
          headers: {},
        },
        more: { operation: 'places', target: null, params: {}, payload: null, headers: {} },
      },
    ]);
    expect(JSON.stringify(await health())).toContain('geo');
    expect(maskCredentials('the account a-key-that-is-secret')).toBe('the account ***');
  });

  test('debuggers see it, its modules, and what each of them has done', async () => {
    const loops = `(func (export "read") (param i32 i32) (result i32) ${loop})`;
    const {
      ask,
      directory,
      service: running,
    } = await startModules(
      {
        ...files,
        'service.hcl': files['service.hcl'].replace('"./plugins/geo"', '"./plugins/geo"\n  timeout = "200ms"'),
      },
      { 'plugins/geo/geo.wasm': geo(loops) },
    );
    expect((await ask('GET', '/places/1'))[0]).toBe(500);
    expect((await ask('POST', '/call', { at: 'x' }))[0]).toBe(200);
    const [ours, theirs] = joinedChannels();
    const client = new WireClient(ours);
    await running.debug?.connect(theirs);
    const { capabilities } = await client.call('debug.attach', {});
    expect(capabilities).toContain('modules');
    const found = await client.call('inspect.modules', {});
    const hash = createHash('sha256')
      .update(readFileSync(join(directory, 'plugins/geo/geo.wasm')))
      .digest('hex');
    const module = {
      name: 'geo/geo.wasm',
      plugin: 'geo',
      path: './plugins/geo/geo.wasm',
      hash,
      limits: { timeoutMs: 200, maxMemoryMb: 64, maxBytes: 1_048_576, instances: 1 },
      ...{ instances: 1, waiting: 0, calls: 0, failed: 0, ended: 0, rebuilt: 0 },
    };
    expect(found).toEqual({
      plugins: [
        {
          name: 'geo',
          version: '1.2.0',
          description: '',
          source: './plugins/geo',
          manifest: 'plugins/geo/plugin.hcl',
          icon: null,
          hash: null,
          connectors: ['places'],
          functions: ['distance'],
          validators: ['zip'],
          sanitizers: [],
        },
      ],
      modules: [
        { ...module, kind: 'functions', serves: ['distance'], calls: 1 },
        { ...module, kind: 'validator', serves: ['zip'] },
        { ...module, kind: 'connector', serves: ['geo'], calls: 3, failed: 1, ended: 1 },
      ],
    });
    expect(JSON.stringify(found)).not.toContain('a-key-that-is-secret');
    client.close();
  });

  test.each([
    ['init answers an error', answering('init', '{"error":"no such country"}', 1400), 'init: no such country'],
    [
      'init traps',
      '(func (export "init") (param i32 i32) (result i32) (unreachable))',
      'cannot be started: unreachable',
    ],
  ])('S-83: does not start where %s', async (_, init, says) => {
    const module = moduleText(
      [
        answering('read', '[]', 1100),
        echoing('call'),
        echoing('write'),
        echoing('distance'),
        longer('validate_zip', 1),
        init,
      ].join('\n'),
    );
    const problem = await startModules(files, { 'plugins/geo/geo.wasm': module }).catch((error: unknown) => error);
    expect(problem).toMatchObject({ unreachable: [{ connector: 'geo', reason: expect.stringContaining(says) }] });
  });

  test('A-07: whose module changes is exchanged when the service is loaded again, and stays open when it does not', async () => {
    const { ask, lines, directory, service: running } = await startModules(files, { 'plugins/geo/geo.wasm': geo() });
    await writeModule(directory, 'plugins/geo/geo.wasm', geo(answering('read', '{"rows":[{"id":2}]}', 1100)));
    if (!(await running.reload())) throw new Error(JSON.stringify(lines.slice(-3)));
    expect(await ask('GET', '/places/1')).toEqual([200, [{ id: 2 }]]);
    for (let round = 0; round < 50; round++) await running.reload();
    await until(async () => (await ask('GET', '/places/1'))[0] === 200);
    expect(await ask('GET', '/places/1')).toEqual([200, [{ id: 2 }]]);
  });
});
