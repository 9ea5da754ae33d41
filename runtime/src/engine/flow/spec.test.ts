import { type ConfigurationHost, loadProject } from '@svc/protocol/model';
import { block, connector, type Vocabulary } from '@svc/protocol/schema';
import { expect, test } from 'vitest';
import { rootBlocks, unavailableRootBlocks } from './root-spec.ts';

const vocabulary: Vocabulary = {
  blocks: rootBlocks,
  connectors: [
    connector({ type: 'rest', config: block({ doc: 'Server.' }) }),
    connector({ type: 'cache', storage: true, config: block({ doc: 'Cache.' }) }),
  ],
  profiled: block({ doc: 'Profiles.' }),
  everyProfile: block({ doc: 'Profile.' }),
  unavailable: { blocks: unavailableRootBlocks, connectors: [] },
};
const host: ConfigurationHost = { env: () => undefined, readFile: () => '', absolutePath: (path) => path };

function load(text: string) {
  return loadProject([{ path: 'a.hcl', text }], { vocabulary, host, expressionFunctions: ['now'] });
}

const connectors = 'connector "api" { type = "rest" }\nconnector "memory" { type = "cache" }\n';

test('every example of the flow language is accepted', () => {
  for (const [word, { example }] of Object.entries(rootBlocks)) {
    if (example === undefined) continue;
    const used = 'type "address" { city = string }\nconnector "db" { type = "rest" }\n';
    expect({ word, problems: load(connectors + used + example).diagnostics }).toEqual({ word, problems: [] });
  }
});

test('the filter of a flow is written as a text or as a block', () => {
  const project = load(
    `${connectors}flow "a" {\n  from {\n    connector = "api"\n    filter = "input.id == 1"\n  }\n}\nflow "b" {\n  from {\n    connector = "api"\n    filter {\n      condition = "input.id == 2"\n      on_reject = "requeue"\n    }\n  }\n}\n`,
  );
  expect(project.diagnostics).toEqual([]);
  const filters = project.all('flow', rootBlocks.flow).map(({ values }) => values.from?.filter);
  expect(filters.map((filter) => [filter?.condition.source, filter?.on_reject, filter?.max_requeue])).toEqual([
    ['input.id == 1', undefined, 3],
    ['input.id == 2', 'requeue', 3],
  ]);
});

test('a flow takes a named cache, written short', () => {
  const project = load(
    `${connectors}cache "short" {\n  storage = "memory"\n  ttl = "5m"\n  prefix = "p"\n}\nflow "a" {\n  from { connector = "api" }\n  cache = cache.short\n}\n`,
  );
  expect(project.diagnostics).toEqual([]);
  expect(project.all('flow', rootBlocks.flow)[0]?.values.cache).toMatchObject({
    storage: 'memory',
    ttl: 300_000,
    prefix: 'p',
    encoding: ['json'],
  });
});

test('words of the language that are not implemented are refused by name', () => {
  const project = load(
    `${connectors}flow "a" {\n  from { connector = "api" }\n  to {\n    connector = "api"\n    filter = "x"\n  }\n}\n`,
  );
  expect(project.diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ['not-available', 'attribute "filter" is not available in this version'],
  ]);
});
