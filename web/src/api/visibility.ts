// Whether the tab is shown. Browsers allow few connections to a server (six), and all tabs share them: a tab in the
// background gives back the one that it follows the changes with.

/** Milliseconds after which a hidden tab gives its connection back. */
const LEAVE_AFTER = 3000;

export interface Visibility {
  /** Resolves when the tab is shown. */
  shown(): Promise<void>;
  /** Calls `leave` once the tab has been hidden for some seconds; gives back a function that ends the watch. */
  whenHidden(leave: () => void): () => void;
}

/** The tab of a browser; where there is no document, as in tests, it is always shown. */
export const tabVisibility: Visibility = {
  shown: () =>
    new Promise((resolve) => {
      if (!isHidden()) return resolve();
      const check = () => {
        if (isHidden()) return;
        document.removeEventListener("visibilitychange", check);
        resolve();
      };
      document.addEventListener("visibilitychange", check);
    }),
  whenHidden(leave) {
    if (typeof document === "undefined") return () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(timer);
      if (isHidden()) timer = setTimeout(leave, LEAVE_AFTER);
    };
    document.addEventListener("visibilitychange", check);
    check();
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", check);
    };
  },
};

const isHidden = (): boolean => typeof document !== "undefined" && document.visibilityState === "hidden";
