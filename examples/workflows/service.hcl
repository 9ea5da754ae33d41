service {
  name       = "rentals"
  version    = "1.0.0"
  admin_port = env("ADMIN_PORT", "9090")

  # Sagas that wait are kept here: they continue after a restart, a crash or a deployment.
  workflow {
    storage = connector.db

    # GET /workflows/{id}, POST /workflows/{id}/signal/{event}, POST /workflows/{id}/cancel
    api {
      port = env("WORKFLOW_PORT", "9091")
      host = "127.0.0.1"

      auth {
        type = "api_key"
        keys = [env("WORKFLOW_KEY", "rentals-example-key")]
      }
    }
  }
}
