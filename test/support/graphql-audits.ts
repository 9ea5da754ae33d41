// The audits are a package of this workspace.
export { auditServer } from 'graphql-http';
