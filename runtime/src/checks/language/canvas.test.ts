import { LanguageService, type Outline, type OutlineStage } from '@svc/protocol/language';
import { describe, expect, test } from 'vitest';
import { connectors } from '../../connectors/catalog.ts';
import { supportOfTexts } from './testing/editor.ts';

const base = `connector "api" {
  type = "rest"
  port = 3000
  operation "create" {
    method = "POST"
    path   = "/orders"
  }
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "x.db"
}
connector "recent" {
  type   = "cache"
  driver = "memory"
}
type "order" {
  id = string
}
transform "base" {
  id = "input.id"
  enrich "price" {
    connector = "db"
    operation = "prices"
    params {
      sku = "input.sku"
    }
  }
}
`;

const flow = `flow "create_order" {
  response {
    http_status_code = "201"
    id               = "output.id"
  }
  to {
    connector = "db"
    target    = "orders"
    when      = "output.total > 0"
    transform {
      id = "output.id"
    }
  }
  transform {
    use  = "base"
    name = "'a\\"b'"
  }
  step "user" {
    connector = "db"
    query     = "SELECT :id"
    params    = { id = "input.id", deep = { kind = "input.kind" } }
  }
  step "stock" {
    connector = "db"
    target    = "stock"
  }
  cache {
    storage = "recent"
  }
  validate {
    output = "order"
    input  = "order"
  }
  accept {
    when      = "input.total > 0"
    on_reject = "reject"
  }
  require {
    roles = ["clerk"]
  }
  from {
    connector = "api"
    operation = "create"
    filter    = "input.kind == 'new'"
  }
}
`;

function serve(texts: Readonly<Record<string, string>>): LanguageService {
  const service = new LanguageService(supportOfTexts());
  for (const [path, text] of Object.entries(texts)) service.provide(path, text);
  return service;
}

function outlineOf(texts: Readonly<Record<string, string>>): Outline {
  return serve(texts).outline();
}

/** `gate accept "reject" when=input.total > 0`: family, stop, name, detail and rules. */
function shown({ family, stage, word, name, detail, rules }: OutlineStage): string {
  const head = [family, stage ?? `(${word})`, name, detail && `"${detail}"`].filter((part) => part !== '');
  return [...head, ...rules.map(({ index, target, expression }) => `${index}:${target}=${expression}`)].join(' ');
}

describe('flows', () => {
  const texts = { 'base.hcl': base, 'flow.hcl': flow };

  test('stages are listed in run order with the rules that a breakpoint can name', () => {
    const [drawn] = outlineOf(texts).flows;
    expect(drawn?.source).toEqual({ connector: 'api', operation: 'POST /orders' });
    expect(drawn?.stages.map(shown)).toEqual([
      'gate input "api"',
      'gate (require) "["clerk"]"',
      "gate filter 0:filter=input.kind == 'new'",
      'gate accept "reject" 0:when=input.total > 0',
      'gate validate_input "order"',
      'gate cache_hit "recent"',
      'gate cache_miss "recent"',
      'gather step user "db" 0:params.id=input.id 1:params.deep={ kind = "input.kind" }',
      'gather step stock "db"',
      'gather enrich price "db" 0:params.sku=input.sku',
      `shape transform 0:id=input.id 1:name='a"b'`,
      'deliver write db "db" 0:when=output.total > 0 1:transform.id=output.id',
      'deliver response "201" 0:id=output.id 1:http_status_code=201',
      'deliver validate_output "order"',
    ]);
  });

  test('every stop of a flow is a stage of the outline or one of its rules, at the same place', () => {
    const service = serve(texts);
    const [drawn] = service.outline().flows;
    const addresses = drawn?.stages.flatMap(({ stage, name, rules }) => [
      ...(stage === undefined ? [] : [`${stage} ${name}`]),
      ...rules.map(({ index, file, range }) => `${stage} ${name} ${index} ${file}:${range.start}-${range.end}`),
    ]);
    const stops = service
      .stops()
      .map(({ stage, name, ruleIndex, file, range }) =>
        ruleIndex === undefined
          ? `${stage} ${name}`
          : `${stage} ${name} ${ruleIndex} ${file}:${range.start}-${range.end}`,
      );
    expect(addresses?.toSorted()).toEqual(stops.toSorted());
  });

  test('ids, places and edges', () => {
    const { flows, edges } = outlineOf(texts);
    const at = (file: string, { start, end }: { start: number; end: number }) =>
      (file === 'flow.hcl' ? flow : base).slice(start, end).split('\n')[0];
    expect(flows[0]?.stages.map(({ id, file, range }) => `${id}: ${at(file, range)}`)).toEqual([
      'flow create_order/from: from {',
      'flow create_order/require: require {',
      `flow create_order/from.filter: filter    = "input.kind == 'new'"`,
      'flow create_order/accept: accept {',
      'flow create_order/validate.input: input  = "order"',
      'flow create_order/cache: cache {',
      'flow create_order/cache#2: cache {',
      'flow create_order/step user: step "user" {',
      'flow create_order/step stock: step "stock" {',
      'flow create_order/enrich price: enrich "price" {',
      'flow create_order/transform: transform {',
      'flow create_order/to: to {',
      'flow create_order/response: response {',
      'flow create_order/validate.output: output = "order"',
    ]);
    expect(edges.map(({ file, range, ...edge }) => edge)).toEqual([
      {
        id: 'flow create_order/to > connector db',
        direction: 'out',
        flow: 'flow create_order',
        connector: 'connector db',
        stage: 'flow create_order/to',
        word: 'to',
        name: '',
      },
      {
        id: 'flow create_order/step user > connector db',
        direction: 'out',
        flow: 'flow create_order',
        connector: 'connector db',
        stage: 'flow create_order/step user',
        word: 'step',
        name: 'user',
      },
      {
        id: 'flow create_order/step stock > connector db',
        direction: 'out',
        flow: 'flow create_order',
        connector: 'connector db',
        stage: 'flow create_order/step stock',
        word: 'step',
        name: 'stock',
      },
      {
        id: 'flow create_order/cache > connector recent',
        direction: 'out',
        flow: 'flow create_order',
        connector: 'connector recent',
        stage: 'flow create_order/cache',
        word: 'cache',
        name: '',
      },
      {
        id: 'connector api > flow create_order/from',
        direction: 'in',
        flow: 'flow create_order',
        connector: 'connector api',
        stage: 'flow create_order/from',
        word: 'from',
        name: '',
      },
      {
        id: 'flow create_order/enrich price > connector db',
        direction: 'out',
        flow: 'flow create_order',
        connector: 'connector db',
        stage: 'flow create_order/enrich price',
        word: 'enrich',
        name: 'price',
      },
    ]);
  });

  test('an unfinished flow shows what is written, and nodes of equal names stay apart', () => {
    const { flows } = outlineOf({
      'main.hcl': 'flow "a" {\n  to {\n    connector = "lost"\n  }\n  to {\n  }\n}\nflow "a" {\n  step "s" {\n',
    });
    expect(flows.map(({ id, source, stages }) => [id, source, stages.map(shown)])).toEqual([
      ['flow a', undefined, ['gate input', 'deliver (to) "lost"', 'deliver (to)']],
      ['flow a#2', undefined, ['gate input', 'gather step s']],
    ]);
    expect(flows[0]?.stages.map(({ id }) => id)).toEqual(['flow a/from', 'flow a/to', 'flow a/to#2']);
  });
});

test('statements and lists of a transaction are rules', () => {
  const transaction = `flow "f" {
  from {
    connector = "api"
    operation = "POST /a"
  }
  to {
    connector = "db"
    transaction {
      exec {
        query  = "INSERT INTO a"
        params = { a = "input.a" }
      }
      each "line" in "input.lines" {
        exec {
          query = "INSERT INTO b"
        }
      }
    }
  }
}
`;
  const [drawn] = outlineOf({ 'base.hcl': base, 'flow.hcl': transaction }).flows;
  expect(drawn?.stages.map(shown).at(-1)).toEqual(
    'deliver write db "db" 0:transaction.exec=exec 1:transaction.exec.params.a=input.a 2:transaction.each=input.lines 3:transaction.each.exec=exec',
  );
});

describe('connectors', () => {
  test('what they are, and names without a declaration', () => {
    const drawn = outlineOf({
      'base.hcl': `${base}connector "half" {\n  type = "nothing"\n}\n`,
      'main.hcl': 'flow "a" {\n  from {\n    connector = "brokr"\n  }\n  to {\n    connector = "brokr"\n  }\n}\n',
    });
    expect(drawn.connectors.map(({ file, range, selection, ...node }) => node)).toEqual([
      {
        id: 'connector api',
        name: 'api',
        word: 'connector',
        declared: true,
        kind: 'api',
        type: 'rest',
        driver: 'server',
        detail: 'rest :3000, 1 op',
      },
      {
        id: 'connector db',
        name: 'db',
        word: 'connector',
        declared: true,
        kind: 'db',
        type: 'database',
        driver: 'sqlite',
        detail: 'sqlite',
      },
      {
        id: 'connector recent',
        name: 'recent',
        word: 'connector',
        declared: true,
        kind: 'cache',
        type: 'cache',
        driver: 'memory',
        detail: 'memory',
      },
      { id: 'connector half', name: 'half', word: 'connector', declared: true, detail: '' },
      { id: 'connector brokr', name: 'brokr', word: 'connector', declared: false, detail: '' },
    ]);
    expect(drawn.edges.map(({ connector }) => connector)).toEqual(['connector brokr', 'connector brokr']);
  });

  test('every connector that is built says what it is', () => {
    expect(Object.values(connectors).filter(({ kind }: { kind?: string }) => kind === undefined)).toEqual([]);
  });
});
