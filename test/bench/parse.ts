import { parseHcl } from '@svc/protocol/syntax';

/*
 * How long a fresh process takes to parse a service of 60 files. Run with `node test/bench/parse.ts`.
 * The first reading is cold: it includes whatever the engine compiles on the way.
 */

const files = Array.from({ length: 60 }, (_, index) => fileOf(index));
const lines = files.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
const characters = files.reduce((sum, text) => sum + text.length, 0);

const before = process.cpuUsage();
const cold = timeOf(readAll);
const used = process.cpuUsage(before);
const hot: number[] = [];
for (let round = 0; round < 50; round++) hot.push(timeOf(readAll));
hot.sort((a, b) => a - b);

console.log(`${files.length} files, ${lines} lines, ${Math.round(characters / 1024)} KiB`);
console.log(
  `cold ${cold.toFixed(1)} ms (${((used.user + used.system) / 1000).toFixed(1)} ms of processor time, compiling included), hot ${(hot[25] as number).toFixed(2)} ms (median of ${hot.length})`,
);

function readAll(): void {
  for (const [index, text] of files.entries()) {
    const tree = parseHcl(text, `file${index}.hcl`);
    if (tree.diagnostics.length > 0) throw new Error(tree.diagnostics[0]?.message);
  }
}

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** A connector and two flows such as services are written with, 62 lines. */
function fileOf(index: number): string {
  return `# Orders, part ${index}

connector "db${index}" {
  type     = "database"
  driver   = "postgres"
  host     = env("DB_HOST", "localhost")
  port     = 5432
  password = env("DB_PASSWORD")
  pool {
    min = 2
    max = 10
  }
}

// Reads one order.
flow "get_order_${index}" {
  from {
    connector = "api"
    operation = "GET /orders${index}/:id"
  }

  step "customer" {
    connector = "db${index}"
    query     = <<-SQL
      SELECT id, name, email
        FROM customers
       WHERE id = :id
    SQL
    params = { id = "input.customer_id", limit = 1 }
  }

  transform {
    id       = "input.id"
    email    = "lower(trim(step.customer.email))"
    total    = "input.items.map(i, i.price * double(i.count)).sum()"
    currency = "has(input.currency) ? input.currency : 'EUR'"
    label    = "\\"order \\" + input.id"
  }

  to {
    connector = "db${index}"
    target    = "orders"
  }
}

/* Writes one order. */
flow "create_order_${index}" {
  from {
    connector = "api"
    operation = "POST /orders${index}"
  }
  require = ["orders:write", "orders:\${constants.region}"]
  retry {
    attempts = 3
    delay    = "250ms"
  }
  to {
    connector = "db${index}"
    target    = "orders"
  }
}
`;
}
