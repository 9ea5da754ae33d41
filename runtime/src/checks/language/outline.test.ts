import { LanguageService } from '@svc/protocol/language';
import { describe, expect, test } from 'vitest';
import { supportOfTexts } from './testing/editor.ts';

const text = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
flow "register" {
  from {
    connector = "api"
    operation = "POST /members"
    filter    = "input.kind == 'new'"
  }
  # who sends it
  accept {
    when = "input.age > 17"
  }
  step "user" {
    connector = "db"
    query     = "SELECT :id"
    params = {
      id   = "input.id"
      kind = "new"
    }
    when = "has(input.id)"
  }
  enrich "price" {
    connector = "db"
    operation = "prices"
    params {
      sku = "input.sku"
    }
  }
  transform {
    use  = "base"
    name = "input.name"
  }
  to {
    connector = "db"
    target    = "members"
    transform {
      id = "output.id"
    }
  }
  to {
    connector = "lost"
  }
  response {
    http_status_code = "201"
    id               = "output.id"
  }
}
transform "base" {
  id = "input.id"
}
`;

function serve(texts: string): LanguageService {
  const service = new LanguageService(supportOfTexts());
  service.provide('main.hcl', texts);
  return service;
}

/** Each stop on its line: \`line stage name ruleIndex\`. */
function shown(service: LanguageService, stops = service.stops()): readonly string[] {
  return stops.map(({ file, range, stage, name, ruleIndex }) =>
    [service.lines(file).position(range.start).line, stage, name, ruleIndex]
      .filter((part) => part !== '' && part !== undefined)
      .join(' '),
  );
}

const whole = text.replace('  to {\n    connector = "lost"\n  }\n', '');

describe('breakpoints', () => {
  test('every place where a flow can stop, as a debugger names it', () => {
    const service = serve(whole);
    expect(shown(service)).toEqual([
      '10 input',
      '14 filter',
      '14 filter 0',
      '17 accept',
      '18 accept 0',
      '20 step user',
      '27 step user 0',
      '24 step user 1',
      '25 step user 2',
      '29 enrich price',
      '33 enrich price 0',
      '36 transform',
      '53 transform 0',
      '38 transform 1',
      '40 write db',
      '44 write db 0',
      '47 response',
      '49 response 0',
      '48 response 1',
    ]);
  });

  test.each([
    ['the head of the flow', 10, ['10 input']],
    ['a comment between blocks', 16, ['17 accept']],
    ['a brace that ends a block', 15, ['17 accept']],
    ['an attribute with stops below it', 22, ['24 step user 1']],
    ['a brace that ends a block inside', 26, ['27 step user 0']],
    ['an attribute of a block inside', 32, ['33 enrich price 0']],
    ['a head of a block without stops', 32, ['33 enrich price 0']],
    ['a value', 49, ['49 response 0']],
    ['a line of a connector', 6, []],
    ['the end of the flow', 51, []],
    ['a line behind everything', 60, []],
    ['no line', Number.NaN, []],
  ])('a breakpoint in %s', (_, line, expected) => {
    const service = serve(whole);
    expect(shown(service, service.stopsOnLine('main.hcl', line))).toEqual(expected);
  });

  test('a line of a value over several lines means the value, and none means another flow', () => {
    const api = 'connector "api" {\n  type = "rest"\n}\n';
    const flow = (name: string, value: string) =>
      `flow "${name}" {\n  from {\n    connector = "api"\n    operation = "GET /${name}"\n  }\n  response {\n    a = ${value}\n    b = "2"\n  }\n}\n`;
    const service = serve(
      `${api}${flow('x', `<<E\n${'1 +\n'.repeat(40)}1\nE`)}${'# between\n'.repeat(40)}${flow('y', '"1"')}`,
    );
    const at = (line: number) => shown(service, service.stopsOnLine('main.hcl', line));
    expect(at(10)).toEqual(['10 response 0']);
    expect(at(30)).toEqual(['10 response 0']);
    expect(at(53)).toEqual(['53 response 1']);
    expect([at(56), at(70), at(95)]).toEqual([[], [], []]);
    expect(at(96)).toEqual(['96 input']);
  });

  test('a line means what begins in it, else what comes next', () => {
    const service = serve(whole);
    expect(shown(service, service.stopsOnLine('main.hcl', 18))).toEqual(['18 accept 0']);
    expect(shown(service, service.stopsOnLine('main.hcl', 16))).toEqual(['17 accept']);
    expect(shown(service, service.stopsOnLine('main.hcl', 14))).toEqual(['14 filter', '14 filter 0']);
    expect(service.stopsOnLine('main.hcl', 60)).toEqual([]);
  });

  test('an address leads back to its place; without a name the index matches any block of the stage', () => {
    const service = serve(whole);
    const lines = (address: Parameters<LanguageService['stopsAt']>[0]) => shown(service, service.stopsAt(address));
    expect(lines({ flow: 'register', stage: 'step', name: 'user', ruleIndex: 2 })).toEqual(['25 step user 2']);
    expect(lines({ flow: 'register', stage: 'enrich', ruleIndex: 0 })).toEqual(['33 enrich price 0']);
    expect(lines({ flow: 'register', stage: 'transform' })).toEqual(['36 transform']);
    expect(lines({ flow: 'register', stage: 'transform', ruleIndex: 9 })).toEqual([]);
    expect(lines({ flow: 'missing', stage: 'transform' })).toEqual([]);
  });

  test('an unfinished flow has the stops of what is finished', () => {
    expect(shown(serve('flow "f" {\n  step "a" {\n    when = "input.a"\n  }\n  to {\n'))).toEqual([
      '1 input',
      '2 step a',
      '3 step a 0',
    ]);
  });
});

describe('tokens', () => {
  test('words of the file and of the expressions in it, in order', () => {
    const source = `flow "f" {\n  cache {\n    ttl = 5\n    key = "a:\${input.id}:b" # why\n  }\n  transform {\n    a = "input.list.map(x, lower(x) + 'ü')"\n  }\n}\n`;
    const tokens = serve(source).semanticTokens('main.hcl');
    expect(tokens.map(({ kind, start, end }) => `${kind} ${source.slice(start, end)}`)).toEqual([
      'keyword flow',
      'type "f"',
      'keyword cache',
      'property ttl',
      'number 5',
      'property key',
      'string "a:${',
      'variable input',
      'property id',
      'string }:b"',
      'keyword transform',
      'property a',
      'string "',
      'variable input',
      'property list',
      'method map',
      'function lower',
      'parameter x',
      "string 'ü'",
      'string "',
    ]);
  });

  test('a text that holds no expression, over several lines', () => {
    const source = 'type "t" {\n  a = <<-END\n    one\n  END\n  b = [true, null, "x"]\n}\n';
    const tokens = serve(source).semanticTokens('main.hcl');
    expect(tokens.map(({ kind }) => kind)).toEqual([
      'keyword',
      'type',
      'property',
      'string',
      'property',
      'keyword',
      'keyword',
      'string',
    ]);
  });
});

test('folding: blocks, values over several lines, runs of comments', () => {
  const source =
    '# one\n# two\nflow "f" {\n  step "s" {\n    params = {\n      a = "x"\n      b = "y"\n    }\n  }\n}\nflow "open" {\n  from {\n';
  expect(
    serve(source)
      .foldingRanges('main.hcl')
      .map(({ startLine, endLine, kind }) => `${startLine}-${endLine} ${kind}`),
  ).toEqual(['1-2 comment', '3-9 region', '4-8 region', '5-7 region', '11-12 region']);
});

test('formatting gives the canonical layout, and nothing while there are syntax errors', () => {
  const service = new LanguageService(supportOfTexts());
  service.open('a.hcl', 'flow   "f"   {\nfrom {\nconnector="api"\n}\n}');
  service.change('a.hcl', service.formatting('a.hcl'));
  expect(service.text('a.hcl')).toBe('flow "f" {\n  from {\n    connector = "api"\n  }\n}\n');
  service.change('a.hcl', 'flow   "f"   {');
  expect(service.formatting('a.hcl')).toEqual([]);
});

test('a saga is drawn as a flow, with what asks connectors and what waits', () => {
  const service = new LanguageService(supportOfTexts());
  service.provide(
    'main.hcl',
    `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
  }
  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "holds"
      data      = { van_id = "input.van_id" }
    }
    compensate {
      connector = "db"
      operation = "DELETE"
      target    = "holds"
      where     = { id = "step.hold.id" }
    }
  }
  step "pickup" {
    await = "keys_collected"
  }
}
`,
  );
  const { flows, edges } = service.outline();
  expect(
    flows.map(({ id, name, source, stages }) => ({
      id,
      name,
      source,
      stages: stages.map(({ family, word, name: label, detail, stage, rules }) =>
        [family, word, label, detail, stage ?? '-', ...rules.map(({ target }) => target)].join(' '),
      ),
    })),
  ).toEqual([
    {
      id: 'saga rent',
      name: 'rent',
      source: { connector: 'api', operation: 'POST /rentals' },
      stages: [
        'gate from  api input',
        'gather action hold.action db step data.van_id',
        'shape await  keys_collected -',
        'deliver compensate hold.compensate db step where.id',
      ],
    },
  ]);
  expect(edges.map(({ direction, flow, connector, word }) => `${direction} ${flow} ${connector} ${word}`)).toEqual([
    'in saga rent connector api from',
    'out saga rent connector db action',
    'out saga rent connector db compensate',
  ]);
});
