import { expect, test } from 'vitest';
import { compilePlan } from '../../engine/plan/compile.ts';
import { planServices } from '../../engine/plan/testing/plan-services.ts';
import { load } from '../../engine/plan/testing/service.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { MemoryStorage } from '../../platform/sync/memory/storage.ts';
import { flowStops } from './stops.ts';

const configuration = `type "t" { n = number }
transform "named" { first = "1" }
flow "everything" {
  from {
    connector = "api"
    operation = "POST /x"
    filter    = "true"
  }
  accept { when = "true" }
  validate {
    input  = "t"
    output = "t"
  }
  async { storage = "memory" }
  idempotency {
    storage = "memory"
    key     = "input.n"
  }
  lock { key = "'x:' + string(input.n)" }
  semaphore {
    key   = "pool"
    limit = 2
  }
  step "s" {
    connector = "peer"
    target    = "s"
    headers   = { h = "input.h" }
    body      = { b = "input.b" }
    params    = { a = "input.n", b = 2 }
    when      = "true"
  }
  enrich "e" {
    connector = "db"
    operation = "e"
    params { a = "input.n" }
  }
  transform {
    use    = "named"
    second = "output.first + 1"
  }
  dedupe {
    compare_when = "input.n > 0"
    key          = "input.n"
    cache        = "memory"
    fingerprint {
      b = "output.second"
      a = "output.first"
    }
  }
  to {
    connector = "db"
    target    = "t"
    transform { own = "output.second" }
    when      = "input.n > 1"
  }
  response {
    http_status_code = "201"
    id = "output.id"
  }
}
flow "transaction" {
  from {
    connector = "api"
    operation = "POST /y"
  }
  to {
    connector = "db"
    when      = "true"
    transaction {
      exec { query = "DELETE FROM a" }
      each "line" in "input.lines" {
        exec {
          params = { sku = "line.sku", at = "line_index" }
          query  = "INSERT INTO lines (sku) VALUES (:sku)"
          when   = "line.ok"
        }
        each "part" in "line.parts" {
          exec {
            query  = "INSERT INTO parts (n) VALUES (:n)"
            params = { n = "part" }
          }
        }
      }
      exec {
        query   = "SELECT 1"
        capture = "one"
      }
    }
  }
}
flow "several" {
  from {
    connector = "api"
    operation = "POST /z"
  }
  dedupe {
    cache = "memory"
    key   = "input.k"
    facet "second" {
      fingerprint {
        c = "input.c"
      }
    }
    facet "first" {
      fingerprint {
        d = "input.d"
      }
    }
  }
  to {
    connector = "db"
    target    = "a"
    when      = "input.a"
    facet     = "first"
  }
  to {
    connector = "db"
    target    = "b"
    facet     = "second"
    transform { x = "1" }
  }
  response { http_status_code = "202" }
}
flow "rows" {
  from {
    connector = "api"
    operation = "GET /rows"
  }
  to {
    connector = "db"
    target    = "a"
  }
  transform { x = "input.x" }
}
aspect "second" {
  on       = ["everything", "rows"]
  when     = "before"
  if       = "input.n > 1"
  priority = 2
  rate_limit {
    key                 = "input.n"
    requests_per_second = 1
  }
  action {
    connector = "peer"
    transform {
      n = "input.n"
      m = "output.n"
    }
  }
}
aspect "first" {
  on   = ["every*"]
  when = "before"
  action { flow = "rows" }
}
aspect "breaker" {
  on   = ["everything"]
  when = "around"
  if   = "input.n > 2"
  circuit_breaker {
    failure_threshold = 1
    timeout           = "1s"
  }
}
aspect "kept" {
  on   = ["rows"]
  when = "around"
  cache {
    storage = "memory"
    ttl     = "1s"
    key     = "\${input.n}"
  }
}
aspect "more" {
  on   = ["*"]
  when = "after"
  action {
    connector = "peer"
    transform { at = "_flow" }
  }
  response {
    headers = { a = "b" }
    total   = "size(result.data)"
  }
  invalidate {
    storage = "memory"
    keys    = ["k"]
  }
}
aspect "later" {
  on       = ["everything"]
  when     = "after"
  priority = 5
  response { later = "1" }
}
aspect "failed" {
  on   = ["everything"]
  when = "on_error"
  if   = "error.code > 1"
  action { connector = "peer" }
}
aspect "dropped" {
  on   = ["everything"]
  when = "on_drop"
  if   = "drop.reason == 'accept'"
  action { connector = "peer" }
}
state_machine "ticket" {
  initial = "open"
  state "open" {
    on "assign" {
      transition_to = "open"
      guard         = "input.agent != ''"
    }
    on "close" { transition_to = "closed" }
  }
  state "closed" { final = true }
}
flow "moved" {
  from {
    connector = "api"
    operation = "POST /moved"
  }
  state_transition {
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "input.event"
    data      = "input.data"
    connector = "db"
  }
}
flow "ordered" {
  from {
    connector = "api"
    operation = "POST /ordered"
  }
  coordinate {
    wait {
      when = "input.kind == 'line'"
      for  = "input.order"
    }
    signal {
      when = "input.kind == 'order'"
      emit = "output.order"
    }
  }
  sequence_guard {
    key      = "input.order"
    sequence = "input.revision"
    storage { driver = "memory" }
  }
  transform { order = "input.order" }
}
flow "copied" {
  from {
    connector = "api"
    operation = "POST /copied"
  }
  batch {
    source = "db"
    query  = "SELECT 1"
    transform { x = "input.x" }
    to {
      connector = "db"
      target    = "t"
    }
  }
  response { done = "output.processed" }
}
saga "rent" {
  from {
    connector = "api"
    operation = "POST /rentals"
    filter    = "input.wanted"
  }
  step "hold" {
    compensate {
      connector = "db"
      operation = "DELETE"
      target    = "holds"
      where     = { id = "step.hold.id" }
    }
    action {
      where     = { id = "input.id" }
      set       = { state = 2 }
      connector = "db"
      operation = "UPDATE"
      target    = "holds"
      data      = { a = "input.a", b = true }
    }
  }
  step "nothing" {
    action {
      data = { a = "input.a" }
    }
    compensate {
      connector = "peer"
      operation = "POST /undo"
      body      = { a = "input.a" }
    }
  }
  on_failure {
    connector = "peer"
    operation = "POST /reported"
    params    = { why = "error.message" }
  }
  on_complete {
    connector = "peer"
    operation = "POST /done"
  }
}
`;

const project = load(configuration);

/** What the runtime announces, as addresses. */
function announced(): readonly string[] {
  const connectors = new Map(
    [...project.connectors.keys()].map((name) => [
      name,
      {
        name,
        open: async () => undefined,
        close: async () => undefined,
        target: { prepare: () => () => ({ affected: 1 }) },
        storage: new MemoryStorage({ eviction: 'lru', maxItems: 1, defaultTtl: undefined }, systemClock),
      },
    ]),
  );
  const { stages } = compilePlan(project).bind(connectors, planServices());
  return [...stages].flatMap(([flow, places]) =>
    places.flatMap(({ stage, name, rules }) => [
      `${flow} ${stage} ${name}`,
      ...rules.map(({ index, expression }) => `${flow} ${stage} ${name} #${index} ${expression}`),
    ]),
  );
}

/** What an editor offers, with the text that is written there. */
function offered(): readonly string[] {
  return flowStops(project).map(({ flow, stage, name, ruleIndex, range }) => {
    const text = configuration.slice(range.start, range.end).replace(/^"(.*)"$/, '$1');
    return `${flow} ${stage} ${name}${ruleIndex === undefined ? '' : ` #${ruleIndex} ${text}`}`;
  });
}

const rulesOf = (stops: readonly string[]) => stops.filter((stop) => stop.includes('#'));

test('an editor offers every rule that the runtime stops at, at the place where it is written', () => {
  const stoppedAt = rulesOf(announced());
  const shown = rulesOf(offered());
  expect(stoppedAt.filter((stop) => !/ (?:DELETE|INSERT|SELECT) /.test(stop))).toEqual(
    shown.filter((stop) => !stop.includes('exec')),
  );
  const address = (stop: string) => stop.slice(0, stop.indexOf('#') + 3).trim();
  expect(stoppedAt.map(address)).toEqual(shown.map(address));
  expect(shown.filter((stop) => stop.includes('exec'))).toHaveLength(4);
});

test('an editor offers no stage that the runtime does not have', () => {
  const stages = new Set(announced());
  expect(offered().filter((stop) => !stop.includes('#') && !stages.has(stop))).toEqual([]);
});
