import { type EventName, events } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { RemoteStorage } from '../../../engine/flow/testing/remote-storage.ts';
import type { HiddenValues } from '../../../engine/workflows/hidden-values.ts';
import { client, debugged, next } from '../testing/debugged.ts';

/** Planted in a header; every piece of it, and of what rules make of it, is searched in everything that is shown. */
const planted = 'Bearer Zq8vPlantedSecretKx';
const pieces = /zq8v|planted|secretkx|wnE4|UGxhbnRlZA|xktercesdetnalp/i;

test('what a saga has kept is not shown under any name, nor in flows that it calls, where rules read what is hidden', async () => {
  const kept = { tok: 'plantedSecretKx', list: [{ deep: 'Zq8vPlanted' }], n: 7n, flag: true };
  const called = `flow "g" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  transform {
    a = "input.tok"
    b = "upper(input.tok) + 'x'"
    c = "input.list[0].deep"
    n = "input.n"
  }
  to {
    connector = "peer"
    operation = "POST /z"
  }
}`;
  const said = async (hidden: HiddenValues | undefined, masksNames: boolean) => {
    const service = await debugged(called, { masksNames });
    const wire = await client(service);
    const received: unknown[] = [];
    for (const event of Object.keys(events) as EventName[]) wire.on(event, (params) => received.push(params));
    const ended = next(wire, 'event.flowEnd');
    await service.deliver('g', { ...kept }, { hidden });
    await ended;
    return JSON.stringify(received, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  };
  expect(await said('always', false)).not.toMatch(pieces);
  expect(await said('outside_development', true)).not.toMatch(pieces);
  expect(await said('outside_development', false)).toMatch(/plantedSecretKx.*PLANTEDSECRETKXx/);
  expect(await said(undefined, true)).toMatch(/plantedSecretKx.*PLANTEDSECRETKXx/);
});

const rules = `
    tok     = "input.headers.authorization"
    part    = "input.headers.authorization.split(' ')[1]"
    upper   = "upper(output.part)"
    again   = "output.upper.substring(3, 10)"
    long    = "size(output.tok) + 4000"
    pieces  = "output.part.split('P')"
    coded   = "base64.encode(bytes(output.tok))"
    same    = "output.tok == input.name"
    chosen  = "lower(input.headers[input.which])"
    headers = "input.headers"
    all     = "merge(input, {'x': upper(input.headers[input.which])})"
    keyed   = "{input.headers.authorization: 1}"
    name    = "input.name"
    greeted = "'hello ' + input.name"`;

const configuration = `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
    filter    = "input.headers.authorization != ''"
  }
  step "echo" {
    connector = "peer"
    operation = "POST /y"
    body      = { credential = "input.headers.authorization.split(' ')[1]" }
  }
  transform {${rules}
    echoed  = "step.echo.given"
    echoed2 = "lower(step.echo.given)"
  }
  to {
    connector = "peer"
    operation = "POST /z"
  }
  response {
    answer = "output.tok"
    rest   = "output"
  }
}`;

test.each([
  ['development', false],
  ['production', true],
])('a secret of a header is in nothing that is shown in %s, whatever rules make of it', async (_, masksNames) => {
  const service = await debugged(configuration, {
    masksNames,
    answer: () => ({ value: { tok: planted, given: 'Zq8vPlantedSecretKx', note: `it was ${planted}` } }),
  });
  const wire = await client(service, ['dropped', 'holdIntake']);
  const said: unknown[] = [];
  const shown: Record<string, unknown> = {};
  for (const event of Object.keys(events) as EventName[])
    wire.on(event, (params) => {
      said.push([event, params]);
      if (event === 'event.ruleEval') {
        const { stage, target, result } = params as unknown as Record<string, string>;
        if (stage === 'transform') shown[target as string] = result;
      }
    });
  const stages = ['filter', 'step', 'transform', 'write', 'response'];
  await wire.call('debug.setBreakpoints', {
    flow: 'f',
    breakpoints: [
      ...stages.map((stage) => ({ stage, ruleIndex: -1 })),
      { stage: 'transform', ruleIndex: 9 },
      { stage: 'response', ruleIndex: 0 },
      { stage: 'response', ruleIndex: 1, logMessage: 'it is {output} and {input.headers} and {step}' },
    ],
  });
  let stopped = next(wire, 'event.stopped');
  const done = service.deliver('f', {
    name: 'Ada Lovelace',
    which: 'authorization',
    headers: { authorization: planted, accept: '*/*' },
  });
  for (let stop = 0; stop < stages.length + 2; stop++) {
    const { threadId } = (await stopped) as { threadId: string };
    for (const expression of [
      ...['input', 'output', 'step', 'enriched', 'error', 'auth', 'output.tok', 'upper(output.part)'],
      ...['input.headers.map(k, input.headers[k])', "output.pieces.join('')", "'%s'.format([output])"],
      ...['base64.encode(bytes(output.tok))', 'output.coded', 'step.echo.given', 'output.part.reverse()'],
    ])
      said.push(await wire.call('debug.evaluate', { threadId, expression }).catch((error: Error) => error.message));
    said.push(await wire.call('debug.variables', { threadId }));
    for (const path of [['input'], ['output'], ['steps', 'echo'], ['output', 'pieces'], ['output', 'tok']])
      said.push(await wire.call('debug.page', { threadId, path }).catch((error: Error) => error.message));
    for (const text of ['zq8v', 'e', 'o']) said.push(await wire.call('debug.search', { threadId, text }));
    said.push(await wire.call('debug.reading', { threadId }).catch((error: Error) => error.message));
    said.push(await wire.call('debug.reading', { threadId, expression: 'output' }));
    stopped = next(wire, 'event.stopped');
    await wire.call('debug.continue', { threadId });
  }
  await done;
  const leaked = said.filter((each) => pieces.test(JSON.stringify(each)));
  expect(leaked).toEqual([]);
  expect(shown).toMatchObject({
    tok: '***',
    long: '***',
    same: '***',
    name: 'Ada Lovelace',
    greeted: 'hello Ada Lovelace',
  });
  expect(shown.headers).toEqual({ authorization: '***', accept: '*/*' });
});

test('what fails for a hidden value does not say it', async () => {
  const service = await debugged(
    configuration.replace(rules, '\n    n = "int(input.headers.authorization.split(\' \')[1])"'),
    {
      answer: () => ({ value: {} }),
    },
  );
  const wire = await client(service);
  const said: unknown[] = [];
  for (const event of Object.keys(events) as EventName[]) wire.on(event, (params) => void said.push(params));
  await wire.call('debug.setFailureBreakpoints', { codes: ['*'] });
  const ended = next(wire, 'event.flowEnd');
  const stopped = next(wire, 'event.stopped');
  const done = Promise.resolve(service.deliver('f', { headers: { authorization: planted } }));
  done.catch(() => undefined);
  const { threadId } = (await stopped) as { threadId: string };
  await wire.call('debug.continue', { threadId });
  await ended;
  expect(said.filter((each) => pieces.test(JSON.stringify(each)))).toEqual([]);
  await expect(done).rejects.toThrow('PlantedSecret');
});

test('a called flow hides what its caller has read', async () => {
  const called = `flow "g" {
  from {
    connector = "api"
    operation = "POST /z"
  }
  transform {
    made = "input.given.reverse()"
  }
  to {
    connector = "db"
    target    = "t"
  }
}
aspect "call" {
  on   = ["f"]
  when = "before"
  action {
    flow = "g"
    transform {
      given = "input.headers.authorization.split(' ')[1]"
    }
  }
}`;
  const service = await debugged(`${configuration}\n${called}`, {
    answer: () => ({ value: { tok: 'x', given: 'y' } }),
  });
  const wire = await client(service);
  const said: unknown[] = [];
  for (const event of Object.keys(events) as EventName[]) wire.on(event, (params) => void said.push([event, params]));
  await service.deliver('f', { name: 'Ada', which: 'authorization', headers: { authorization: planted } });
  // Events that came before this answer have been received.
  await wire.call('debug.threads', {});
  expect(JSON.stringify(said)).toContain('"flowName":"g","stage":"transform","name":"","ruleIndex":0');
  expect(said.filter((each) => pieces.test(JSON.stringify(each)))).toEqual([]);
});

test('a flow that continues after its caller was answered hides what it has read before', async () => {
  const later = configuration.replace('  step "echo"', '  async {\n    storage = "memory"\n  }\n  step "echo"');
  const answer = () => ({ value: { given: 'Zq8vPlantedSecretKx', tok: planted } });
  const service = await debugged(later, { answer, storage: new RemoteStorage() });
  const wire = await client(service);
  const said: unknown[] = [];
  for (const event of Object.keys(events) as EventName[]) wire.on(event, (params) => void said.push([event, params]));
  const ended = next(wire, 'event.flowEnd');
  await service.deliver('f', { name: 'Ada', which: 'authorization', headers: { authorization: planted } });
  await ended;
  expect(JSON.stringify(said)).toContain('"target":"echoed2"');
  expect(said.filter((each) => pieces.test(JSON.stringify(each)))).toEqual([]);
});
