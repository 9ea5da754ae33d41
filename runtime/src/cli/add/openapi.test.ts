import { expect, test } from 'vitest';
import { added } from '../testing/added-openapi.ts';

const shop = `openapi: 3.1.0
info:
  title: Shop
  version: 1.2.0
servers:
  - url: https://{region}.example.org/v2
    variables:
      region: { default: eu }
security:
  - token: []
paths:
  /orders:
    get:
      operationId: listOrders
      summary: Lists orders.
      parameters:
        - name: state
          in: query
          schema: { type: string, enum: [open, sent] }
        - name: limit
          in: query
          description: How many at most.
          schema: { type: integer, minimum: 1, maximum: 100, default: 20 }
        - $ref: '#/components/parameters/Trace'
      responses:
        '200':
          description: The orders.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Order' } }
    post:
      operationId: createOrder
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/NewOrder' }
      responses:
        '201':
          description: It is made.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Order' }
        '409': { description: It is there already. }
  /orders/{order-id}:
    parameters:
      - name: order-id
        in: path
        required: true
        schema: { type: string, format: uuid }
    get:
      summary: One order.
      responses:
        '200':
          description: The order.
          content:
            application/json:
              schema: { $ref: 'parts/order.yaml#/Detailed' }
    delete:
      operationId: deleteOrder
      responses:
        '204': { description: It is no more. }
  /status:
    get:
      operationId: status
      security: []
      responses:
        default: { description: How it is. }
  /files/{name}.{ext}:
    get:
      responses:
        '200': { description: A file. }
components:
  parameters:
    Trace:
      name: X-Trace
      in: header
      schema: { type: string, minLength: 8 }
  securitySchemes:
    token: { type: http, scheme: bearer }
  schemas:
    Base:
      type: object
      required: [sku]
      properties:
        sku: { type: string, pattern: '^[A-Z]{2}\\d+$', maxLength: 20 }
    NewOrder:
      description: What a caller orders.
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          required: [lines, email]
          properties:
            email: { type: string, format: email }
            lines:
              type: array
              minItems: 1
              maxItems: 50
              items: { $ref: '#/components/schemas/Line' }
            ship_to:
              type: object
              properties:
                city: { type: string }
                zip: { type: [string, 'null'] }
            payment:
              oneOf:
                - $ref: '#/components/schemas/Card'
                - $ref: '#/components/schemas/Iban'
    Order:
      type: object
      required: [id, total]
      properties:
        id: { type: [string, integer] }
        total: { type: number, minimum: 0, multipleOf: 0.01 }
        state: { $ref: '#/components/schemas/State' }
        made_at: { type: string, format: date-time, readOnly: true }
        parent:
          anyOf:
            - $ref: '#/components/schemas/Order'
            - type: 'null'
    State: { type: string, enum: [open, sent], default: open }
    Line:
      type: object
      required: [count]
      properties:
        count: { type: integer, exclusiveMinimum: 0 }
        $ref_no: { type: string }
    Card: { type: object, properties: { number: { type: string } } }
    Iban: { type: object, properties: { iban: { type: string } } }
`;
const order = `Detailed:
  allOf:
    - $ref: ../shop.yaml#/components/schemas/Order
    - properties:
        note: { type: string }
`;

test('svc add openapi: a server, types and flows as a person writes them, and what no configuration says', async () => {
  const { status, error, written, checks } = await added({ 'shop.yaml': shop, 'parts/order.yaml': order });
  expect([status, ...checks]).toEqual([0, 0, 0]);
  expect(error.split('\n').filter((line) => line !== '')).toEqual([
    'not translated: shop.yaml#/paths/~1files~1{name}.{ext}/get: `{name}.{ext}` in the path `/v2/files/{name}.{ext}` is neither plain text nor a parameter such as `:id`',
    'not translated: shop.yaml#/components/schemas/Order/properties/total/multipleOf: multipleOf is not checked',
    'not translated: shop.yaml#/components/schemas/Line/properties/$ref_no: no field of a type can have this name, so that its type leaves the field out',
    'not translated: shop.yaml#/components/schemas/NewOrder/allOf/1/properties/payment: oneOf or anyOf: no type is one of Card, Iban, and nothing checks it',
    'not translated: shop.yaml#/paths/~1orders~1{order-id}/parameters/0/schema: format uuid is not checked',
  ]);
  expect(written).toEqual({
    'connectors/shop.hcl': `# Shop, 1.2.0
connector "shop" {
  type = "rest"
  port = env("SHOP_PORT", "8080")

  auth {
    type   = "jwt"
    secret = env("SHOP_SECRET")
    public = ["/v2/status"]
  }

  operation "list_orders" {
    method      = "GET"
    path        = "/v2/orders"
    description = "Lists orders."

    param "state" {
      enum = ["open", "sent"]
      in   = "query"
    }

    param "limit" {
      type        = "integer"
      min         = 1
      max         = 100
      default     = 20
      description = "How many at most."
      in          = "query"
    }

    param "X-Trace" {
      min_length = 8
      in         = "header"
    }
  }
}
`,
    'flows/create_order.hcl': `flow "create_order" {
  from {
    connector = "shop"
    operation = "POST /v2/orders"
  }
  validate {
    input  = "NewOrder"
    output = "Order"
  }
  # TODO: what it does and answers: step, transform, to, response (201 Order; 409)
  response {
    http_status_code = "201"
  }
}
`,
    'flows/delete_order.hcl': `flow "delete_order" {
  from {
    connector = "shop"
    operation = "DELETE /v2/orders/:order_id"
  }
  # TODO: what it does and answers: step, transform, to, response (204 nothing)
  response {
    http_status_code = "204"
  }
}
`,
    'flows/get_orders_order_id.hcl': `# One order.
flow "get_orders_order_id" {
  from {
    connector = "shop"
    operation = "GET /v2/orders/:order_id"
  }
  validate {
    output = "Detailed"
  }
  # TODO: what it does and answers: step, transform, to, response (200 Detailed)
}
`,
    'flows/list_orders.hcl': `# Lists orders.
flow "list_orders" {
  returns = "[Order!]!"
  from {
    connector = "shop"
    operation = "list_orders"
  }
  # TODO: what it does and answers: step, transform, to, response (200 list of Order)
}
`,
    'flows/status.hcl': `flow "status" {
  from {
    connector = "shop"
    operation = "GET /v2/status"
  }
  # TODO: what it does and answers: step, transform, to, response (200 nothing)
}
`,
    'types/Detailed.hcl': `type "Detailed" {
  id      = id
  total   = number({ min = 0 })
  state   = string({ enum = ["open", "sent"], default = "open" })
  made_at = string({ format = "datetime", required = false })
  parent  = Order({ required = false })
  note    = string({ required = false })
}
`,
    'types/Line.hcl': `type "Line" {
  count = integer({ min = 1 })
}
`,
    'types/NewOrder.hcl': `type "NewOrder" {
  _description = "What a caller orders."
  sku          = string({ pattern = "^[A-Z]{2}\\\\d+$", max_length = 20 })
  email        = string({ format = "email" })
  lines        = array({ items = "Line", min_length = 1, max_length = 50 })
  ship_to      = NewOrderShipTo({ required = false })
  payment      = object({ required = false })
}
`,
    'types/NewOrderShipTo.hcl': `type "NewOrderShipTo" {
  city = string({ required = false })
  zip  = string({ required = false })
}
`,
    'types/Order.hcl': `type "Order" {
  id      = id
  total   = number({ min = 0 })
  state   = string({ enum = ["open", "sent"], default = "open" })
  made_at = string({ format = "datetime", required = false })
  parent  = Order({ required = false })
}
`,
  });
});

test('svc add openapi --client: a client with its operations, and no flows', async () => {
  const { status, written, checks } = await added({ 'shop.yaml': shop, 'parts/order.yaml': order }, ['--client']);
  expect([status, ...checks]).toEqual([0, 0, 0]);
  expect(Object.keys(written).filter((path) => path.startsWith('flows/'))).toEqual([]);
  expect(written['connectors/shop.hcl']).toBe(`# Shop, 1.2.0
connector "shop" {
  type     = "http"
  base_url = env("SHOP_BASE_URL", "https://eu.example.org/v2")

  auth {
    type  = "bearer"
    token = env("SHOP_TOKEN")
  }

  operation "list_orders" {
    method      = "GET"
    path        = "/orders"
    description = "Lists orders."

    param "state" {
      enum = ["open", "sent"]
      in   = "query"
    }

    param "limit" {
      type        = "integer"
      min         = 1
      max         = 100
      default     = 20
      description = "How many at most."
      in          = "query"
    }

    param "X-Trace" {
      min_length = 8
      in         = "header"
    }
  }

  operation "create_order" {
    method = "POST"
    path   = "/orders"
    input  = "NewOrder"
    output = "Order"
  }

  operation "get_orders_order_id" {
    method      = "GET"
    path        = "/orders/:order_id"
    description = "One order."
    output      = "Detailed"

    param "order_id" {
      in       = "path"
      required = true
    }
  }

  operation "delete_order" {
    method = "DELETE"
    path   = "/orders/:order_id"

    param "order_id" {
      in       = "path"
      required = true
    }
  }

  operation "status" {
    method = "GET"
    path   = "/status"
  }
}
`);
});
