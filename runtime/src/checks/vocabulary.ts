import type { ConnectorSpec, Vocabulary } from '@svc/protocol/schema';
import { kvCache } from '../connectors/cache/kv/spec.ts';
import { memoryCache } from '../connectors/cache/memory/spec.ts';
import { changeSources, engines } from '../connectors/database/engines.ts';
import { mongodb } from '../connectors/database/mongodb/spec.ts';
import { execLocal } from '../connectors/exec/local/spec.ts';
import { execSsh } from '../connectors/exec/ssh/spec.ts';
import { ftp } from '../connectors/files/ftp/spec.ts';
import { file } from '../connectors/files/local/spec.ts';
import { objectStoreConnector, s3Files } from '../connectors/files/object-store/spec.ts';
import { graphqlClient } from '../connectors/graphql/client/spec.ts';
import { checkSchema } from '../connectors/graphql/schema/rules.ts';
import { graphqlServer } from '../connectors/graphql/server/spec.ts';
import { grpcClient } from '../connectors/grpc/client/spec.ts';
import { grpcServer } from '../connectors/grpc/server/spec.ts';
import { http } from '../connectors/http/spec.ts';
import { amqp } from '../connectors/mq/amqp/spec.ts';
import { partitionedLog } from '../connectors/mq/log/spec.ts';
import { nats } from '../connectors/mq/nats/spec.ts';
import { pubsub } from '../connectors/mq/pubsub/spec.ts';
import { mqtt } from '../connectors/mqtt/spec.ts';
import { discord } from '../connectors/notify/discord/spec.ts';
import { sendgrid } from '../connectors/notify/email/sendgrid/spec.ts';
import { ses } from '../connectors/notify/email/ses/spec.ts';
import { smtp } from '../connectors/notify/email/smtp/spec.ts';
import { apns } from '../connectors/notify/push/apns/spec.ts';
import { fcm } from '../connectors/notify/push/fcm/spec.ts';
import { slack } from '../connectors/notify/slack/spec.ts';
import { sns } from '../connectors/notify/sms/sns/spec.ts';
import { twilio } from '../connectors/notify/sms/twilio/spec.ts';
import { webhookInbound } from '../connectors/notify/webhook/inbound/spec.ts';
import { webhookOutbound } from '../connectors/notify/webhook/outbound/spec.ts';
import { codeHostIdp } from '../connectors/oauth/code-host-idp/spec.ts';
import { custom } from '../connectors/oauth/custom/spec.ts';
import { deviceIdp } from '../connectors/oauth/device-idp/spec.ts';
import { oidc } from '../connectors/oauth/oidc/spec.ts';
import { webIdp } from '../connectors/oauth/web-idp/spec.ts';
import { pdfChromium } from '../connectors/pdf/chromium/spec.ts';
import { pdf } from '../connectors/pdf/spec.ts';
import { profiled, profilePart } from '../connectors/profile/spec.ts';
import { rest } from '../connectors/rest/spec.ts';
import { search } from '../connectors/search/spec.ts';
import { soapClient } from '../connectors/soap/client/spec.ts';
import { soapServer } from '../connectors/soap/server/spec.ts';
import { sse } from '../connectors/sse/spec.ts';
import { tcpClient } from '../connectors/tcp/client/spec.ts';
import { tcpServer } from '../connectors/tcp/server/spec.ts';
import { websocket } from '../connectors/websocket/spec.ts';
import { auth } from '../engine/auth/spec.ts';
import { rootBlocks, unavailableRootBlocks } from '../engine/flow/root-spec.ts';
import { mocks } from '../engine/mocks/spec.ts';
import { pluginBlocks } from '../engine/plugins/spec.ts';
import { service } from '../engine/settings/spec.ts';
import type { PublishCheck } from '../foundation/contracts/published.ts';
import { test } from './tests/spec.ts';

/** Every connector that is built, by its folder, from which `connectors/registry.ts` loads its code. */
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

/** Everything that may be written in a configuration. Data alone: safe to import in a browser. */
export const vocabulary: Vocabulary = {
  blocks: { service, auth, ...rootBlocks, ...pluginBlocks, mocks, test },
  connectors: Object.values(connectors),
  profiled,
  everyProfile: profilePart,
  unavailable: {
    blocks: unavailableRootBlocks,
    connectors: [],
  },
};
