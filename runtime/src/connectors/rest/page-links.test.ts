import { describe, expect, test } from 'vitest';
import { pageLinks, totalOf } from './page-links.ts';
import { binding, reply, served } from './testing/served.ts';

/** Relations with the query of each. */
function links(query: string, rows: number, total?: number, secret?: string) {
  const asked = Object.fromEntries(new URLSearchParams(query));
  const request = { url: `/orders?${query}` } as never;
  const header = pageLinks({ request, query: asked }, rows, total, secret);
  return header?.split(', ').map((link) => link.replace(/^<\?(.*)>; rel="(.*)"$/, '$2 $1'));
}

describe('links of a page', () => {
  test.each<readonly [string, number, number | undefined, readonly string[] | undefined]>([
    ['limit=10', 10, undefined, ['first limit=10&offset=0', 'next limit=10&offset=10']],
    ['limit=10', 3, undefined, ['first limit=10&offset=0', 'last limit=10&offset=0']],
    ['limit=10', 0, undefined, ['first limit=10&offset=0', 'last limit=10&offset=0']],
    [
      'offset=20&limit=10&a=%C3%A9',
      10,
      undefined,
      ['first offset=0&limit=10&a=%C3%A9', 'prev offset=10&limit=10&a=%C3%A9', 'next offset=30&limit=10&a=%C3%A9'],
    ],
    [
      'limit=10&offset=20',
      4,
      undefined,
      ['first limit=10&offset=0', 'prev limit=10&offset=10', 'last limit=10&offset=20'],
    ],
    ['limit=10&offset=20', 0, undefined, ['first limit=10&offset=0', 'prev limit=10&offset=10']],
    ['limit=10&offset=5', 0, undefined, ['first limit=10&offset=0', 'prev limit=10&offset=0']],
    [
      'limit=10&offset=10',
      10,
      35,
      ['first limit=10&offset=0', 'prev limit=10&offset=0', 'next limit=10&offset=20', 'last limit=10&offset=30'],
    ],
    ['limit=10', 10, 10, ['first limit=10&offset=0', 'last limit=10&offset=0']],
    ['limit=10', 10, 20, ['first limit=10&offset=0', 'next limit=10&offset=10', 'last limit=10&offset=10']],
    ['limit=10', 0, 0, ['first limit=10&offset=0', 'last limit=10&offset=0']],
    ['limit=10&offset=100', 0, 35, ['first limit=10&offset=0', 'prev limit=10&offset=90', 'last limit=10&offset=30']],
    ['', 3, undefined, undefined],
    ['limit=0', 0, undefined, undefined],
    ['limit=-1', 0, undefined, undefined],
    ['limit=x', 0, undefined, undefined],
    ['limit=10&offset=x', 0, undefined, undefined],
    // The flow does not keep to the limit.
    ['limit=2', 3, undefined, undefined],
    ['limit=999999999999999999', 3, undefined, undefined],
    [`limit=10&a=${'x'.repeat(3000)}`, 10, undefined, undefined],
  ])('%s with %i rows of %s', (query, rows, total, expected) => {
    expect(links(query, rows, total)).toEqual(expected);
  });

  test('S-52: nothing of the request ends a link or begins a header, and credentials are not repeated', () => {
    expect(links('limit=1&a=>; rel="x", <https://evil.example>&key=secret', 1, undefined, 'key')).toEqual([
      'first limit=1&a=%3E%3B+rel%3D%22x%22%2C+%3Chttps%3A%2F%2Fevil.example%3E&offset=0',
      'next limit=1&a=%3E%3B+rel%3D%22x%22%2C+%3Chttps%3A%2F%2Fevil.example%3E&offset=1',
    ]);
  });

  test.each([
    [{ 'X-Total-Count': '35' }, 35],
    [{ 'x-total-count': '0' }, 0],
    [{ 'X-Total-Count': '-1' }, undefined],
    [{ 'X-Total-Count': '1e3' }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('the total of %o is %s', (headers, total) => {
    expect(totalOf(headers as Record<string, string> | undefined)).toBe(total);
  });
});

describe('lists over HTTP', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

  test('have links where the flow reads pages and the connector says so', async () => {
    const list = (path: string, pages: boolean) => binding(`GET ${path}`, () => reply(rows(2)), { pages });
    await using server = await served([list('/pages', true), list('/all', false)], { config: { links: true } });
    const linkOf = async (path: string, init?: RequestInit) => (await server.ask(path, init)).headers['link'];
    const link = '<?limit=2&offset=0>; rel="first", <?limit=2&offset=2>; rel="next"';
    expect(await linkOf('/pages?limit=2')).toBe(link);
    expect(await linkOf('/pages?limit=2', { method: 'HEAD' })).toBe(link);
    expect(await linkOf('/pages')).toBeUndefined();
    expect(await linkOf('/pages?limit=2&limit=3')).toBeUndefined();
    expect(await linkOf('/all?limit=2')).toBeUndefined();
    await using plain = await served([list('/pages', true)]);
    expect((await plain.ask('/pages?limit=2')).headers['link']).toBeUndefined();
  });

  test('a link is resolved against the address that was asked, whatever hosts headers name', async () => {
    await using server = await served([binding('GET /a/list', () => reply(rows(1)), { pages: true })], {
      config: { links: true },
    });
    const head =
      'GET /a/list?limit=1 HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n';
    const text = await server.raw(head);
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(text) ?? [];
    expect(new URL(next, 'https://shop.example/prefix/a/list?limit=1').href).toBe(
      'https://shop.example/prefix/a/list?limit=1&offset=1',
    );
    expect(text).not.toContain('evil');
  });

  test('what the flow writes itself wins, and only lists have links', async () => {
    const own = binding('GET /own', () => reply(rows(1), { headers: { Link: '</x>; rel="next"' } }), { pages: true });
    const one = binding('GET /one', () => reply({ id: 1 }), { pages: true });
    const failed = binding('GET /failed', () => reply(rows(1), { status: 500 }), { pages: true });
    await using server = await served([own, one, failed], { config: { links: true } });
    const linkOf = async (path: string) => (await server.ask(`${path}?limit=1`)).headers['link'];
    expect(await linkOf('/own')).toBe('</x>; rel="next"');
    expect([await linkOf('/one'), await linkOf('/failed')]).toEqual([undefined, undefined]);
  });
});
