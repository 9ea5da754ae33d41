import type { Factory } from '../../../foundation/contracts/connector.ts';
import { ServerConnector } from '../server/connector.ts';
import { PostgresDriver } from './driver.ts';
import type { postgres } from './spec.ts';

export const create: Factory<typeof postgres> = (name, config, services) =>
  new ServerConnector(name, config, services, new PostgresDriver());
