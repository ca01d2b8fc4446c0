"use strict";
// Tables that sort by a click on a column and can be saved as CSV.
(() => {
  const make = falterPairs.make;

  // Cells that span several rows are repeated, so that rows can be taken apart.
  const unspan = (table) => {
    [...table.tBodies].forEach((body) => {
      const open = [];
      [...body.rows].forEach((row) => {
        open.forEach((each, column) => {
          if (!each || !each.rows) return;
          row.insertBefore(each.cell.cloneNode(true), row.cells[column] || null);
          each.rows -= 1;
        });
        [...row.cells].forEach((cell, column) => {
          const rows = cell.rowSpan;
          if (rows < 2) return;
          cell.rowSpan = 1;
          open[column] = { cell, rows: rows - 1 };
        });
      });
    });
  };

  // A cell with several measures is sorted by the last, which is the strictest.
  const figures = (cell) => [...cell.querySelectorAll("dd")];
  const textOf = (cell) => {
    const parts = figures(cell);
    const shown = parts.length ? parts[parts.length - 1] : cell.querySelector("[data-value]") || cell;
    return (shown.dataset.value || shown.textContent).trim();
  };
  const numberOf = (text) => {
    const found = text.replaceAll(",", "").replaceAll("−", "-").match(/-?\d+(\.\d+)?/);
    return found ? Number(found[0]) : null;
  };

  const sort = (table, column, falling) => {
    unspan(table);
    [...table.tBodies].filter((body) => !body.classList.contains("published")).forEach((body) => {
      const rows = [...body.rows].filter((row) => row.cells.length > column && !row.classList.contains("measure"));
      if (rows.length < 2 || rows.length !== body.rows.length - body.querySelectorAll(":scope > tr.measure").length) return;
      const keyed = rows.map((row, place) => {
        const text = row.cells[column] ? textOf(row.cells[column]) : "";
        return { row, place, text, value: /\d/.test(text) ? numberOf(text) : null };
      });
      const numeric = keyed.some((each) => each.value !== null) && keyed.every((each) => each.value !== null || /^[–\s]*$/.test(each.text));
      keyed.sort((a, b) => {
        if (numeric && (a.value === null || b.value === null)) return (a.value === null) - (b.value === null) || a.place - b.place;
        const order = numeric ? a.value - b.value : a.text.localeCompare(b.text, "en", { numeric: true });
        return (falling ? -order : order) || a.place - b.place;
      });
      keyed.forEach((each) => body.append(each.row));
      [...body.rows].forEach((row) => row.classList.remove("first"));
    });
  };

  // A text that a spreadsheet would take for a formula gets an apostrophe before it.
  const quote = (text) => {
    const inert = /^[=+@\t-]/.test(text) && !/^[+-][\d.,]+$/.test(text) ? "'" + text : text;
    return /[",\n]/.test(inert) ? '"' + inert.replaceAll('"', '""') + '"' : inert;
  };
  // 1,618 is a number to a reader, and a text to a program.
  const withoutSeparators = (text) => (/^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text);
  const plain = (cell, dropped = ".unseen, svg") => {
    const copy = cell.cloneNode(true);
    copy.querySelectorAll(dropped).forEach((each) => each.remove());
    copy.querySelectorAll("span, small, br, div, p").forEach((each) => each.before(" "));
    return copy.textContent.replace(/\s+/g, " ").replaceAll("−", "-").trim();
  };

  // The two ends of an interval as it is written below a figure.
  const INTERVAL = /^([-+]?[\d.,]+) ?(?:to|–) ?([-+]?[\d.,]+)$/;
  const endsOf = (cell) => {
    const found = [...cell.querySelectorAll(".interval, small")].map((each) => [each, plain(each).match(INTERVAL)]);
    return found.find(([, ends]) => ends) || [null, null];
  };
  const headsOf = (table) => {
    const counts = Object.create(null);
    return (table.tHead ? [...table.tHead.rows[table.tHead.rows.length - 1].cells] : []).map((head) => {
      const name = plain(head, "svg");
      counts[name] = (counts[name] || 0) + 1;
      return counts[name] > 1 ? name + " " + counts[name] : name;
    });
  };

  // Every figure in a column of its own, with its interval where the cell has one.
  const csvOf = (table) => {
    const copy = table.cloneNode(true);
    unspan(copy);
    const heads = headsOf(copy);
    const columns = [];
    const add = (record, name, value) => {
      if (!columns.includes(name)) columns.push(name);
      record[name] = value;
    };
    let measure = "";
    const records = [...copy.tBodies].flatMap((body) =>
      [...body.rows].flatMap((row) => {
        if (row.cells.length === 1) {
          measure = plain(row.cells[0]);
          return [];
        }
        const record = Object.create(null);
        if (measure) add(record, "group", measure);
        [...row.cells].forEach((cell, column) => {
          const parts = [...cell.querySelectorAll("dl > div")];
          if (!parts.length) {
            const name = heads[column] || "column " + (column + 1);
            const [shown, ends] = endsOf(cell);
            if (shown) shown.remove();
            add(record, name, plain(cell).replace(/^★ ?/, ""));
            if (ends) {
              add(record, name + " low", ends[1]);
              add(record, name + " high", ends[2]);
            }
          }
          parts.forEach((part) => {
            const name = (heads[column] + " " + plain(part.querySelector("dt")).replace("★", "")).trim();
            add(record, name, plain(part.querySelector("dd")));
            const interval = (part.title || "").match(/(-?[\d.]+) to (-?[\d.]+)/);
            if (interval) {
              add(record, name + " low", interval[1]);
              add(record, name + " high", interval[2]);
            }
          });
        });
        return [record];
      }),
    );
    return [columns, ...records.map((record) => columns.map((name) => record[name] || ""))]
      .map((row) => row.map((text) => quote(withoutSeparators(text))).join(","))
      .join("\n");
  };

  const save = (text, name) => {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text + "\n"], { type: "text/csv" }));
    link.download = name + ".csv";
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  document.querySelectorAll(".scroll > table").forEach((table) => {
    const box = table.parentElement;
    const label = box.getAttribute("aria-label") || (document.getElementById(box.getAttribute("aria-labelledby") || "") || box).textContent.trim().slice(0, 60);
    const heads = table.tHead ? [...table.tHead.rows[table.tHead.rows.length - 1].cells] : [];
    const rows = [...table.tBodies].reduce((most, body) => Math.max(most, body.rows.length), 0);
    // Where the last line of headings has one for every column, whatever stands above it.
    const whole = [...table.tBodies].some((body) => [...body.rows].some((row) => row.cells.length === heads.length));
    if (rows > 1 && whole && heads.every((head) => head.colSpan === 1))
      heads.forEach((head, column) => {
        if (head.tagName !== "TH") return;
        head.classList.add("sorts");
        const button = make("button", "sort");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const falling = head.getAttribute("aria-sort") !== "descending";
          heads.forEach((each) => each.removeAttribute("aria-sort"));
          head.setAttribute("aria-sort", falling ? "descending" : "ascending");
          sort(table, column, falling);
        });
      });
    const saves = make("p", "table-tools");
    const button = make("button", "link", "Save as CSV");
    button.type = "button";
    button.setAttribute("aria-label", "Save as CSV: " + label);
    button.addEventListener("click", () => save(csvOf(table), label.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "table"));
    saves.append(button);
    box.after(saves);
  });
})();
