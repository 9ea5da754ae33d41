/** Where rows are written: a connector, and the column that names a row there. */
export interface TargetKind {
  readonly name: string;
  readonly title: string;
  readonly key: string;
  /** Inside of its block. */
  readonly connector: string;
  /** What its `to` names, as the configuration writes it; `orders` where it is absent. */
  readonly place?: string;
  /** What its `to` says for an upsert. */
  readonly upsert: string;
  /** A row that is not there is a failure. */
  readonly refusesMissing?: true;
}

const conflict = (key: string) => `operation = "UPSERT"\n    conflict  = ["${key}"]`;

export const targets: readonly TargetKind[] = [
  {
    name: 'sqlite',
    title: 'SQLite',
    key: 'order_id',
    connector: 'type = "database"\n  driver = "sqlite"\n  database = "rows.db"',
    upsert: conflict('order_id'),
  },
  {
    name: 'postgres',
    title: 'PostgreSQL',
    key: 'order_id',
    connector: 'type = "database"\n  driver = "postgres"\n  url = env("POSTGRES")',
    upsert: conflict('order_id'),
  },
  {
    name: 'mysql',
    title: 'MySQL',
    key: 'order_id',
    connector: 'type = "database"\n  driver = "mysql"\n  url = env("MYSQL")',
    upsert: conflict('order_id'),
  },
  {
    name: 'mongodb',
    title: 'MongoDB',
    key: 'id',
    connector: 'type = "database"\n  driver = "mongodb"\n  url = env("MONGODB")\n  database = env("MONGODB_DATABASE")',
    upsert: conflict('id'),
  },
  {
    name: 'search',
    title: 'Elasticsearch',
    key: 'id',
    connector: 'type = "elasticsearch"\n  nodes = [env("SEARCH")]\n  refresh = "immediate"',
    place: 'env("SEARCH_INDEX")',
    upsert: 'operation = "index"',
    refusesMissing: true,
  },
];

export const table = `CREATE TABLE orders (order_id varchar(40) PRIMARY KEY, state varchar(40))`;
