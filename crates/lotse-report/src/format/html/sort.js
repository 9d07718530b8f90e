for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  if (!body || body.rows.length < 3) continue;
  const key = (row, i) => row.cells[i].dataset.value ?? row.cells[i].textContent.trim();
  const order = (a, b) => a - b || (isNaN(a) || isNaN(b) ? String(a).localeCompare(b, undefined, { numeric: true }) : 0);
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(key(a, i), key(b, i)));
      body.append(...rows);
    };
  });
}
