/** Version of the product, as `svc version`, metrics and user agents show it. */
export const productVersion = '0.1.0';
