import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import { swiftKeys } from '../../../../../../test/support/servers/swift/settings.ts';
import { fixedCredentials } from '../../../../platform/aws/credentials/credentials.ts';
import { Signer } from '../../../../platform/aws/signer.ts';
import { HttpClient } from '../../../../platform/net/request.ts';
import { bucketAddress } from '../client/address.ts';
import { S3Client } from '../client/client.ts';
import { ObjectStore } from '../store.ts';
import { after } from './opened.ts';
import type { Bucket } from './server.ts';

/** A store whose largest copy at once, and longest page of a list, are so small that a test can exceed them. */
export function directStore({ name: bucket, server }: Bucket, root: string): ObjectStore {
  const { url, access, secret, smallestPart } = server;
  const { clock, log, userAgent } = connectorServices();
  const http = new HttpClient({ maxResponse: Number.POSITIVE_INFINITY });
  after(() => http.close(AbortSignal.abort()));
  const { region } = swiftKeys;
  const client = new S3Client({
    address: bucketAddress({ bucket, region, endpoint: url.origin, pathStyle: true }),
    http,
    signer: new Signer(region, 's3', true),
    credentials: fixedCredentials(access, secret, undefined),
    retry: { attempts: 1, delay: 1, maxDelay: 1, kind: 'constant', unsafe: false },
    requestTimeout: 60_000,
    clock,
    log,
    userAgent,
  });
  const copying = { atOnce: smallestPart, partSize: smallestPart };
  return new ObjectStore(client, { root, partSize: smallestPart, parallel: 2, storage: {}, copying, pageKeys: 3 });
}
