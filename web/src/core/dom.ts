// Elements made by calls. Texts become text nodes and nothing else: names in a profile may
// contain markup, so no function of this page parses HTML.

export type Child = Node | string | null | undefined;

export interface Props {
  class?: string;
  id?: string;
  title?: string;
  role?: string;
  tabindex?: number;
  hidden?: boolean;
  /** Attributes by their own names ("aria-label", "data-view"); null and false leave one out. */
  attrs?: Record<string, string | number | boolean | null | undefined>;
  /** Listeners by event name. */
  on?: { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void };
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props.class) element.className = props.class;
  if (props.id) element.id = props.id;
  if (props.title) element.title = props.title;
  if (props.role) element.setAttribute("role", props.role);
  if (props.tabindex !== undefined) element.tabIndex = props.tabindex;
  if (props.hidden) element.hidden = true;
  setAttributes(element, props.attrs ?? {});
  for (const [name, listener] of Object.entries(props.on ?? {})) {
    element.addEventListener(name, listener as EventListener);
  }
  append(element, children);
  return element;
}

/** An SVG element, for arrows and small drawings. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attrs: Record<string, string | number | boolean | null | undefined> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attrs);
  append(element, children);
  return element;
}

export function setAttributes(
  element: Element,
  attrs: Record<string, string | number | boolean | null | undefined>,
): void {
  for (const [name, value] of Object.entries(attrs)) {
    if (/^on/i.test(name)) throw new Error(`listeners do not belong into attributes: ${name}`);
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(child);
  }
}

/** Replaces the children of `element`. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((c): c is Node | string => c !== null && c !== undefined));
}

/** A button that looks like one; `label` is also its name for screen readers. */
export function button(label: string, onClick: (event: MouseEvent) => void, props: Props = {}): HTMLButtonElement {
  const element = h("button", { ...props, on: { ...props.on, click: onClick } }, label);
  element.type = "button";
  return element;
}

/** Names longer than this are cut for display; the whole name goes to the clipboard. */
export const NAME_LIMIT = 300;

/** Cuts a text for display, in the middle, because the ends of symbol names differ most.
 * Line breaks and control characters become spaces. */
export function cut(text: string, limit: number = NAME_LIMIT): string {
  const head = text.length <= limit ? text : `${text.slice(0, Math.ceil(limit * 0.6))}…${text.slice(text.length - Math.floor(limit * 0.4))}`;
  return head.replace(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]+/g, " ");
}
