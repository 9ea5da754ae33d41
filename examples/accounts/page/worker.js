// An identity provider sends the browser back to the callback, which answers JSON. This worker asks the callback in place
// of the browser and answers the page with what it said, so that the page keeps the tokens; the same where a provider is
// unavailable. What leads to the provider passes.

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.mode === 'navigate' && new URL(request.url).pathname.startsWith('/auth/sso/'))
    event.respondWith(pageWith(fetch(request)));
});

async function pageWith(answer) {
  const returned = await answer;
  if (returned.type === 'opaqueredirect') return returned;
  const page = await fetch('/');
  const { status } = returned;
  const said = JSON.stringify({ status, answer: await returned.json() }).replaceAll('<', '\\u003c');
  const html = (await page.text()).replace(
    '</main>',
    () => `</main>\n<script type="application/json" id="returned">${said}</script>`,
  );
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' } });
}
