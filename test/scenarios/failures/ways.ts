/** One way in which a flow fails. */
export interface Way {
  /** The name of its operations; its first letter is small. */
  readonly name: string;
  /** What the page calls it. */
  readonly title: string;
  /** Blocks of the flow behind `from`. */
  readonly body: string;
  /** Steps of a saga in place of a flow. */
  readonly saga?: true;
  /** The type of the field of GraphQL. Default: an object. */
  readonly field?: string;
  /** The reason is known to operators alone: production tells an id, and logs it with these words. */
  readonly hidden?: RegExp;
}

const missing = `step "x" {
    connector = "db"
    query     = "SELECT * FROM secret_table"
  }`;
const shaped = (status: number) => `response {
    http_status_code = "${status}"
    code             = "'SOLD_OUT'"
    message          = "'that is sold out'"
  }`;
const written = (
  status: number,
  body = 'body {\n        code    = "\'SOLD_OUT\'"\n        message = "\'that is sold out\'"\n      }',
) => `${missing}
  error_handling {
    error_response {
      status = ${status}
      ${body}
    }
  }`;

export const ways: readonly Way[] = [
  { name: 'refused', title: 'The message does not fit its type', body: 'validate {\n    input = "numbered"\n  }' },
  { name: 'anonymous', title: '`require`, without a caller', body: 'require { }' },
  {
    name: 'computed',
    title: 'An expression fails',
    body: 'response {\n    a = "[1][5]"\n  }',
    hidden: /expression_failed/,
  },
  { name: 'asked', title: 'A connector fails', body: missing, hidden: /secret_table/ },
  {
    name: 'late',
    title: 'A connector does not answer in time',
    body: 'step "x" {\n    connector = "slow"\n    operation = "GET /"\n  }',
    hidden: /connector_timeout/,
  },
  {
    name: 'unfit',
    title: 'The answer does not fit its type',
    body: 'validate {\n    output = "numbered"\n  }\n  response {\n    m = "1"\n  }',
    hidden: /output_invalid/,
  },
  {
    name: 'undone',
    title: 'A saga is undone',
    saga: true,
    body: 'step "a" {\n    action {\n      connector = "db"\n      query     = "SELECT * FROM secret_table"\n    }\n  }',
  },
  { name: 'handled', title: '`error_response` with a body', body: written(409) },
  { name: 'bare', title: '`error_response` without a body', body: written(503, ''), hidden: /secret_table/ },
  { name: 'mild', title: '`error_response` with a status below 400', body: written(200) },
  { name: 'bad', title: '`http_status_code` of 400', body: shaped(400) },
  { name: 'gone', title: '`http_status_code` of 404', body: shaped(404) },
  { name: 'broken', title: '`http_status_code` of 500', body: shaped(500) },
  {
    name: 'chosen',
    title: '`http_status_code` of 409 beside a `grpc_status_code` of 6',
    body: shaped(409).replace('code             =', 'grpc_status_code = "6"\n    code             ='),
  },
];
