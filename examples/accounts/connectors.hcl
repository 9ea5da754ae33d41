connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

# Where the accounts are kept. The table is made at the first start.
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = env("DATABASE", "accounts.db")
}

# What sends mail. The README starts a stand-in that prints what it is given, in clear. Servers of mail elsewhere are spoken
# to over TLS (SMTP_TLS=starttls), with credentials.
connector "mailer" {
  type     = "email"
  driver   = "smtp"
  host     = env("SMTP_HOST", "localhost")
  port     = env("SMTP_PORT", "1025")
  tls      = env("SMTP_TLS", "none")
  username = env("SMTP_USER", "")
  password = env("SMTP_PASSWORD", "")
  from     = env("SMTP_FROM", "Accounts <accounts@example.test>")
  timeout  = "10s"
  health   = "optional"
}
