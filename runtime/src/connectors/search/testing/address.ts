/** A server that is not a double, where the tests have one. Its documents are in indices of their own names. */
export const serverUrl = process.env['TEST_ELASTICSEARCH_URL'];
