import { loadProject } from '@svc/protocol/model';
import { describe, expect, test } from 'vitest';
import { vocabulary } from '../../vocabulary.ts';
import { workerRules } from './workers.ts';

const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };

function problems(text: string, workers: number) {
  const project = loadProject(
    [{ path: 'a.hcl', text }],
    { vocabulary, host, expressionFunctions: [] },
    workerRules(workers),
  );
  return project.diagnostics.map(({ code, severity, message }) => ({ code, severity, message }));
}

const inMemory = `
service {
  rate_limit { requests_per_second = 5 }
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
connector "recent" {
  type   = "cache"
  driver = "memory"
}
`;

const limited = (more = '') => `aspect "calm" {
  on   = ["*"]
  when = "before"
  rate_limit {
    key                 = "input.id"
    requests_per_second = 5
    ${more}
  }
}
`;

describe('what is in the memory of one process', () => {
  test('is refused of the limit of an aspect, unless the author knows', () => {
    expect(problems(limited(), 1)).toEqual([]);
    expect(problems(limited(), 2)).toEqual([
      {
        code: 'memory-with-workers',
        severity: 'error',
        message: 'rate_limit of aspect "calm" counts in the memory of each worker, so callers get a multiple of it',
      },
    ]);
    expect(problems(limited('scope = "process"'), 2)).toEqual([]);
    const redis = 'connector "counts" {\n  type   = "cache"\n  driver = "redis"\n}\n';
    expect(problems(redis + limited('storage = "counts"'), 2)).toEqual([]);
  });

  test('is refused of a name by which a broker knows one process', () => {
    const named = `connector "orders" {
  type   = "mq"
  driver = "kafka"
  consumer {
    group_id          = "g"
    group_instance_id = "a"
    topics            = ["in"]
  }
}
`;
    expect(problems(named, 1)).toEqual([]);
    expect(problems(named, 2)).toEqual([
      {
        code: 'process-name-with-workers',
        severity: 'error',
        message:
          'every worker would be known by consumer.group_instance_id of connector "orders", which names one process',
      },
    ]);
  });

  test('is refused for what flows remember about messages, unless that is accepted', () => {
    const remembering = (scope = '', storage = 'recent') => `connector "api" {
  type = "rest"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
connector "recent" {
  type   = "cache"
  driver = "memory"
}
connector "shared" {
  type   = "cache"
  driver = "redis"
  url    = "redis://localhost"
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  async {
    storage = "${storage}"
    ${scope}
  }
  idempotency {
    storage = "${storage}"
    key     = "input.k"
    ${scope}
  }
  dedupe {
    cache = "${storage}"
    key   = "input.k"
    ${scope}
    fingerprint {
      a = "input.a"
    }
  }
  to {
    connector = "db"
    target    = "t"
  }
}
`;
    const errors = (text: string, workers: number) =>
      problems(text, workers).flatMap(({ severity, message }) => (severity === 'error' ? message : []));
    expect(errors(remembering(), 2).toSorted()).toEqual([
      `async of flow "f" is kept in the memory of each worker, so workers do not see each other's`,
      `dedupe of flow "f" is kept in the memory of each worker, so workers do not see each other's`,
      `idempotency of flow "f" is kept in the memory of each worker, so workers do not see each other's`,
    ]);
    expect([
      errors(remembering(), 1),
      errors(remembering('scope = "process"'), 2),
      errors(remembering('', 'shared'), 2),
    ]).toEqual([[], [], []]);
  });

  test('is refused above one worker, except a cache', () => {
    expect(problems(inMemory, 1)).toEqual([]);
    expect(problems(inMemory, 2)).toEqual([
      {
        code: 'memory-with-workers',
        severity: 'error',
        message: 'rate_limit counts in the memory of each worker, so callers get a multiple of it',
      },
      {
        code: 'memory-with-workers',
        severity: 'error',
        message: 'connector "db" keeps its database in the memory of each worker',
      },
      {
        code: 'memory-cache-with-workers',
        severity: 'warning',
        message: 'connector "recent" is a cache of its own in each worker',
      },
    ]);
  });

  test.each(['websocket', 'sse'])('%s: what reaches the clients of one worker alone is warned about', (type) => {
    const written = (more: string) => `connector "live" {\n  type = "${type}"\n${more}\n}\n`;
    const warned = {
      code: 'live-clients-with-workers',
      severity: 'warning',
      message: 'what a worker sends by connector "live" reaches its own clients alone',
    };
    expect([
      problems(written(''), 1),
      problems(written(''), 2),
      problems(written('storage { driver = "memory" }'), 2),
      problems(written('storage { driver = "redis" }'), 2),
    ]).toEqual([[], [warned], [warned], []]);
  });

  test.each([
    'service {\n}\n',
    'service {\n  rate_limit { enabled = false }\n}\n',
    'service {\n  rate_limit { scope = "process" }\n}\n',
    'service {\n  rate_limit { storage = "kv" }\n}\nconnector "kv" {\n  type   = "cache"\n  driver = "redis"\n  url = "redis://localhost"\n}\n',
  ])('is accepted in %j', (text) => {
    expect(problems(text, 4).filter(({ code }) => code.startsWith('memory'))).toEqual([]);
  });
});

describe('X-01: blocks that keep executions apart, with more than one worker', () => {
  const written = (blocks: string) =>
    `connector "api" {\n  type = "rest"\n  port = 0\n}\nflow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n${blocks}\n}\n`;
  const redis = 'storage {\n  driver = "redis"\n}';

  test('are refused in memory, naming the block and the remedy', () => {
    const blocks =
      'lock { key = "a" }\nsemaphore {\n  key = "a"\n  limit = 1\n  storage {\n    driver = "memory"\n  }\n}';
    const refused = (word: string) => ({
      code: 'memory-with-workers',
      severity: 'error',
      message: `${word} of flow "f" is kept in the memory of each worker, so workers do not see each other's`,
    });
    expect(problems(written(blocks), 1)).toEqual([]);
    expect(problems(written(blocks), 2)).toEqual([refused('lock'), refused('semaphore')]);
  });

  test.each([
    `lock {\n  key = "a"\n  ${redis}\n}`,
    `semaphore {\n  key = "a"\n  limit = 1\n  ${redis}\n}`,
    'lock {\n  key = "a"\n  scope = "process"\n}',
    'semaphore {\n  key = "a"\n  limit = 1\n  scope = "process"\n}',
  ])('are accepted in %j', (blocks) => {
    expect(problems(written(blocks), 4)).toEqual([]);
  });
});

test('R-96: a schedule without storage is reported above one worker', () => {
  const flow = (when: string) => `flow "clean" {\n  ${when}\n  response {\n    a = "1"\n  }\n}\n`;
  expect(problems(flow('when = "@daily"'), 1)).toEqual([]);
  expect(problems(flow('when = "always"'), 2)).toEqual([]);
  expect(problems(flow('when = "@daily"'), 2)).toEqual([
    { code: 'schedule-in-every-process', severity: 'warning', message: 'every worker runs flow "clean" at each tick' },
  ]);
});
