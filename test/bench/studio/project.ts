import { folderWith } from '../../support/folder.ts';
import { orderFile } from '../order-file.ts';

const connectors = `service {
  name       = "orders"
  admin_port = env("ADMIN_PORT", "0")
}
connector "api" {
  type = "rest"
  port = env("PORT", "0")
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "orders.db"
}
`;

/** A folder of so many files, each with a type and a flow; `broken.hcl` asks for so many connectors that are not there. */
export function projectOf(files: number, problems: number): string {
  const flows = Array.from({ length: files - 2 }, (_, index) => [`flows/part_${index}.hcl`, orderFile(index)] as const);
  const broken = Array.from({ length: problems }, (_, index) => brokenFlow(index)).join('\n');
  return folderWith({ 'service.hcl': connectors, 'broken.hcl': broken, ...Object.fromEntries(flows) });
}

function brokenFlow(index: number): string {
  return `flow "broken_${index}" {
  from {
    connector = "absent"
    operation = "GET /broken/${index}"
  }
}
`;
}
