import type { Factory } from '../../../foundation/contracts/connector.ts';
import { ServerConnector } from '../server/connector.ts';
import { mysqlDriver } from './driver.ts';
import type { mysql } from './spec.ts';

export const create: Factory<typeof mysql> = (name, config, services) =>
  new ServerConnector(name, config, services, mysqlDriver(config.charset));
