import { projectOf } from '../../../checks/rules/testing/problems.ts';
import { openApi } from '../../../engine/export/openapi.ts';
import { checkOpenApi } from '../check.ts';

const configuration = `connector "api" {
  type = "rest"
  port = 8080

  auth {
    type   = "jwt"
    secret = "0123456789abcdef0123456789abcdef"
    public = ["/status"]
  }

  operation "list" {
    method = "GET"
    path   = "/orders/:id/lines"

    param "id" {
      type = "integer"
      in   = "path"
    }
    param "limit" {
      type    = "integer"
      min     = 1
      max     = 100
      default = 20
      in      = "query"
    }
    param "state" {
      enum     = ["open", "sent"]
      in       = "query"
      required = true
    }
  }
}
type "order" {
  id     = id
  email  = string({ format = "email", max_length = 60 })
  note   = string({ required = false, pattern = "^[a-z]+$" })
  lines  = array({ items = "line", min_length = 1 })
  parent = order({ required = false })
}
type "line" {
  count = integer({ min = 1 })
}
type "receipt" {
  total = number({ min = 0 })
  state = string({ enum = ["open", "sent"] })
  note  = string({ required = false })
}
flow "status" {
  from {
    connector = "api"
    operation = "GET /status"
  }
  response {
    ok = "true"
  }
}
flow "list" {
  returns = "[line!]!"
  from {
    connector = "api"
    operation = "list"
  }
}
flow "create" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  validate {
    input  = "order"
    output = "receipt"
  }
  response {
    http_status_code = "201"
  }
}
`;

// biome-ignore lint/suspicious/noExplicitAny: a document is changed at any place.
export type Document = any;

export const project = projectOf(configuration);

/** What is found with a contract that was exported, and changed then. */
export function compared(
  change: (document: Document) => void,
  dialect: '3.0.3' | '3.1.1' = '3.1.1',
  write = JSON.stringify,
) {
  const document = structuredClone(openApi(project, { dialect })) as Document;
  change(document);
  const text = write(document);
  const read = () => {
    throw new Error('there is no other file');
  };
  return checkOpenApi(project, { text, path: 'shop.yaml', named: 'shop.yaml', read }).diagnostics;
}

/** Severity, code and message of each, with the line of the configuration that it is at. */
export function lines(change: (document: Document) => void): readonly string[] {
  return compared(change).map(({ severity, code, message, file, range }) => {
    const line = configuration.slice(0, range.start).split('\n').length;
    return `${severity} ${code} ${file}:${line} ${message}`;
  });
}

export const get = (document: Document) => document.paths['/orders/{id}/lines'].get;
export const create = (document: Document) => document.paths['/orders'].post;
export const order = (document: Document) => document.components.schemas.order;
