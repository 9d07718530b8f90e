// The styles of the pictures, as a constructed style sheet: no file to load and no inline style
// that the content security policy would refuse.

const RULES = `
.pic { position: relative; display: flex; flex-direction: column; height: 100%; min-height: 0; min-width: 0; }
.pic-main { position: relative; flex: 1; min-height: 0; overflow: hidden; }
.pic.failed .pic-main { visibility: hidden; }
.pic-main.scrolls { overflow-y: auto; }
.pic-main canvas { position: sticky; top: 0; display: block; width: 100%; touch-action: none; cursor: default; }
.pic-main canvas:focus-visible { outline: 2px solid var(--accent, #0072b2); outline-offset: -2px; }
.pic-main.scrolls canvas { touch-action: pan-y; }
.pic-progress { position: absolute; z-index: 2; top: 0; left: 0; right: 0; height: 2px; overflow: hidden; }
.pic-progress::before { content: ""; position: absolute; inset: 0 60% 0 0; background: var(--accent, #0072b2); }
@media (prefers-reduced-motion: no-preference) {
  .pic-progress::before { animation: pic-progress 1.2s linear infinite; }
}
@keyframes pic-progress { from { transform: translateX(-100%); } to { transform: translateX(260%); } }
.pic-message { position: absolute; z-index: 1; top: 24px; left: 50%; transform: translateX(-50%); box-sizing: border-box; width: max-content; max-width: min(560px, calc(100% - 24px)); padding: 12px 16px; background: var(--bg, #fff); border: 1px solid var(--line, #ccc); overflow-wrap: anywhere; }
.pic-message.error { border-color: var(--more, #c24e00); }
.pic-message.line { position: static; transform: none; width: auto; max-width: none; padding: 2px 8px; border-width: 1px 0 0; font-size: 12px; }
.pic-message button { margin-left: 12px; }
.pic-note { padding: 2px 8px; color: var(--muted, #666); font-size: 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pic-tip { position: fixed; z-index: 50; pointer-events: none; box-sizing: border-box; max-width: min(480px, 90vw); padding: 6px 8px; background: var(--bg, #fff); color: var(--fg, #111); border: 1px solid var(--muted, #666); font-size: 12px; line-height: 1.35; }
.pic-tip strong { display: -webkit-box; -webkit-line-clamp: 5; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; unicode-bidi: isolate; }
.pic-tip dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 12px; margin: 4px 0 0; }
.pic-tip dt { color: var(--muted, #666); }
.pic-tip dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.pic-tip p { margin: 4px 0 0; color: var(--muted, #666); }
.pic-options { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; font-size: 12px; }
.pic-options label { display: inline-flex; align-items: center; gap: 4px; white-space: nowrap; }
.pic-options select { max-width: 9em; }
.pic-scale { display: inline-flex; align-items: center; gap: 4px; }
.pic-scale[hidden] { display: none; }
.pic-scale i { width: 10px; height: 10px; display: inline-block; border: 1px solid var(--line, #ccc); }
.pic-scale .less { background: var(--less, #0072b2); }
.pic-scale .more { background: var(--more, #c24e00); }
.pic-twin { max-height: 100%; overflow: auto; }
.pic-twin table, .pic-paths table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.pic-twin caption { text-align: left; padding: 4px 8px; color: var(--muted, #666); }
.pic-twin th, .pic-twin td, .pic-paths th, .pic-paths td { padding: 1px 8px; text-align: left; font-weight: inherit; white-space: nowrap; }
.pic-twin thead th, .pic-paths thead th { position: sticky; top: 0; z-index: 1; background: var(--bg, #fff); border-bottom: 1px solid var(--line, #ccc); color: var(--muted, #666); }
.pic-twin nav { display: flex; flex-wrap: wrap; gap: 4px; padding: 4px 8px; }
.pic-twin table:focus { outline: none; }
.pic-twin table + table { margin-top: 16px; }
.pic-twin .number, .pic-paths .number { text-align: right; }
.pic-twin .name { width: 100%; max-width: 0; min-width: 12em; overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
.pic-twin .name button { all: unset; cursor: pointer; }
.pic-twin .name button:focus-visible { outline: 2px solid var(--accent, #0072b2); }
.pic-legend { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 2px 8px; font-size: 12px; }
.pic-legend span { display: inline-flex; align-items: center; gap: 4px; max-width: 24em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pic-legend i { width: 12px; height: 12px; flex: none; }
.pic-legend .region.lines { background-image: repeating-linear-gradient(transparent 0 2px, color-mix(in srgb, var(--fg, #111) 45%, transparent) 2px 3px, transparent 3px 4px); }
.pic-legend .region.dots { background-image: radial-gradient(circle, var(--fg, #111) 0.9px, transparent 1px); background-size: 4px 4px; }
.pic-legend .wait { background: repeating-linear-gradient(135deg, var(--fg, #111) 0 1px, transparent 1px 4px); border: 1px solid var(--line, #ccc); }
.pic-legend .path { height: 3px; background: var(--more, #c24e00); }
.pic-legend .message { height: 1px; background: var(--fg, #111); transform: rotate(-30deg); }
.pic-split { display: flex; height: 100%; min-height: 0; container-type: inline-size; }
.pic-split > .pic { flex: 3; }
.pic-paths { flex: 2; display: flex; flex-direction: column; min-width: 0; min-height: 0; border-left: 1px solid var(--line, #ccc); }
.pic-paths[hidden] { display: none; }
.pic-split.narrow { flex-direction: column; }
.pic-split.narrow > .pic-paths { border-left: 0; border-top: 1px solid var(--line, #ccc); }
.pic-paths header { display: flex; gap: 8px; align-items: baseline; padding: 4px 8px; }
.pic-paths header select { max-width: 60%; }
.pic-paths .rows { position: relative; overflow: auto; flex: 1; }
.pic-paths .rows p { margin: 4px 8px; color: var(--muted, #666); }
.pic-paths tr[aria-selected="true"] { background: color-mix(in srgb, var(--accent, #0072b2) 15%, transparent); }
.pic-paths tr:focus-visible { outline: 2px solid var(--accent, #0072b2); outline-offset: -2px; }
.pic-paths .path { max-width: 0; min-width: 9em; width: 100%; overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
@container (max-width: 1100px) {
  .pic-paths th, .pic-paths td { padding: 1px 4px; }
  .pic-paths .path { min-width: 6em; padding-left: 8px; }
  .pic-paths :is([aria-label="open calls"], [aria-label="waits"], [aria-label="events"], [aria-label="statistics of the window"]) { font-size: 12px; }
  .pic-paths th.path { white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
  .pic-paths td.number { vertical-align: top; }
  .pic-paths [aria-label="statistics of the window"] td:last-child { white-space: normal; min-width: 9em; }
}
.pic-paths .twist { display: inline-block; width: 14px; cursor: pointer; color: var(--muted, #666); }
.pic-paths tr.window { cursor: pointer; }
.pic-paths h3 { margin: 8px 8px 2px; font-size: inherit; }
.pic-paths footer { padding: 2px 8px; color: var(--muted, #666); font-size: 12px; }
.pic-paths footer:empty { display: none; }
.pic-paths .row-link { all: unset; cursor: pointer; }
.pic-paths .row-link:focus-visible { outline: 2px solid var(--accent, #0072b2); }
`;

let installed = false;

/** Adds the styles to the page, once. */
export function installStyles(): void {
  if (installed) return;
  installed = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(RULES);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
