// What all pictures of functions share: canvas, questions, table twin, controls, pointer, keys, and their end.

import { effect } from "../../core/signal.ts";
import type { FunctionName } from "../../api/types.ts";
import type { Theme } from "../../derive/theme.ts";
import type { Marks } from "../../draw/marks.ts";
import type { MountedView, ViewContext } from "../view.ts";
import { Controls } from "./controls.ts";
import { Loader } from "./loader.ts";
import { type FunctionPicture, listenToKeys, listenToPointer } from "./pointer.ts";
import { Surface, type SurfaceSize } from "./surface.ts";
import type { Tip } from "./tooltip.ts";
import { Twin } from "./twin.ts";

export interface PictureTexts {
  /** What the picture is, for screen readers. */
  label: string;
  /** Which keys do what. */
  keys: string;
  /** Whether the content can be higher than the canvas. */
  scrolls: boolean;
}

/** A picture whose items, places of type `T`, are functions. The constructor of a subclass ends with `start`: its
 * fields do not exist before. */
export abstract class PictureMount<T> implements MountedView, FunctionPicture<T> {
  readonly element: HTMLElement;
  readonly options: HTMLElement;
  readonly twin: HTMLElement;
  protected readonly surface: Surface;
  protected readonly loader: Loader;
  protected readonly table: Twin;
  protected readonly controls = new Controls();
  private readonly ends: (() => void)[] = [];

  constructor(protected readonly context: ViewContext, texts: PictureTexts) {
    this.surface = new Surface({
      ...texts,
      paint: (canvas, size, theme) => this.paint(canvas, size, theme),
      resized: () => this.resized(),
    });
    this.loader = new Loader({
      busy: (isBusy) => this.surface.busy(isBusy),
      say: (text) => this.surface.say(text),
      fail: (text, retry) => this.fail(text, retry),
    });
    this.table = new Twin((fn) => context.activate(fn.id, fn.name));
    this.element = this.surface.element;
    this.twin = this.table.element;
    this.options = this.controls.element;
  }

  abstract itemAt(x: number, y: number): T | null;
  abstract functionOf(item: T): FunctionName | null;
  abstract tipOf(item: T): Tip;
  abstract open(item: T): void;
  abstract placeOf(item: T): { x: number; y: number };
  abstract cursor(): T | null;
  abstract setCursor(item: T | null): void;
  protected abstract paint(canvas: CanvasRenderingContext2D, size: SurfaceSize, theme: Theme): void;
  /** Asks for the picture; tracks what it depends on. */
  protected abstract load(): void;
  /** Gives back whether the key was one of the picture. */
  protected abstract key(event: KeyboardEvent): boolean;

  resize(): void {
    this.surface.measure();
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.loader.cancel();
    this.table.dispose();
    this.controls.dispose();
    this.surface.dispose();
  }

  /** An answer to another question must not look like the one to this: picture, table and remarks go. */
  private fail(text: string, retry: (() => void) | null): void {
    this.surface.fail(text, retry);
    if (retry === null) return;
    this.table.fail(text);
    this.context.hidden("");
  }

  /** Called after the size has changed. */
  protected resized(): void {}

  /** Begins to ask, to draw and to listen; `effects` run again when what they read changes. */
  protected start(...effects: (() => void)[]): void {
    const { surface, context } = this;
    listenToPointer(surface, context, this);
    listenToKeys(surface.canvas, (event) => this.key(event));
    for (const name of ["focus", "blur"] as const) surface.canvas.addEventListener(name, () => surface.repaint());
    this.ends.push(
      effect(() => this.load()),
      ...effects.map((run) => effect(run)),
      effect(() => {
        context.active.get();
        context.selected.get();
        context.hover.get();
        surface.repaint();
      }),
    );
  }

  protected atEnd(end: () => void): void {
    this.ends.push(end);
  }

  /** The functions that are marked now. */
  protected marks(): Marks {
    const { active, hover, selected } = this.context;
    return { active: active.peek(), hover: hover.peek(), selected: selected.peek() };
  }

  /** Whether the keyboard is in the picture, so that the cursor is drawn. */
  protected hasFocus(): boolean {
    return document.activeElement === this.surface.canvas;
  }
}
