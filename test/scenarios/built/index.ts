import type { Row } from './row.ts';
import { webhooks } from './rows/webhooks.ts';
import { programs } from './rows/programs.ts';
import { printing } from './rows/printing.ts';
import { identity } from './rows/identity.ts';
import { files } from './rows/files.ts';
import { channels } from './rows/channels.ts';
import { brokers } from './rows/brokers.ts';
import { caches } from './rows/caches.ts';
import { databases } from './rows/databases.ts';
import { documents } from './rows/documents.ts';
import { ftp } from './rows/ftp.ts';
import { graphql } from './rows/graphql.ts';
import { grpc } from './rows/grpc.ts';
import { live } from './rows/live.ts';
import { log } from './rows/log.ts';
import { soap } from './rows/soap.ts';
import { tcp } from './rows/tcp.ts';
import { web } from './rows/web.ts';

/** Every connector of the catalogue, in each of the ways that it speaks. */
export const rows: readonly Row[] = [
  ...web,
  ...graphql,
  ...grpc,
  ...soap,
  ...tcp,
  ...live,
  ...databases,
  ...documents,
  ...caches,
  ...brokers,
  ...log,
  ...files,
  ...ftp,
  ...programs,
  ...printing,
  ...channels,
  ...webhooks,
  ...identity,
];
