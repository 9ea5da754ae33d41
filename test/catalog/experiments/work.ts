import type { Delivery, Experiment } from './experiment.ts';
import { runs } from './experiment.ts';
import { destination, flow, type Shown } from './flows.ts';

const both: Experiment['values'] = ['"db"', '"peer"'];
const names: Experiment['values'] = ['"a"', '"b"'];
const verbs: Experiment['values'] = ['"INSERT"', '"UPDATE"'];
const fields: Experiment['values'] = ['"input.id"', '"input.n"'];
const conditions: Experiment['values'] = ['"true"', '"false"'];
const params: Experiment['values'] = ['{ a = "input.id" }', '{ a = 2 }'];
const sent: readonly Delivery[] = [{ input: { id: 1, n: 'two', event: 'close', other: 'reopen' } }];
const answer = 'transform {\n s = "step.s"\n }';
const step = (lines: string) => flow(`step "s" {\n ${lines}\n }\n ${answer}`);
const database = 'connector = "db"\n target = "users"';
const peer = 'connector = "peer"\n operation = "POST /users"';
const to = (lines: string) => flow('', undefined, `to {\n ${lines}\n }`);
const enrichment = (lines: string) => flow(`enrich "e" {\n ${lines}\n }\n transform {\n e = "enriched.e"\n }`);
const batch = (lines: string, inside = '', target = 'connector = "db"\n target = "t"') =>
  `flow "f" {\n from {\n connector = "api"\n operation = "POST /x"\n }\n batch {\n ${lines}\n ${inside}\n to {\n ${target}\n }\n }\n}\n`;
const pages = 'source = "db"\n query = "SELECT 1 ORDER BY 1"';
/** Two pages of two rows; the first one cannot be written. */
const rows = {
  answer: ((call) => {
    if (call.description.verb !== 'read') {
      if ((call.payload as { readonly id?: number } | undefined)?.id === 1) throw new Error('not this one');
      return { affected: 1 };
    }
    const { offset = 0 } = { ...call.filters, ...(call.params as object) } as { readonly offset?: number };
    return { rows: Number(offset) === 0 ? [{ id: 1 }, { id: 2 }] : [] };
  }) satisfies NonNullable<Parameters<typeof runs>[3]>['answer'],
};

let writing = 0;
/** Two rows, and writes that fail while another one is under way. */
const alone: Parameters<typeof runs>[3] = {
  answer: async ({ description }) => {
    if (description.verb === 'read') return { rows: [{ id: 1 }, { id: 2 }] };
    if (writing > 0) throw new Error('another write is under way');
    writing++;
    await new Promise((resolve) => setImmediate(resolve));
    writing--;
    return { affected: 1 };
  },
};

/** The work of a flow. */
export const work: Shown = {
  'step.connector': runs(step('connector = §\n operation = "GET /users"\n target = "users"'), both),
  'step.operation': runs(step('connector = "peer"\n operation = §'), ['"GET /a"', '"GET /b"']),
  'step.target': runs(step('connector = "db"\n target = §'), names),
  'step.params': runs(step(`${database}\n params = §`), params),
  'step.body': runs(step(`${peer}\n body = §`), params),
  'step.when': runs(step(`${database}\n when = §`), conditions),
  'step.timeout': runs(step(`${database}\n timeout = §`), ['"1s"', '"2s"']),
  'step.on_error': runs(step(`${peer}\n body = { fail = "connector_timeout" }\n on_error = §`), ['"fail"', '"skip"']),
  'step.default': runs(step(`${database}\n when = "false"\n default = §`), ['1', '2']),
  'enrich.connector': runs(enrichment('connector = §\n operation = "users"'), both),
  'enrich.operation': runs(enrichment('connector = "db"\n operation = §'), names),
  'enrich.params.*': runs(enrichment('connector = "db"\n operation = "users"\n params {\n id = §\n }'), fields, sent),
  'transform.*': runs(flow('transform {\n n = §\n }'), fields, sent),
  'transform.enrich.connector': runs(
    flow('transform {\n enrich "e" {\n connector = §\n operation = "users"\n }\n e = "enriched.e"\n }'),
    both,
  ),
  'transform.enrich.operation': runs(
    flow('transform {\n enrich "e" {\n connector = "db"\n operation = §\n }\n e = "enriched.e"\n }'),
    names,
  ),
  'transform.enrich.params.*': runs(
    flow(
      'transform {\n enrich "e" {\n connector = "db"\n operation = "users"\n params {\n id = §\n }\n }\n e = "enriched.e"\n }',
    ),
    fields,
    sent,
  ),
  'batch.source': runs(
    `connector "db2" {\n type = "store"\n}\nconnector "api" {\n type = "server"\n}\nconnector "db" {\n type = "store"\n}\n${batch('source = §\n query = "SELECT 1 ORDER BY 1"')}`,
    ['"db"', '"db2"'],
    sent,
  ),
  'batch.target': ['test/scenarios/folders/scenario.test.ts', 'a batch reads a file of any size and writes one'],
  'batch.operation': ['test/scenarios/folders/scenario.test.ts', 'a batch reads a file of any size and writes one'],
  'batch.query': runs(batch('source = "db"\n query = §'), ['"SELECT 1 ORDER BY 1"', '"SELECT 2 ORDER BY 1"'], sent),
  'batch.params': runs(batch('source = "db"\n query = "SELECT :a ORDER BY 1"\n params = §'), params, sent),
  'batch.chunk_size': runs(batch(`${pages}\n chunk_size = §`), ['2', '3'], sent),
  'batch.concurrency': runs(batch(`${pages}\n concurrency = §`), ['1', '2'], sent, alone),
  'batch.on_error': runs(batch(`${pages}\n on_error = §`), ['"stop"', '"continue"'], sent, rows),
  'batch.transform.*': runs(batch(pages, 'transform {\n a = §\n }'), ['"input.amount"', '"2"'], sent),
  'batch.to.connector': runs(batch(pages, '', 'connector = §\n target = "t"'), both, sent),
  'batch.to.target': runs(batch(pages, '', 'connector = "db"\n target = §'), names, sent),
  'batch.to.operation': runs(batch(pages, '', 'connector = "db"\n target = "t"\n operation = §'), verbs, sent),
  'to.connector': runs(to('connector = §\n target = "t"'), both),
  'to.target': runs(to('connector = "db"\n target = §'), names),
  'to.operation': runs(to('connector = "db"\n target = "t"\n operation = §'), verbs, sent),
  'to.params': runs(to('connector = "peer"\n operation = "POST /x"\n params = §'), params, sent),
  'to.when': runs(to('connector = "db"\n target = "t"\n when = §'), conditions),
  'to.parallel': runs(
    flow('', undefined, `${destination}\n to {\n connector = "peer"\n parallel = §\n }`),
    ['true', 'false'],
    sent,
    alone,
  ),
  'to.required': runs(
    flow(
      '',
      undefined,
      `${destination}\n to {\n connector = "peer"\n required = §\n transform {\n fail = "'connector_failed'"\n }\n }`,
    ),
    ['true', 'false'],
  ),
  'to.facet': runs(
    flow(
      'dedupe {\n cache = "memory"\n key = "\'k\'"\n facet "a" {\n fingerprint {\n a = "input.id"\n }\n }\n facet "b" {\n fingerprint {\n b = "input.n"\n }\n }\n }',
      undefined,
      'to {\n connector = "db"\n target = "t"\n facet = §\n }\n to {\n connector = "peer"\n target = "u"\n }',
    ),
    names,
    [{ input: { id: 1, n: 'a' } }, { input: { id: 1, n: 'b' } }],
  ),
  'to.transform.*': runs(to('connector = "db"\n target = "t"\n transform {\n n = §\n }'), fields, sent),
  'response.headers.*': [
    'runtime/src/engine/flow/stages/response/stage.test.ts',
    'sets headers, after its fields, from what the flow answered; null sends none',
  ],
  'response.http_status_code': runs(flow('response {\n http_status_code = §\n }'), ['"201"', '"202"']),
  'response.grpc_status_code': runs(flow('response {\n grpc_status_code = §\n }'), ['"5"', '"6"']),
  'response.*': runs(flow('response {\n a = §\n }'), ['"1"', '"2"']),
  'after.invalidate.storage': runs(
    `connector "other" {\n type = "cache"\n driver = "memory"\n}\n${flow('after {\n invalidate {\n storage = §\n keys = ["k"]\n }\n }')}`,
    ['"memory"', '"other"'],
  ),
  ...Object.fromEntries(
    [
      ['keys', ['["a"]', '["b"]']],
      ['patterns', ['["a*"]', '["b*"]']],
      ['keys_from', [`"['a']"`, `"['b']"`]],
      ['patterns_from', [`"['a*']"`, `"['b*']"`]],
    ].map(([word, values]) => [
      `after.invalidate.${String(word)}`,
      runs(
        flow(`after {\n invalidate {\n storage = "memory"\n ${String(word)} = §\n }\n }`),
        values as unknown as Experiment['values'],
      ),
    ]),
  ),
};

const machine = (inside: string, initial = '"open"') =>
  `state_machine "ticket" {\n initial = ${initial}\n state "open" {\n on "close" {\n ${inside}\n }\n on "reopen" {\n transition_to = "other"\n }\n }\n state "other" {\n on "close" {\n transition_to = "gone"\n }\n }\n state "closed" {}\n state "gone" {}\n}\n`;
const moving = (lines: string) => flow(`state_transition {\n ${lines}\n }`, undefined, '');
const moved = {
  machine: 'machine = "ticket"',
  entity: 'entity = "tickets"',
  id: 'id = "input.id"',
  event: 'event = "input.event"',
  connector: 'connector = "db"',
};
const all = Object.values(moved).join('\n ');
const without = (word: keyof typeof moved) =>
  Object.entries(moved)
    .flatMap(([name, line]) => (name === word ? [] : [line]))
    .join('\n ');
const closing = machine('transition_to = "closed"');
const inState = (status: string): Parameters<typeof runs>[3] => ({
  answer: ({ description }) => (description.verb === 'read' ? { rows: [{ id: 1, status }] } : { affected: 1 }),
});
const moves = (text: string, values: Experiment['values'], status = 'open') =>
  runs(text, values, sent, inState(status));

export const transitions: Shown = {
  'state_transition.machine': moves(
    closing +
      closing.replace('"ticket"', '"other"').replace('"closed"', '"gone"') +
      moving(`machine = §\n ${without('machine')}`),
    ['"ticket"', '"other"'],
  ),
  'state_transition.entity': moves(closing + moving(`entity = §\n ${without('entity')}`), names),
  'state_transition.id': moves(closing + moving(`id = §\n ${without('id')}`), fields),
  'state_transition.event': moves(closing + moving(`event = §\n ${without('event')}`), [
    '"input.event"',
    '"input.other"',
  ]),
  'state_transition.data': moves(
    machine('transition_to = "closed"\n guard = "input.ok"') + moving(`${all}\n data = §`),
    [`"{'ok': true}"`, `"{'ok': false}"`],
  ),
  'state_transition.connector': runs(
    `connector "db2" {\n type = "store"\n}\nconnector "api" {\n type = "server"\n}\nconnector "db" {\n type = "store"\n}\n${closing}${moving(`connector = §\n ${without('connector')}`)}`,
    ['"db"', '"db2"'],
    sent,
    inState('open'),
  ),
};

const acting = (lines: string) => machine(`transition_to = "closed"\n action {\n ${lines}\n }`) + moving(all);

/** What blocks that ask a connector say, wherever they are: `text` is a configuration with these lines in such a block. */
export const asking = (text: (lines: string) => string, deliveries = sent, options = inState('open')): Shown => {
  const asks = (lines: string, values: Experiment['values']) => runs(text(lines), values, deliveries, options);
  const update = 'connector = "db"\n operation = "UPDATE"\n target = "t"\n where = { id = 1 }';
  return {
    connector: asks('connector = §\n operation = "INSERT"\n target = "t"\n data = { a = 1 }', both),
    operation: asks('connector = "db"\n operation = §\n target = "t"\n data = { a = 1 }\n where = { id = 1 }', verbs),
    target: asks('connector = "db"\n operation = "INSERT"\n target = §\n data = { a = 1 }', names),
    data: asks('connector = "db"\n operation = "INSERT"\n target = "t"\n data = §', params),
    body: asks('connector = "peer"\n operation = "POST /x"\n body = §', params),
    set: asks(`${update}\n set = §`, params),
    where: asks('connector = "db"\n operation = "DELETE"\n target = "t"\n where = §', params),
    params: asks('connector = "peer"\n operation = "GET /x"\n params = §', params),
  };
};

export const machines: Shown = {
  initial: moves(machine('transition_to = "closed"', '§') + moving(all), ['"open"', '"other"'], ''),
  'state.final': moves(
    `state_machine "ticket" {\n initial = "open"\n state "open" {\n final = §\n }\n}\n${moving(all)}`,
    ['true', 'false'],
  ),
  'state.on.transition_to': moves(machine('transition_to = §') + moving(all), ['"closed"', '"gone"']),
  'state.on.guard': moves(machine('transition_to = "closed"\n guard = §') + moving(all), conditions),
  ...under('state.on.action', asking(acting)),
};

export function under(place: string, shown: Shown): Shown {
  return Object.fromEntries(Object.entries(shown).map(([path, one]) => [`${place}.${path}`, one]));
}
