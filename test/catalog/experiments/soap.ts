import type { Shown } from './flows.ts';
import { closing, headersOf, httpServerAttributes, request, type ShowServer } from './http-server.ts';
import { serves } from './running.ts';

/** An operation that is answered at once, and one that takes longer. */
const flows = `flow "quick" {
  from {
    connector = "api"
    operation = "Quick"
  }
  response {
    a = "1"
  }
}
flow "slow" {
  from {
    connector = "api"
    operation = "Slow"
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
`;

const server: ShowServer = (lines, values, look) =>
  serves(
    `service {\n admin_port = 0\n}\nconnector "api" {\n type = "soap"\n port = 0\n host = "127.0.0.1"\n ${lines}\n}\n${flows}`,
    values,
    look,
  );

const asked = (operation: string, more = '') => {
  const envelope = 'http://schemas.xmlsoap.org/soap/envelope/';
  const body = `<s:Envelope xmlns:s="${envelope}"><s:Body><${operation}/></s:Body></s:Envelope>${more}`;
  return (headers: readonly string[]) => request('POST /', ['Content-Type: text/xml', ...headers], body);
};

const wsdl = async ({ api }: { readonly api: number }) =>
  (await (await fetch(`http://127.0.0.1:${api}/wsdl`)).text()).replaceAll(String(api), 'port');

/** Attributes of a SOAP server of which a run shows two values. */
export const soapServer: Shown = {
  ...httpServerAttributes(server, {
    path: '/',
    quick: asked('Quick'),
    slow: asked('Slow'),
    body: asked('Quick', `<!--${'x'.repeat(100)}-->`),
  }),
  soap_version: server('soap_version = §', ['"1.1"', '"1.2"'], ({ api }) => headersOf(api, asked('Quick')([closing]))),
  namespace: server('namespace = §', ['"urn:a"', '"urn:b"'], wsdl),
  address: server('address = §', ['"http://a.example"', '"http://b.example"'], wsdl),
};
