// Data structures: a table that the server makes.

import type { DataTable } from "../../api/types.ts";
import { fill, h } from "../../core/dom.ts";
import { remarkList } from "../shared/amount.ts";
import { asking } from "../shared/asking.ts";
import { textTable } from "../shared/stringtable.ts";
import type { Table } from "../shared/table.ts";
import type { View } from "../view.ts";

export const dataView: View = {
  id: "data",
  title: "Data structures",
  key: "d",
  fits: (about) => about.profile?.has_data ?? false,
  mount(context) {
    const content = h("div", { class: "fill-column" });
    let table: Table<never> | null = null;
    const view = asking<DataTable>(context, content, () => ({ ask: "data", scope: context.scope() }), (answer) => {
      const made = textTable(answer.title, answer.columns, answer.rows.map((row) => row.map((text) => ({ text }))));
      table = made as unknown as Table<never>;
      fill(content, h("div", { class: "calls-title" }, h("strong", {}, answer.title)), remarkList(answer.remarks), made.element);
      made.resize();
    });
    return { element: view.element, resize: () => table?.resize(), dispose: () => view.dispose() };
  },
};
