/*
 * Runs inside the page that is measured. Times are milliseconds by `performance.now()` of the page; what is waited for is
 * looked at before every frame, and counts once the frame that shows it was handed to the screen.
 */
const probe = {
  /** Milliseconds of every block of the main thread that was longer than 50 ms. */
  blocks: [],

  /** Calls back before each frame until `isThere` answers true, and resolves behind the paint of that frame. */
  painted(isThere) {
    return new Promise((resolve) => {
      const look = () => {
        if (!isThere()) return requestAnimationFrame(look);
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(undefined);
      };
      requestAnimationFrame(look);
    });
  },

  /** Milliseconds from the navigation to the paint that shows an element. */
  sinceNavigation(selector) {
    return probe.painted(() => document.querySelector(selector) !== null);
  },

  /** Milliseconds from the next event of a kind to the paint after which an element is there, or is gone. */
  since(type, selector, isWanted = true) {
    return probe.sinceUntil(type, () => (document.querySelector(selector) !== null) === isWanted);
  },

  sinceUntil(type, isThere) {
    return new Promise((resolve) => {
      const begin = async ({ timeStamp }) => resolve((await probe.painted(isThere)) - timeStamp);
      addEventListener(type, begin, { capture: true, once: true });
    });
  },

  /** Whether an element shows a text. */
  says(selector, text) {
    return document.querySelector(selector)?.textContent.includes(text) === true;
  },

  /** Milliseconds from the next key to the paint of the frame behind it. */
  keyToPaint() {
    return probe.since('keydown', 'html');
  },

  /** Resolves when the page has nothing to do. */
  rest() {
    return new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)));
  },

  /** The moment at which something is there, before it is painted: the change of the document that brought it. */
  there(isThere) {
    return new Promise((resolve) => {
      const look = () => {
        if (!isThere()) return;
        watch.disconnect();
        resolve(performance.now());
      };
      const watch = new MutationObserver(look);
      watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      look();
    });
  },

  /** Counts frames; `stop` gives the milliseconds between them. */
  frames() {
    const times = [];
    let isCounting = true;
    const count = (now) => {
      times.push(now);
      if (isCounting) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    probe.stop = () => {
      isCounting = false;
      return times.slice(1).map((time, index) => time - times[index]);
    };
  },
};

new PerformanceObserver((list) => {
  probe.blocks.push(...list.getEntries().map(({ duration }) => duration));
}).observe({ type: 'longtask' });

globalThis.probe = probe;
