// Search where the site is opened from a folder: browsers start no worker for file: addresses, so
// the worker of the search runs in a hidden frame, which behaves like one.
(() => {
  if (location.protocol !== "file:") return;

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      inner.document.open();  // else Firefox puts another empty page in its place, later
      inner.document.write("<body></body>");
      inner.document.close();
      inner.postMessageHere = inner.postMessage.bind(inner);
      // What the worker posts is for this page; what is posted to it waits until it listens.
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inner.importScripts = (...urls) => urls.reduce(
        (before, each) => before.then(() => load(inner.document, each)), Promise.resolve());
      this.started = load(inner.document, String(url));
      this.frame = frame;
    }

    postMessage(data) {
      this.started.then(() => this.frame.contentWindow.postMessageHere(data, "*"));
    }

    terminate() {
      this.frame.remove();
    }
  }

  function load(page, url) {
    return new Promise((resolve, reject) => {
      const script = page.createElement("script");
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${url} cannot be read`));
      script.src = url;
      page.body.append(script);
    });
  }

  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
})();
