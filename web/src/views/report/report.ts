// A document as the reports have it: headings, texts, tables and figures.

import type { Report, ReportBlock, ReportInline } from "../../api/types.ts";
import { cut, fill, h } from "../../core/dom.ts";
import { effect, untracked } from "../../core/signal.ts";
import { leastWidth } from "../../derive/svg-size.ts";
import { asking } from "../shared/asking.ts";
import { roleClass, textTable } from "../shared/stringtable.ts";
import type { Table } from "../shared/table.ts";
import { ROW_HEIGHT } from "../shared/table.ts";
import type { View, ViewContext } from "../view.ts";

/** A table with more rows scrolls by itself. */
const ROWS_AT_ONCE = 20;

interface Drawing {
  tables: Table<never>[];
  urls: string[];
}

export const reportView: View = {
  id: "report",
  title: "Report",
  key: "r",
  fits: (about) => about.profile === null,
  mount(context) {
    const content = h("div", { class: "scroll report", tabindex: 0, role: "region", attrs: { "aria-label": "report" } });
    let drawing: Drawing = { tables: [], urls: [] };
    const view = asking<Report>(context, content, () => ({ ask: "report" }), (report) => {
      release(drawing);
      drawing = { tables: [], urls: [] };
      const blocks = report.blocks.map((block) => blockElement(block, drawing));
      fill(content, ...(blocks.length > 0 ? blocks : [h("p", { class: "empty" }, "The report is empty.")]));
      for (const table of drawing.tables) table.resize();
      showFigure(content, figureOf(context));
    });
    const end = effect(() => {
      const figure = figureOf(context);
      untracked(() => showFigure(content, figure));
    });
    return {
      element: view.element,
      resize: () => drawing.tables.forEach((table) => table.resize()),
      dispose: () => {
        end();
        release(drawing);
        view.dispose();
      },
    };
  },
};

/** The figure of this document that a finding points to (tracked read). */
function figureOf({ shared, document }: ViewContext): number | null {
  const place = shared.figure.get();
  return place?.document === document.id ? place.figure : null;
}

/** Marks a figure, and scrolls to it once all figures have their heights. */
function showFigure(content: HTMLElement, figure: number | null): void {
  const figures = [...content.querySelectorAll<HTMLElement>("figure.drawing")];
  figures.forEach((element, i) => (i === figure ? element.setAttribute("aria-current", "true") : element.removeAttribute("aria-current")));
  const wanted = figure === null ? undefined : figures[figure];
  if (!wanted) return;
  const images = figures.flatMap((element) => [...element.querySelectorAll("img")]);
  void Promise.allSettled(images.map((image) => image.decode())).then(() => {
    if (wanted.hasAttribute("aria-current")) wanted.scrollIntoView({ block: "start" });
  });
}

function release(drawing: Drawing): void {
  for (const url of drawing.urls) URL.revokeObjectURL(url);
}

function blockElement(block: ReportBlock, drawing: Drawing): HTMLElement {
  switch (block.block) {
    case "heading":
      return h(block.level <= 1 ? "h2" : block.level === 2 ? "h3" : "h4", {}, block.text);
    case "paragraph":
      return h("p", {}, ...inlines(block.text));
    case "list":
      return h("ul", {}, ...block.items.map((item) => h("li", {}, ...inlines(item))));
    case "definitions":
      return h("dl", {}, ...block.items.flatMap((item) => [h("dt", {}, item.term), h("dd", {}, ...inlines(item.text))]));
    case "code":
      return h("pre", { tabindex: 0 }, block.text);
    case "table":
      return tableElement(block, drawing);
    case "figure":
      return figureElement(block, drawing);
  }
}

function inlines(texts: readonly ReportInline[]): HTMLElement[] {
  return texts.map((inline) => h(inline.role === "code" ? "code" : "span", { class: roleClass(inline.role) }, inline.text));
}

function tableElement(block: Extract<ReportBlock, { block: "table" }>, drawing: Drawing): HTMLElement {
  const table = textTable(cut(block.caption, 200) || "table", block.columns, block.rows);
  drawing.tables.push(table as unknown as Table<never>);
  // 24 for the head, 2 for the border.
  table.element.style.height = `${Math.min(block.rows.length, ROWS_AT_ONCE) * ROW_HEIGHT + 26}px`;
  table.element.style.maxWidth = `${table.width() + 2}px`;
  return h("figure", { class: "report-table" }, block.caption ? h("figcaption", {}, block.caption) : null, table.element);
}

/** A drawing is shown as an image: scripts and links inside it stay dead. Where there is no room for readable texts, it scrolls. */
function figureElement(block: Extract<ReportBlock, { block: "figure" }>, drawing: Drawing): HTMLElement {
  const url = URL.createObjectURL(new Blob([block.svg], { type: "image/svg+xml" }));
  drawing.urls.push(url);
  const image = h("img", { attrs: { src: url, alt: block.alt } });
  const least = leastWidth(block.svg);
  if (least !== null) image.style.setProperty("--least", `${least}px`);
  const name = `picture${block.title ? `: ${cut(block.title, 200)}` : ""}`;
  return h(
    "figure",
    { class: "drawing" },
    block.title ? h("h4", {}, block.title) : null,
    h("div", { class: "drawing-space", tabindex: 0, role: "region", attrs: { "aria-label": name } }, image),
    block.caption ? h("figcaption", {}, block.caption) : null,
    block.tables.length > 0 ? valuesElement(block.tables, drawing) : null,
  );
}

/** The values of a drawing as tables, made when they are opened. */
function valuesElement(blocks: readonly ReportBlock[], drawing: Drawing): HTMLElement {
  const details = h("details", { class: "values" }, h("summary", {}, "The values as a table"));
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    const before = drawing.tables.length;
    details.append(...blocks.map((block) => blockElement(block, drawing)));
    for (const table of drawing.tables.slice(before)) table.resize();
  });
  return details;
}
