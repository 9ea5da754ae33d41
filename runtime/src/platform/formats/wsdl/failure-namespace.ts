/** The namespace of the details of faults that services of svc answer. */
export const failureNamespace = 'urn:svc:failure';
