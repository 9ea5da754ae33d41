import { loadProject } from '@svc/protocol/model';
import { describe, expect, test } from 'vitest';
import { vocabulary } from '../../checks/vocabulary.ts';
import { service } from '../../engine/settings/spec.ts';
import { callPlaces } from './generation/call-places.ts';
import { tablesByConnector } from './generation/missing-tables.ts';
import { serviceSettings } from './settings.ts';

const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };

function project(text: string) {
  const loaded = loadProject([{ path: 'a.hcl', text }], { vocabulary, host, expressionFunctions: [] });
  expect(loaded.diagnostics).toEqual([]);
  return loaded;
}

describe('settings', () => {
  test('an absent block is an empty one', () => {
    const written = project('service {\n}\n').one('service', service);
    for (const group of ['development', 'staging', 'production'] as const)
      expect(serviceSettings(written, group)).toEqual(serviceSettings(undefined, group));
    expect(serviceSettings(undefined, 'development')).toEqual({
      name: 'svc-service',
      version: '0.0.0',
      adminPort: 9090,
      adminHost: undefined,
      trustedProxies: { networks: [], header: 'x-forwarded-for' },
      rateLimit: undefined,
      shutdown: { delay: 0, timeout: 30_000 },
    });
    expect(serviceSettings(undefined, 'production').shutdown.delay).toBe(5_000);
  });

  test('every attribute is read', () => {
    const written = project(`
service {
  name            = "orders"
  version         = "2.0.0"
  admin_port      = 0
  admin_host      = "127.0.0.1"
  trusted_proxies = ["10.0.0.0/8"]
  client_address  = "forwarded"
  rate_limit {
    requests_per_second = 0.5
    burst               = 3
    key_extractor       = "header:X-Key"
    exclude_paths       = ["/public"]
    enable_headers      = false
  }
  shutdown {
    delay   = "1s"
    timeout = 10
  }
}
`).one('service', service);
    expect(serviceSettings(written, 'development')).toEqual({
      name: 'orders',
      version: '2.0.0',
      adminPort: 0,
      adminHost: '127.0.0.1',
      trustedProxies: { networks: ['10.0.0.0/8'], header: 'forwarded' },
      rateLimit: {
        requestsPerSecond: 0.5,
        burst: 3,
        keyExtractor: 'header:X-Key',
        excludedPaths: ['/public'],
        headers: false,
        storage: undefined,
        written: true,
      },
      shutdown: { delay: 1_000, timeout: 10_000 },
    });
  });

  test('enabled = false turns the limit off in every environment', () => {
    const written = project('service {\n  rate_limit {\n    enabled = false\n  }\n}\n').one('service', service);
    expect(serviceSettings(written, 'production').rateLimit).toBe(undefined);
  });
});

const shop = `
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./a.db"
}
connector "prices" {
  type     = "http"
  base_url = "https://prices.example.org"
  tls {
    insecure_skip_verify = true
  }
}
flow "order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  step "user" {
    connector = "db"
    query     = "SELECT 1 AS one"
  }
  enrich "price" {
    connector = "prices"
    operation = "GET /prices"
  }
  transform {
    enrich "stock" {
      connector = "prices"
      operation = "GET /stock"
    }
    one = "step.user.one"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;

test('tables are those that destinations and actions of aspects name', () => {
  expect(tablesByConnector(project(shop))).toEqual(new Map([['db', new Set(['orders'])]]));
  const saga =
    'saga "s" {\n from {\n connector = "api"\n operation = "POST /s"\n }\n step "a" {\n action {\n connector = "db"\n target = "holds"\n }\n }\n}\n';
  expect(tablesByConnector(project(shop + saga))).toEqual(new Map([['db', new Set(['orders', 'holds'])]]));
  const audited = (action: string) => `${shop}aspect "a" {
  on   = ["*"]
  when = "after"
  action {
    ${action}
  }
}
`;
  const both = new Map([['db', new Set(['orders', 'audit'])]]);
  expect(tablesByConnector(project(audited('connector = "db"\n operation = "INSERT audit"')))).toEqual(both);
  expect(tablesByConnector(project(audited('connector = "db"\n target = "audit"')))).toEqual(both);
  const elsewhere = project(audited('connector = "prices"\n target = "/audit"'));
  expect(tablesByConnector(elsewhere)).toEqual(new Map([['db', new Set(['orders'])]]));
});

test('a stage is known by the connector it asks', () => {
  const place = callPlaces(project(shop));
  expect([
    place('order', 'step', 'user'),
    place('order', 'enrich', 'price'),
    place('order', 'enrich', 'stock'),
    place('order', 'write', 'orders'),
    place('order', 'transform', ''),
    place('other', 'step', 'user'),
  ]).toEqual([
    { connector: 'db', type: 'sqlite', verb: 'call', target: undefined },
    { connector: 'prices', type: 'http', verb: 'call', target: undefined },
    { connector: 'prices', type: 'http', verb: 'call', target: undefined },
    { connector: 'db', type: 'sqlite', verb: 'write', target: 'orders' },
    undefined,
    undefined,
  ]);
});
