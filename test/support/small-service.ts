/** A service whose ports the system chooses. */
export const smallService = {
  'service.hcl': `service {
  name       = "small"
  admin_port = env("ADMIN_PORT", "0")
}
connector "api" {
  type = "rest"
  port = env("PORT", "0")
}
flow "status" {
  from {
    connector = "api"
    operation = "GET /status"
  }
  response {
    status = "'ok'"
  }
}
`,
};
