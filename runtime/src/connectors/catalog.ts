import type { ConnectorSpec } from '@svc/protocol/schema';
import type { PublishCheck } from '../foundation/contracts/published.ts';
import { kvCache } from './cache/kv/spec.ts';
import { memoryCache } from './cache/memory/spec.ts';
import { changeSources, engines } from './database/engines.ts';
import { mongodb } from './database/mongodb/spec.ts';
import { execLocal } from './exec/local/spec.ts';
import { execSsh } from './exec/ssh/spec.ts';
import { ftp } from './files/ftp/spec.ts';
import { file } from './files/local/spec.ts';
import { objectStoreConnector, s3Files } from './files/object-store/spec.ts';
import { graphqlClient } from './graphql/client/spec.ts';
import { checkSchema } from './graphql/schema/rules.ts';
import { graphqlServer } from './graphql/server/spec.ts';
import { grpcClient } from './grpc/client/spec.ts';
import { grpcServer } from './grpc/server/spec.ts';
import { http } from './http/spec.ts';
import { amqp } from './mq/amqp/spec.ts';
import { partitionedLog } from './mq/log/spec.ts';
import { nats } from './mq/nats/spec.ts';
import { pubsub } from './mq/pubsub/spec.ts';
import { mqtt } from './mqtt/spec.ts';
import { discord } from './notify/discord/spec.ts';
import { sendgrid } from './notify/email/sendgrid/spec.ts';
import { ses } from './notify/email/ses/spec.ts';
import { smtp } from './notify/email/smtp/spec.ts';
import { apns } from './notify/push/apns/spec.ts';
import { fcm } from './notify/push/fcm/spec.ts';
import { slack } from './notify/slack/spec.ts';
import { sns } from './notify/sms/sns/spec.ts';
import { twilio } from './notify/sms/twilio/spec.ts';
import { webhookInbound } from './notify/webhook/inbound/spec.ts';
import { webhookOutbound } from './notify/webhook/outbound/spec.ts';
import { codeHostIdp } from './oauth/code-host-idp/spec.ts';
import { custom } from './oauth/custom/spec.ts';
import { deviceIdp } from './oauth/device-idp/spec.ts';
import { oidc } from './oauth/oidc/spec.ts';
import { webIdp } from './oauth/web-idp/spec.ts';
import { pdfChromium } from './pdf/chromium/spec.ts';
import { pdf } from './pdf/spec.ts';
import { rest } from './rest/spec.ts';
import { search } from './search/spec.ts';
import { soapClient } from './soap/client/spec.ts';
import { soapServer } from './soap/server/spec.ts';
import { sse } from './sse/spec.ts';
import { tcpClient } from './tcp/client/spec.ts';
import { tcpServer } from './tcp/server/spec.ts';
import { websocket } from './websocket/spec.ts';

/** Every connector that is built, by its folder, from which `registry.ts` loads its code. */
export const connectors: Readonly<Record<string, ConnectorSpec>> = {
  rest,
  http,
  'graphql/server': graphqlServer,
  'graphql/client': graphqlClient,
  'grpc/server': grpcServer,
  'grpc/client': grpcClient,
  ...Object.fromEntries(Object.entries(engines).map(([name, { spec }]) => [`database/${name}`, spec])),
  ...Object.fromEntries(Object.entries(changeSources).map(([folder, spec]) => [`database/${folder}`, spec])),
  'database/mongodb': mongodb,
  'cache/memory': memoryCache,
  'cache/kv': kvCache,
  'mq/amqp': amqp,
  'mq/pubsub': pubsub,
  'mq/log': partitionedLog,
  'mq/nats': nats,
  mqtt,
  'tcp/client': tcpClient,
  'tcp/server': tcpServer,
  websocket,
  sse,
  search,
  'soap/server': soapServer,
  'soap/client': soapClient,
  'files/local': file,
  'exec/local': execLocal,
  'exec/ssh': execSsh,
  'files/ftp': ftp,
  'files/object-store': objectStoreConnector,
  'files/object-store/as-file': s3Files,
  pdf,
  'pdf/chromium': pdfChromium,
  'notify/discord': discord,
  'notify/slack': slack,
  'notify/email/smtp': smtp,
  'notify/email/sendgrid': sendgrid,
  'notify/email/ses': ses,
  'notify/sms/twilio': twilio,
  'notify/sms/sns': sns,
  'notify/webhook/outbound': webhookOutbound,
  'notify/webhook/inbound': webhookInbound,
  'notify/push/fcm': fcm,
  'notify/push/apns': apns,
  'oauth/web-idp': webIdp,
  'oauth/code-host-idp': codeHostIdp,
  'oauth/device-idp': deviceIdp,
  'oauth/oidc': oidc,
  'oauth/custom': custom,
};

/** What is checked of connectors that publish types. */
export const publishChecks: ReadonlyMap<ConnectorSpec, PublishCheck> = new Map([[graphqlServer, checkSchema]]);
