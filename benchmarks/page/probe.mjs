// Runs inside the page, before its own scripts: notes when input comes, when questions are asked and answered, and when
// the frame after that has been painted. Times are milliseconds since the epoch.

export function probe() {
  const now = () => performance.timeOrigin + performance.now();
  /** Calls `f` after the next frame: the page's own drawing, style, layout and painting are done, pixels may not be. */
  const afterFrame = (f) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = f;
      port2.postMessage(0);
    });
  const speed = { inputs: [], asks: [], firstTable: null, afterFrame, now };
  window.__speed = speed;

  const plainFetch = window.fetch;
  window.fetch = async (url, init) => {
    if (!String(url).endsWith("/api/ask")) return plainFetch(url, init);
    const record = { body: init.body, asked: now(), answered: null, framed: null, dropped: false };
    speed.asks.push(record);
    try {
      const response = await plainFetch(url, init);
      const text = response.text.bind(response);
      response.text = async () => {
        const result = await text();
        record.answered = now();
        afterFrame(() => (record.framed = now()));
        return result;
      };
      return response;
    } catch (error) {
      record.dropped = true;
      throw error;
    }
  };

  for (const type of ["keydown", "click", "dblclick", "input", "change", "wheel"]) {
    const note = () => {
      const record = { type, at: now(), framed: null };
      speed.inputs.push(record);
      afterFrame(() => (record.framed = now()));
    };
    addEventListener(type, note, { capture: true, passive: true });
  }

  const look = () => {
    const rows = document.querySelectorAll('[data-view="functions"] .table-space .row');
    if ([...rows].some((row) => /\d/.test(row.textContent ?? ""))) afterFrame(() => (speed.firstTable = now()));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
