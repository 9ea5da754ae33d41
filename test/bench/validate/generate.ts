import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a configuration of `files` files: one flow with six expressions in each, and the connectors they name. */
export function generate(folder: string, files: number): void {
  mkdirSync(join(folder, 'flows'));
  writeFileSync(join(folder, 'service.hcl'), connectors);
  for (let index = 0; index < files; index += 1) writeFileSync(join(folder, 'flows', `flow-${index}.hcl`), flow(index));
}

const connectors = `connector "api" {
  type = "rest"
  port = 3000
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "bench.db"
}

type "item" {
  name  = string({ min_length = 1, max_length = 100 })
  email = string({ format = "email", required = false })
}
`;

const flow = (index: number): string => `# Keeps the items of kind ${index}.
flow "create_${index}" {
  from {
    connector = "api"
    operation = "POST /items-${index}/:kind"
    filter    = "input.kind != 'ignored' && size(input.name) < ${100 + (index % 50)}"
  }

  validate {
    input = "item"
  }

  transform {
    name       = "trim(input.name)"
    email      = "lower(input.email ?? 'none-${index}@example.org')"
    label      = "upper(input.kind) + '-' + string(${index})"
    tags       = "['a', 'b', input.kind].filter(t, t != '').map(t, t + '!')"
    created_at = "now()"
  }

  to {
    connector = "db"
    target    = "items"
  }
}
`;
