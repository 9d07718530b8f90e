// A canvas with everything around it that all pictures need: size and pixel ratio, theme, scrolling,
// tooltip, progress, messages, notes.

import { button, fill, h } from "../../core/dom.ts";
import { type Theme, makeTheme } from "../../derive/theme.ts";
import { installStyles } from "./style.ts";
import { Tooltip } from "./tooltip.ts";

export interface SurfaceSize {
  width: number;
  height: number;
  /** Device pixels for each CSS pixel. */
  ratio: number;
}

export interface SurfaceOptions {
  /** What the picture is, for screen readers. */
  label: string;
  /** Which keys do what. */
  keys: string;
  /** Whether the content can be higher than the canvas. */
  scrolls: boolean;
  paint(context: CanvasRenderingContext2D, size: SurfaceSize, theme: Theme): void;
  /** Called after the size has changed. */
  resized?(): void;
  themeChanged?(): void;
  scrolled?(): void;
}

export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  readonly tooltip = new Tooltip();
  readonly size: SurfaceSize = { width: 0, height: 0, ratio: 1 };
  private readonly main: HTMLElement;
  private readonly content: HTMLElement;
  private readonly progress = h("div", { class: "pic-progress", role: "progressbar", hidden: true, attrs: { "aria-label": "loading" } });
  private readonly message = h("div", { class: "pic-message", role: "status", hidden: true });
  private readonly noteLine = h("div", { class: "pic-note", hidden: true });
  private readonly context: CanvasRenderingContext2D | null;
  private readonly ends: (() => void)[] = [];
  private theme: Theme | null = null;
  private frame = 0;
  private contentHeight = 0;

  constructor(private readonly options: SurfaceOptions) {
    installStyles();
    this.canvas = h("canvas", { role: "application", tabindex: 0, attrs: { "aria-label": options.label, "aria-description": options.keys } });
    this.canvas.addEventListener("keydown", () => this.tooltip.show(null));
    this.context = this.canvas.getContext("2d");
    this.content = h("div", {}, this.canvas);
    this.main = h("div", { class: options.scrolls ? "pic-main scrolls" : "pic-main", tabindex: -1 }, this.content);
    this.element = h("div", { class: "pic" }, this.progress, this.main, this.message, this.noteLine, this.tooltip.element);
    const scrolled = () => {
      this.repaint();
      options.scrolled?.();
    };
    this.main.addEventListener("scroll", scrolled, { passive: true });
    const observer = new ResizeObserver(() => this.measure());
    observer.observe(this.main);
    this.ends.push(() => observer.disconnect());
    this.watchTheme();
  }

  get scrollTop(): number {
    return this.main.scrollTop;
  }

  set scrollTop(top: number) {
    this.main.scrollTop = top;
  }

  /** The height of what can be scrolled. */
  setContentHeight(height: number): void {
    this.contentHeight = height;
    this.content.style.height = `${Math.max(height, this.size.height)}px`;
  }

  /** Paints in the next animation frame. */
  repaint(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.paint());
  }

  measure(): void {
    const [width, height] = [this.main.clientWidth, this.main.clientHeight];
    if (width === this.size.width && height === this.size.height) return;
    Object.assign(this.size, { width, height });
    this.setContentHeight(this.contentHeight);
    this.options.resized?.();
    // At once: a canvas of the old size would be stretched for a frame.
    cancelAnimationFrame(this.frame);
    this.paint();
  }

  currentTheme(): Theme {
    if (!this.theme) {
      const style = getComputedStyle(this.element.isConnected ? this.element : document.documentElement);
      const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
      this.theme = makeTheme((name) => style.getPropertyValue(name), prefersDark, style.fontFamily || "system-ui, sans-serif");
    }
    return this.theme;
  }

  busy(isBusy: boolean): void {
    this.progress.hidden = !isBusy;
    this.canvas.setAttribute("aria-busy", String(isBusy));
  }

  /** Shows why there is no picture; "" removes the message. */
  say(text: string): void {
    this.message.hidden = text === "";
    this.message.className = "pic-message";
    this.element.classList.remove("failed");
    fill(this.message, text);
  }

  /** Without `retry` the picture stays as it is, with a line below it that says what is missing. */
  fail(text: string, retry: (() => void) | null): void {
    this.message.hidden = false;
    this.message.className = retry ? "pic-message error" : "pic-message line";
    this.element.classList.toggle("failed", retry !== null);
    if (retry !== null) this.note("");
    fill(this.message, text, retry && button("Try again", retry));
  }

  /** Removes the line that says what is missing. */
  clearMissing(): void {
    if (this.message.classList.contains("line")) this.say("");
  }

  /** A line below the picture: remarks on how to read it. */
  note(text: string): void {
    this.noteLine.hidden = text === "";
    this.noteLine.title = text;
    fill(this.noteLine, text);
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    for (const end of this.ends) end();
  }

  private paint(): void {
    this.frame = 0;
    const { size, canvas, context } = this;
    if (!context || size.width === 0 || size.height === 0) return;
    size.ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(size.width * size.ratio), Math.round(size.height * size.ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.height = `${size.height}px`;
    }
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    const began = performance.now();
    this.options.paint(context, size, this.currentTheme());
    // Milliseconds that the page needed for the last painting (the browser fills the pixels later), for tests.
    canvas.dataset["paint"] = (performance.now() - began).toFixed(2);
  }

  private watchTheme(): void {
    const changed = () => {
      this.theme = null;
      this.options.themeChanged?.();
      this.repaint();
    };
    const preference = matchMedia("(prefers-color-scheme: dark)");
    preference.addEventListener("change", changed);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class"] });
    this.ends.push(() => preference.removeEventListener("change", changed), () => observer.disconnect());
  }
}
