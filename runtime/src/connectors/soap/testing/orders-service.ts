import type { ServiceSetup } from '../../../service/running/setup.ts';
import { startText, type TextService } from '../../../service/running/testing/text-service.ts';

const namespace = 'http://example.org/orders';

/** A SOAP service with operations of declared types, and some without; `lines` are written in its connector. */
const configuration = (lines: string) => `
service {
  admin_port = 0
}
connector "api" {
  type      = "soap"
  host      = "127.0.0.1"
  port      = env("PORT")
  namespace = "${namespace}"
  ${lines}
}
type "line" {
  sku      = string
  quantity = integer({ min = 1 })
}
type "order_request" {
  customer = string({ enum = ["ada", "bob"] })
  express  = boolean({ required = false })
  lines    = array({ items = "line" })
  tags     = array({ items = "string", required = false })
}
type "order_view" {
  id       = integer
  customer = string
  total    = number
  express  = boolean({ required = false })
  note     = string({ required = false })
  lines    = array({ items = "line" })
  tags     = array({ items = "string", required = false })
}
flow "create_order" {
  from {
    connector = "api"
    operation = "CreateOrder"
  }
  validate {
    input  = "order_request"
    output = "order_view"
  }
  response {
    lines    = "input.lines"
    tags     = "has(input.tags) ? input.tags : []"
    total    = "double(input.lines[0].quantity) * 2.5"
    express  = "input.?express.orValue(false)"
    note     = "null"
    customer = "input.customer"
    id       = "9007199254740993"
    internal = "'not declared'"
  }
}
flow "echo" {
  from {
    connector = "api"
    operation = "Echo"
  }
  response {
    text  = "input.text"
    words = "input.text.split(' ')"
  }
}
flow "who" {
  from {
    connector = "api"
    operation = "Who"
  }
  response {
    name = "auth.user_id"
  }
}
flow "broken" {
  from {
    connector = "api"
    operation = "Broken"
  }
  response {
    secret = "1 / int(input.zero)"
  }
}
`;

export function ordersService(lines = '', own: Partial<ServiceSetup> = {}): Promise<TextService> {
  return startText(configuration(lines), {}, own);
}
