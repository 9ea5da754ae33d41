import { createCelEngine } from '@svc/protocol/cel';
import { LanguageService, type Outline } from '@svc/protocol/language';
import { languageSupport } from '@svc/runtime/language';

/** The language of texts, as the window's worker serves it. */
export function serve(texts: Readonly<Record<string, string>>): LanguageService {
  const env = () => undefined;
  const host = { env, readFile: () => '', absolutePath: (path: string) => path };
  const engine = createCelEngine({ environment: { now: () => 0, uuid: () => '', env, sha256: () => '' } });
  const service = new LanguageService(languageSupport(host, engine));
  for (const [path, text] of Object.entries(texts)) service.provide(path, text);
  return service;
}

export function outlineOf(text: string): Outline {
  return serve({ 'a.hcl': text }).outline();
}

export const shop = `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "a.db"
}
flow "create_order" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  step "stock" {
    connector = "db"
    target    = "stock"
  }
  transform {
    id    = "input.id"
    total = "input.total"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
flow "list_orders" {
  from {
    connector = "api"
    operation = "GET /orders"
  }
  to {
    connector = "nowhere"
    target    = "orders"
  }
}
`;
