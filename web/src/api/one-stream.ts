// Tabs of one browser that show the same server take turns at its stream of changes. Browsers allow few connections to a
// server (six), and all tabs share them: with a stream each, six visible tabs would block each other. The tab that has the
// turn reads the stream and passes each state on to the others. The turn is a lock of the browser, so that it goes to
// another tab when this one is closed, crashes, is hidden or loses the server.

const NAME = "lotse-changes";

type Message = { state: string } | { ask: "state" };

export interface Turn {
  /** Passes a state on to the other tabs. */
  pass(state: string): void;
  end(): void;
}

export interface Turns {
  /** Waits for the turn; until then `receive` gets the states that another tab passes on. Rejects when aborted. */
  wait(receive: (state: string) => void, abort: AbortSignal): Promise<Turn>;
}

/** Every tab reads a stream of its own. */
export const everyTab: Turns = { wait: () => Promise.resolve({ pass: () => {}, end: () => {} }) };

/** One tab reads the stream; every tab where the browser has no locks for this page. */
export const oneTab: Turns = {
  async wait(receive, abort) {
    if (typeof document === "undefined" || !navigator.locks) return everyTab.wait(receive, abort);
    const channel = new BroadcastChannel(NAME);
    channel.onmessage = ({ data }: MessageEvent<Partial<Message>>) => {
      if ("state" in data && typeof data.state === "string") receive(data.state);
    };
    // Changes before this moment may have been missed.
    send(channel, { ask: "state" });
    try {
      return leading(channel, await locked(abort));
    } catch (error) {
      channel.close();
      throw error;
    }
  },
};

function leading(channel: BroadcastChannel, release: () => void): Turn {
  let last: string | null = null;
  channel.onmessage = ({ data }: MessageEvent<Partial<Message>>) => {
    if ("ask" in data && last !== null) send(channel, { state: last });
  };
  const pass = (state: string) => {
    last = state;
    send(channel, { state });
  };
  const end = () => {
    channel.close();
    release();
  };
  return { pass, end };
}

/** Resolves when this tab has the lock; the function gives it back. */
function locked(signal: AbortSignal): Promise<() => void> {
  return new Promise((granted, failed) => {
    navigator.locks.request(NAME, { signal }, () => new Promise<void>((release) => granted(release))).catch(failed);
  });
}

function send(channel: BroadcastChannel, message: Message): void {
  channel.postMessage(message);
}
