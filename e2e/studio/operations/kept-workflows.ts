import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import { runCommand } from '../../../test/support/service.ts';
import { copyExample } from '../../example.ts';

/** A flow that runs by the clock, seldom. */
const nightly = `flow "tidy" {
  when {
    schedule = "30 2 * * *"
    timezone = "Europe/Madrid"
    storage  = connector.db
  }
  to {
    connector = "db"
    query     = "DELETE FROM rentals WHERE state = 'closed'"
  }
}
`;

/** The rentals, whose workflows wait, with a flow that runs by the clock. */
export async function rentals() {
  const { directory, remove } = copyExample('workflows');
  writeFileSync(join(directory, 'nightly.hcl'), nightly);
  expect(await runCommand(['migrate', '-c', directory])).toMatchObject({ code: 0 });
  const env = { WORKFLOW_PORT: String(await freePort()), RENTAL_TIME: '1s' };
  return { directory, remove, env };
}
