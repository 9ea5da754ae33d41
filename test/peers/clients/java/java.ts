import { join } from 'node:path';
import { Jars } from '../../../support/servers/brought/jars.ts';
import { findProgram } from '../../../support/servers/program.ts';
import { brief, missingFor } from '../../java.ts';
import type { Peer } from '../../peer.ts';
import { checkClient } from '../desk.ts';

const jars = new Jars({
  name: 'clients-of-java',
  version: '1',
  artifacts: [
    'com.squareup.okhttp3:okhttp-jvm:5.5.1',
    'com.squareup.okhttp3:okhttp-sse:5.5.1',
    'io.grpc:grpc-netty-shaded:1.85.1',
    'io.grpc:grpc-protobuf:1.85.1',
    'io.grpc:grpc-services:1.85.1',
    'io.grpc:grpc-stub:1.85.1',
    'com.sun.xml.ws:jaxws-rt:4.0.3',
    'com.fasterxml.jackson.core:jackson-databind:2.18.2',
  ],
});

export const java: Peer = {
  name: 'Clients of Java',
  version: 'OkHttp 5.5, grpc-java 1.85, Metro 4.0',
  ran: 'calls of REST (HTTP/2 too), GraphQL (subscriptions as events), gRPC, SOAP, WebSocket, server-sent events',
  needs: [],
  missing: () => missingFor(jars),
  run: async () => {
    const source = join(import.meta.dirname, 'Client.java');
    return checkClient({
      program: findProgram('java') as string,
      args: [...brief, '-cp', await jars.classPath(), source],
    });
  },
  differs: [],
};
