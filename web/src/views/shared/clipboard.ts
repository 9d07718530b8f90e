// Copies a text. The clipboard API needs a secure context; loopback addresses are one, but a page
// behind a forwarded host name may not be.

import { h } from "../../core/dom.ts";

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = h("textarea", { class: "offscreen", attrs: { "aria-hidden": "true" } });
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
