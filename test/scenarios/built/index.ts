import type { Row } from './row.ts';
import { brokers } from './rows/brokers.ts';
import { caches } from './rows/caches.ts';
import { channels } from './rows/channels.ts';
import { codecs } from './rows/codecs.ts';
import { databases } from './rows/databases.ts';
import { documents } from './rows/documents.ts';
import { files } from './rows/files.ts';
import { ftp } from './rows/ftp.ts';
import { graphql } from './rows/graphql.ts';
import { grpc } from './rows/grpc.ts';
import { identity } from './rows/identity.ts';
import { live } from './rows/live.ts';
import { log } from './rows/log.ts';
import { mail } from './rows/mail.ts';
import { printing } from './rows/printing.ts';
import { programs } from './rows/programs.ts';
import { soap } from './rows/soap.ts';
import { tcp } from './rows/tcp.ts';
import { web } from './rows/web.ts';
import { webhooks } from './rows/webhooks.ts';

/** Every connector of the catalogue, in each of the ways that it speaks. */
export const rows: readonly Row[] = [
  ...web,
  ...codecs,
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
  ...mail,
  ...webhooks,
  ...identity,
];
