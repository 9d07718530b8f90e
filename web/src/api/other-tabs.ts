// Tabs of one browser that show the same server help each other with the token, so that an address
// copied from the address bar opens in a second tab. The channel is one of this origin (host and
// port): pages of other origins can neither ask nor listen, and a page cannot be framed by them.
// A tab gives only a token that the server has accepted, and only when it is asked.

const CHANNEL = "lotse-token";

/** A tab answers within a few milliseconds; without an answer the user is asked soon enough. */
export const WAIT = 400;

type Message = { ask: "token" } | { token: string };

/** Answers tabs that ask for the token; `accepted` gives the token that the server has accepted. */
export function shareToken(accepted: () => string | null): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Partial<Message>>) => {
    const token = "ask" in data && data.ask === "token" ? accepted() : null;
    if (token !== null) channel.postMessage({ token } satisfies Message);
  };
}

/** The token of another tab; null if no other tab has one. */
export function askOtherTabs(wait = WAIT): Promise<string | null> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const finish = (token: string | null) => {
      clearTimeout(timer);
      channel.close();
      resolve(token);
    };
    const timer = setTimeout(() => finish(null), wait);
    channel.onmessage = ({ data }: MessageEvent<Partial<Message>>) => {
      if ("token" in data && typeof data.token === "string") finish(data.token);
    };
    channel.postMessage({ ask: "token" } satisfies Message);
  });
}
