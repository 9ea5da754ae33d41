const folders = 12;
const flows = 300;
const databases = 6;
const sources = 6;

/** A service of 300 flows in 12 folders, which take from 6 connectors and hand to 6 others. */
export const largeMap: Readonly<Record<string, string>> = {
  'service.hcl': [
    'service {\n  name       = "map"\n  admin_port = env("ADMIN_PORT", "0")\n}',
    ...Array.from({ length: sources }, (_, index) => rest(index)),
    ...Array.from({ length: databases }, (_, index) => database(index)),
  ].join('\n'),
  ...Object.fromEntries(Array.from({ length: flows }, (_, index) => [fileOf(index), flow(index)])),
};

function fileOf(index: number): string {
  return `flows/area_${String(index % folders).padStart(2, '0')}/flow_${index}.hcl`;
}

function rest(index: number): string {
  return `connector "api_${index}" {
  type = "rest"
  port = ${index === 0 ? 'env("PORT", "0")' : 0}
}
`;
}

function database(index: number): string {
  return `connector "db_${index}" {
  type     = "database"
  driver   = "sqlite"
  database = "db_${index}.db"
}
`;
}

function flow(index: number): string {
  return `flow "flow_${index}" {
  from {
    connector = "api_${index % sources}"
    operation = "POST /area/${index}"
  }
  step "known" {
    connector = "db_${(index + 1) % databases}"
    target    = "known_${index}"
  }
  transform {
    id    = "input.id"
    name  = "lower(input.name)"
    total = "double(input.total) * 1.5"
  }
  to {
    connector = "db_${index % databases}"
    target    = "table_${index}"
  }
}
`;
}
