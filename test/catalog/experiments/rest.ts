import type { Shown } from './flows.ts';
import { closing, headersOf, httpServerAttributes, request, type ShowServer, statuses } from './http-server.ts';
import { serves } from './running.ts';

/** A flow that answers at once, one that takes longer, and one that takes what is sent to it. */
const flows = `flow "quick" {
  from {
    connector = "api"
    operation = "GET /quick"
  }
  response {
    a = "1"
  }
}
flow "slow" {
  from {
    connector = "api"
    operation = "GET /slow"
  }
  coordinate {
    timeout    = "400ms"
    on_timeout = "skip"
    wait {
      when = "true"
      for  = "'never'"
    }
  }
  response {
    a = "1"
  }
}
flow "take" {
  from {
    connector = "api"
    operation = "POST /take"
  }
  response {
    a = "1"
  }
}
flow "keep" {
  from {
    connector = "api"
    operation = "POST /keep"
    format    = "binary"
  }
  response {
    a = "1"
  }
}
`;
const server: ShowServer = (lines, values, look) =>
  serves(
    `service {\n admin_port = 0\n}\nconnector "api" {\n type = "rest"\n port = 0\n host = "127.0.0.1"\n ${lines}\n}\n${flows}`,
    values,
    look,
  );

const posted = (path: string, headers: readonly string[]) =>
  request(`POST ${path}`, ['Content-Type: application/json', ...headers], `{"n":"${'x'.repeat(100)}"}`);

/** Attributes of a REST server of which a test shows one value. */
export const restServer: Shown = {
  ...httpServerAttributes(server, {
    path: '/quick',
    quick: (headers) => request('GET /quick', headers),
    slow: (headers) => request('GET /slow', headers),
    body: (headers) => posted('/take', headers),
  }),
  format: server('format = §', ['"json"', '"xml"'], ({ api }) => headersOf(api, request('GET /quick', [closing]))),
  max_upload: server('max_upload = §', ['50', '500'], ({ api }) => statuses(api, posted('/keep', [closing]))),
};
