// The token of the session: in the fragment of the first URL, afterwards in sessionStorage.

const KEY = "lotse-token";

/** Takes `token=…` out of a fragment: the token, and the fragment without it. */
export function splitToken(fragment: string): { token: string | null; rest: string } {
  const fields = fragment.replace(/^#/, "").split("&");
  const isToken = (field: string) => field.startsWith("token=");
  const token = fields.find(isToken)?.slice("token=".length) ?? null;
  return {
    // Anything but hexadecimal digits is not a token of ours and never becomes a header.
    token: token !== null && /^[0-9a-f]{16,128}$/i.test(token) ? token : null,
    rest: fields.filter((field) => field !== "" && !isToken(field)).join("&"),
  };
}

/** The token in what a user pasted: the token itself, or the address that `lotse open` printed. */
export function enteredToken(text: string): string | null {
  const pasted = text.trim();
  const fragment = pasted.slice(pasted.lastIndexOf("#") + 1);
  return splitToken(fragment.includes("token=") ? fragment : `token=${fragment}`).token;
}

/** Keeps a token for this tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Reads the token, keeps it for this tab, and removes it from the address bar. */
export function takeToken(): string | null {
  const { token, rest } = splitToken(location.hash);
  if (token !== null) keepToken(token);
  if (location.hash.includes("token=")) {
    history.replaceState(history.state, "", `${location.pathname}${location.search}#${rest}`);
  }
  return token ?? sessionStorage.getItem(KEY);
}
