import type { HttpExchange, HttpRoute } from '../../../foundation/contracts/http.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/** Serves the WSDL at `/wsdl`, and at any path with the query `?wsdl`; `text` makes it for an address. */
export function wsdlRoutes(text: (address: string) => string, written: string | undefined): readonly HttpRoute[] {
  const send = (exchange: HttpExchange, path: string) =>
    exchange.send(200, 'text/xml; charset=utf-8', text(written ?? addressOf(exchange, path)));
  const asked = (exchange: HttpExchange) => {
    if (Object.keys(exchange.query).some((name) => name.toLowerCase() === 'wsdl')) send(exchange, pathOf(exchange));
    else
      exchange.refuse(new Failure('method_not_allowed', 'an operation is requested by POST; ?wsdl describes them'), [
        'allow',
        'OPTIONS, POST',
      ]);
  };
  return ['GET', 'HEAD'].flatMap((method) => [
    { method, path: '/wsdl', handle: (exchange: HttpExchange) => send(exchange, '/') },
    { method, path: '/', handle: asked },
    { method, path: '/*', handle: asked },
  ]);
}

function pathOf({ request: { url = '/' } }: HttpExchange): string {
  return url.split('?', 1)[0] as string;
}

/** Where the caller reached the service, by what it says of that. */
function addressOf({ request }: HttpExchange, path: string): string {
  const { host } = request.headers;
  const { localAddress = 'localhost', localPort = 80 } = request.socket;
  const isName = host !== undefined && /^[A-Za-z0-9._~:[\]-]{1,255}$/.test(host);
  const own = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
  return `http://${isName ? host : own}${path}`;
}
