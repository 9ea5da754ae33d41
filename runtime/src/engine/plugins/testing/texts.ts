/** A service with a REST server. */
export const service = `service {
  name       = "modules"
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  port = env("PORT")
}
`;
/** A flow that answers a route of it. */
export const flow = (name: string, body: string, operation = `POST /${name}`) => `flow "${name}" {
  from {
    connector = "api"
    operation = "${operation}"
  }
${body}
}
`;
/** A loop without an end. */
export const loop = '(loop $on (br $on)) (i32.const 0)';
/** 1 where the JSON of the input is longer than this. */
export const longer = (name: string, than: number) =>
  `(func (export "${name}") (param i32 i32) (result i32) (i32.gt_u (local.get 1) (i32.const ${than})))`;
