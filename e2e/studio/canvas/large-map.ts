const folders = ['billing', 'shipping', 'stock'] as const;
const flowsOfEach = 30;

/** A service of 90 flows in three folders, which take from two connectors and hand to one. */
export const largeService: Readonly<Record<string, string>> = {
  'service.hcl': `service {
  name       = "map"
  admin_port = env("ADMIN_PORT", "0")
}
connector "api" {
  type = "rest"
  port = env("PORT", "0")
}
connector "partners" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "map.db"
}
`,
  ...Object.fromEntries(
    folders.flatMap((folder) =>
      Array.from({ length: flowsOfEach }, (_, at) => [`flows/${folder}/${at}.hcl`, flow(folder, at)]),
    ),
  ),
};

function flow(folder: string, at: number): string {
  return `flow "${folder}_${at}" {
  from {
    connector = "${at % 3 === 0 ? 'partners' : 'api'}"
    operation = "GET /${folder}/${at}"
  }
  transform {
    id   = "input.id"
    name = "'${folder} ${at}'"
  }
  response {
    name = "output.name"
  }
}
`;
}
