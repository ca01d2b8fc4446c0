"use strict";
// The viewer: filters are kept in the address, pairs come from the server page by page.
(() => {
  const { cardOf, make, number, option, whoOf } = falterPairs;
  const byId = (id) => document.getElementById(id);
  const PAGE = 10;
  const NAMES = ["on", "test", "wrong", "right", "outcome", "facet", "value"];
  const control = { ...Object.fromEntries(NAMES.map((name) => [name, byId("by-" + name)])), q: byId("by-text"), commented: byId("by-commented") };
  const list = byId("pairs");
  let bench = null;
  let state = new URLSearchParams();
  let total = 0;
  let page = 1;
  let current = -1;
  let allOpen = false;
  let asked = 0;

  const percent = (share) => (100 * share).toFixed(1);

  const trouble = (text) => {
    byId("trouble").hidden = !text;
    byId("trouble").textContent = text || "";
  };
  const get = async (address, options) => {
    const answer = await fetch(address, { credentials: "same-origin", ...options });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const post = (address, body) => get(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

  const suite = () => bench.suites[Number(state.get("on") || 0)] || bench.suites[0];

  // What can be chosen depends on the suite, and the values on the facet.
  const fill = () => {
    const own = suite();
    const set = (select, entries, value) => {
      select.replaceChildren();
      entries.forEach(([each, text]) => option(select, each, text));
      if (value && !entries.some(([each]) => each === value)) option(select, value, value);
      select.value = value || "";
    };
    set(control.on, bench.suites.map((each, place) => [String(place), each.name]), String(own.place));
    byId("label-on").hidden = bench.suites.length < 2;
    set(control.test, [["", "all tests"], ...own.tests.map((each) => [each, each])], state.get("test"));
    const models = own.models.map((place) => bench.models[place]);
    set(control.wrong, [["", "–"], ...(models.length > 1 ? [["any", "any model"]] : []), ...models.map((each) => [each, each])], state.get("wrong"));
    set(control.right, [["", "–"], ...models.map((each) => [each, each])], state.get("right"));
    set(control.outcome, [["", "any"], ...Object.entries(bench.outcomes)], state.get("outcome"));
    const facets = Object.keys(own.facets);
    set(control.facet, [["", "any"], ...facets.map((each) => [each, each.replaceAll("_", " ")])], state.get("facet"));
    const values = own.facets[control.facet.value] || [];
    set(control.value, [["", control.facet.value ? "any value" : "–"], ...values.map(([each, count]) => [each, each + " (" + number(count) + ")"])], state.get("value"));
    control.value.disabled = !control.facet.value;
    if (document.activeElement !== control.q) control.q.value = state.get("q") || "";
    control.commented.checked = state.get("commented") === "1";
    const by = byId("break-by");
    const chosen = by.value || "test";
    set(by, [["test", "test"], ...facets.map((each) => [each, each.replaceAll("_", " ")])], ["test", ...facets].includes(chosen) ? chosen : "test");
  };

  const address = (changed) => {
    const next = new URLSearchParams(state);
    Object.entries(changed).forEach(([name, value]) => (value === "" || value === undefined ? next.delete(name) : next.set(name, value)));
    if (!("page" in changed)) next.delete("page");
    if (!("probe" in changed)) ["probe", "number"].forEach((name) => next.delete(name));
    if (!next.get("facet")) next.delete("value");
    return next;
  };
  const to = (next) => "./" + (String(next) ? "?" + next : "");
  const go = (changed, replace) => {
    state = address(changed);
    window.history[replace ? "replaceState" : "pushState"](null, "", to(state));
    load();
  };
  const linkTo = (changed, className, text) => {
    const anchor = make("a", className, text);
    anchor.href = to(address(changed));
    anchor.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(changed);
    });
    return anchor;
  };
  const link = (changed) => linkTo("wrong" in changed ? { ...changed, wrong: bench.models[changed.wrong] } : changed);
  const permalink = (pair) => to(new URLSearchParams({ ...(suite().place ? { on: suite().place } : {}), probe: pair.probe, number: pair.number }));

  const headOf = (names) => {
    const row = make("tr");
    names.forEach(([text, className]) => {
      const cell = make("th", className, text);
      cell.scope = "col";
      row.append(cell);
    });
    const head = make("thead");
    head.append(row);
    return head;
  };

  const showCounts = (counts) => {
    const body = make("tbody");
    counts.forEach((each) => {
      const row = make("tr");
      const name = make("th");
      name.scope = "row";
      name.append(whoOf(bench.models[each.model], each.model));
      const share = make("td");
      share.append(make("span", "share", each.n ? percent(each.right / each.n) + " %" : "–"));
      if (each.low !== null) share.append(make("span", "interval", percent(each.low) + " to " + percent(each.high)));
      const wrong = make("td", "number");
      // No wrong pair, no link: it would lead to an empty list.
      wrong.append(each.n > each.right ? linkTo({ wrong: bench.models[each.model] }, "", number(each.n - each.right)) : "0");
      row.append(name, share, make("td", "number", number(each.n)), wrong);
      body.append(row);
    });
    byId("counts").replaceChildren(headOf([["Model"], ["Right"], ["Counted", "number"], ["Wrong", "number"]]), body);
  };

  // Answers may come in another order than they were asked for: only the last question counts.
  let breakdownAsked = 0;
  const showBreakdown = async () => {
    if (!byId("breakdown").open) return;
    const asked = ++breakdownAsked;
    const by = byId("break-by").value;
    const query = new URLSearchParams(state);
    query.set("by", by);
    const found = await get("api/breakdown?" + query);
    if (asked !== breakdownAsked) return;
    const models = suite().models;
    const body = make("tbody");
    found.rows.forEach((each) => {
      const row = make("tr");
      const name = make("th");
      name.scope = "row";
      const chosen = by === "test" ? { test: each.value } : { facet: by, value: each.value };
      name.append(linkTo(chosen, "value-link", each.value));
      row.append(name, make("td", "number", number(each.pairs)));
      each.models.forEach(([model, right, n]) => {
        const cell = make("td", "number");
        if (n) cell.append(n > right ? linkTo({ ...chosen, wrong: bench.models[model] }, "share", percent(right / n)) : make("span", "share", percent(1)), make("span", "interval", number(n - right) + " wrong"));
        else cell.textContent = "–";
        row.append(cell);
      });
      body.append(row);
    });
    byId("broken-down").replaceChildren(headOf([[by.replaceAll("_", " ")], [suite().unit, "number"], ...models.map((model) => [bench.models[model] + ", %", "number"])]), body);
  };

  // What people wrote about a pair, and a field for more.
  const commentsOf = (pair) => {
    const box = make("div", "comments");
    const said = make("div");
    const add = (one) => {
      const line = make("div", "comment");
      const about = make("span", "about");
      about.append(whoOf(bench.models[one.model], one.model), make("span", "", one.written.replace("T", " ").replace("+00:00", " UTC")));
      const text = make("span", "said", one.text);
      text.dir = "auto";
      const remove = make("button", "link", "Delete");
      remove.type = "button";
      remove.addEventListener("click", async () => {
        try {
          await post("api/comments/delete", { model: one.model, id: one.id });
          line.remove();
        } catch (error) {
          trouble(error.message);
        }
      });
      line.append(about, text, remove);
      said.append(line);
    };
    pair.comments.forEach(add);
    const form = make("form");
    const text = make("textarea");
    text.rows = 1;
    text.maxLength = 4000;
    const labelled = (name, field) => {
      const label = make("label", "", name);
      label.append(field);
      return label;
    };
    const model = make("select");
    suite().models.forEach((place) => option(model, String(place), bench.models[place]));
    const wrong = pair.replies.find((reply) => reply.failure_types.length);
    const wanted = bench.models.indexOf(state.get("wrong"));
    model.value = String(wanted >= 0 && suite().models.includes(wanted) ? wanted : wrong ? wrong.model : suite().models[0]);
    const send = make("button", "quiet", "Keep comment");
    form.append(labelled("Comment", text), labelled("about", model), send);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!text.value.trim()) return;
      send.disabled = true;
      try {
        add(await post("api/comments", { suite: suite().place, row: pair.row, model: Number(model.value), text: text.value }));
        text.value = "";
        trouble("");
      } catch (error) {
        trouble(error.message);
      }
      send.disabled = false;
    });
    box.append(said, form);
    return box;
  };

  const pages = () => Math.max(Math.ceil(total / PAGE), 1);

  const showPairs = (found) => {
    total = found.total;
    page = found.page;
    current = -1;
    const start = (page - 1) * PAGE;
    list.replaceChildren(
      ...found.pairs.map((pair, offset) =>
        cardOf(pair, {
          models: bench.models,
          place: start + offset,
          total,
          open: allOpen || offset === 0,
          link,
          permalink,
          extra: commentsOf,
          onToggle: () => select(offset, false),
        }),
      ),
    );
    const units = suite().unit;
    const unit = units.slice(0, -1);
    if (!found.pairs.length) list.append(make("p", "nothing", state.has("probe") ? "There is no such " + unit + " in these runs." : "No " + unit + " matches these filters."));
    byId("counts-head").textContent = "Right, of these " + units;
    byId("count").textContent = state.has("probe")
      ? found.total + " " + (found.total === 1 ? unit : units) + ", by its link"
      : total
        ? number(start + 1) + "–" + number(Math.min(start + PAGE, total)) + " of " + number(total) + " " + (total === 1 ? unit : units) + "; " + number(suite().pairs) + " in the suite"
        : "0 of " + number(suite().pairs) + " " + units;
    byId("previous").disabled = page <= 1;
    byId("next").disabled = page >= pages();
  };

  const showRuns = () => {
    const body = make("tbody");
    const specs = bench.about.some((each) => each.spec);
    bench.about.forEach((each, place) => {
      const row = make("tr");
      const name = make("th");
      name.scope = "row";
      name.append(whoOf(each.name, place));
      const cells = [...(specs ? [[each.spec]] : []), [each.fingerprint], each.folders].map((texts) => {
        const cell = make("td");
        texts.forEach((text, line) => cell.append(...(line ? [make("br")] : []), make("code", "", text)));
        return cell;
      });
      row.append(name, ...cells, make("td", "", each.complete ? "complete" : "under way"));
      body.append(row);
    });
    byId("about").replaceChildren(headOf([["Model"], ...(specs ? [["Spec"]] : []), ["Fingerprint"], ["Folder"], ["Run"]]), body);
    const open = bench.about.filter((each) => !each.complete).map((each) => each.name);
    byId("under-way").hidden = !open.length;
    byId("under-way").textContent = open.length ? "Not complete: " + open.join(", ") + ". New replies appear here as they are written." : "";
  };

  const load = async () => {
    const ticket = ++asked;
    fill();
    list.setAttribute("aria-busy", "true");
    try {
      const found = await get("api/pairs?" + state);
      if (ticket !== asked) return;
      bench.version = found.version;
      showPairs(found);
      showCounts(found.counts);
      trouble("");
      await showBreakdown();
    } catch (error) {
      if (ticket === asked) trouble(error instanceof TypeError ? "The viewer does not answer: is it still running?" : error.message);
    }
    if (ticket === asked) list.setAttribute("aria-busy", "false");
  };

  const select = (offset, focus) => {
    current = offset;
    [...list.children].forEach((card, place) => {
      if (!card.setOpen) return;
      if (place === offset) card.setAttribute("aria-current", "true");
      else card.removeAttribute("aria-current");
      if (place === offset && focus) {
        card.setOpen(true);
        card.focus({ preventScroll: true });
        card.scrollIntoView({ block: "nearest" });
      } else if (focus && !allOpen) card.setOpen(false);
    });
  };
  const turn = async (step) => {
    const next = Math.min(Math.max(page + step, 1), pages());
    if (next === page) return false;
    state = address({ page: next === 1 ? "" : String(next) });
    window.history.pushState(null, "", to(state));
    await load();
    return true;
  };
  const move = async (step) => {
    const next = current + step;
    if (next >= list.children.length) {
      if (await turn(1)) select(0, true);
    } else if (next < 0 && current >= 0) {
      if (await turn(-1)) select(list.children.length - 1, true);
    } else select(Math.max(next, 0), true);
  };

  ["test", "wrong", "right", "outcome", "value"].forEach((name) => control[name].addEventListener("change", () => go({ [name]: control[name].value })));
  control.facet.addEventListener("change", () => go({ facet: control.facet.value, value: "" }));
  control.on.addEventListener("change", () => {
    state = new URLSearchParams();
    go({ on: control.on.value === "0" ? "" : control.on.value });
  });
  control.commented.addEventListener("change", () => go({ commented: control.commented.checked ? "1" : "" }));
  let typing = 0;
  control.q.addEventListener("input", () => {
    window.clearTimeout(typing);
    typing = window.setTimeout(() => go({ q: control.q.value.trim() }, true), 250);
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    control.q.value = "";
    const on = state.get("on");
    state = new URLSearchParams();
    go(on ? { on } : {});
  });
  byId("breakdown").addEventListener("toggle", () => showBreakdown().catch((error) => trouble(error.message)));
  byId("break-by").addEventListener("change", () => {
    byId("breakdown").open = true;
    showBreakdown().catch((error) => trouble(error.message));
  });
  byId("break-by").addEventListener("click", (event) => event.preventDefault());
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  const openAll = byId("open-all");
  openAll.addEventListener("click", () => {
    allOpen = !allOpen;
    openAll.textContent = allOpen ? "Close all" : "Open all";
    openAll.setAttribute("aria-pressed", String(allOpen));
    [...list.children].forEach((card) => card.setOpen && card.setOpen(allOpen));
  });
  window.addEventListener("popstate", () => {
    state = new URLSearchParams(window.location.search);
    load();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "n") turn(1);
    else if (event.key === "p") turn(-1);
    else if (event.key === "c") {
      event.preventDefault();
      const card = list.querySelector("[aria-current] textarea") || list.querySelector(".open textarea");
      if (card) card.focus();
    } else if (event.key === "/") {
      event.preventDefault();
      control.q.focus();
    }
  });

  const start = async () => {
    bench = await get("api/runs");
    state = new URLSearchParams(window.location.search);
    showRuns();
    await load();
    if (bench.about.some((each) => !each.complete))
      window.setInterval(async () => {
        if (document.hidden || document.activeElement.closest("textarea, input")) return;
        const now = await get("api/runs").catch(() => null);
        if (!now || now.version === bench.version) return;
        bench = now;
        showRuns();
        load();
      }, 5000);
  };
  start().catch((error) => trouble(error.message));
})();
