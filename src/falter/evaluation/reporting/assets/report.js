"use strict";
// The colors, and the failed pairs with their filters, which are kept in the address.
(() => {
  const byId = (id) => document.getElementById(id);

  // Light and dark.
  const root = document.documentElement;
  const toggle = byId("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return window.localStorage.getItem("falter-theme");
    } catch {
      return null;
    }
  };
  const showTheme = (theme) => {
    if (theme) root.dataset.theme = theme;
    const isDark = (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
    toggle.textContent = isDark ? "Light" : "Dark";
    toggle.setAttribute("aria-pressed", String(isDark));
    toggle.setAttribute("aria-label", isDark ? "Switch to light colours" : "Switch to dark colours");
  };
  const known = stored();
  showTheme(known === "dark" || known === "light" ? known : "");
  dark.addEventListener("change", () => showTheme(""));
  toggle.addEventListener("click", () => {
    const next = (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
    showTheme(next);
    try {
      window.localStorage.setItem("falter-theme", next);
    } catch {
      // A browser may refuse storage to local files; the choice then lasts as long as the page.
    }
  });

  const { FAILURES, cardOf, isRight, make, number, option } = falterPairs;
  const payload = JSON.parse(byId("payload").textContent);
  const list = byId("pairs");
  if (!list || !payload.failures) return;

  const PAGE = 10;
  const MOST_VALUES = 400;
  // Replies are lists of numbers: model, failure types, and for each side status, correctness, text, answer, full length.
  const unpackSide = ([status, correct, text = -1, answer = -1, length = -1]) => ({
    status: payload.statuses[status],
    correct: [null, false, true][correct + 1],
    text: text < 0 ? undefined : payload.texts[text],
    answer: answer < 0 ? undefined : payload.texts[answer],
    length: length < 0 ? undefined : length,
  });
  const unpack = ([model, types, original, variant]) => ({
    model,
    failure_types: types.map((each) => payload.types[each]),
    sides: [unpackSide(original), unpackSide(variant)],
  });
  const failures = payload.failures;
  failures.forEach((failure) => {
    failure.replies = failure.replies.map(unpack);
    failure.sides.forEach((side) => {
      if (side.image !== undefined) side.image = payload.images[side.image] || null;
    });
  });

  const form = byId("filters");
  const controls = {
    test: byId("by-test"),
    wrong: byId("by-wrong"),
    right: byId("by-right"),
    outcome: byId("by-outcome"),
    facet: byId("by-facet"),
    value: byId("by-value"),
    q: byId("by-text"),
  };
  let found = [];
  let page = 0;
  let current = -1;
  let allOpen = false;

  const tests = [];
  const testOf = new Map();
  failures.forEach((failure) => {
    const key = JSON.stringify([failure.suite, failure.test]);
    if (!testOf.has(key)) {
      testOf.set(key, tests.length);
      tests.push(failure);
    }
    failure.testPlace = testOf.get(key);
  });
  const several = new Set(tests.map((each) => each.suite)).size > 1;
  option(controls.test, "", "all tests");
  tests.forEach((each, place) => option(controls.test, String(place), several ? each.suite + ": " + each.test : each.test));
  option(controls.wrong, "", "any model");
  option(controls.right, "", "–");
  payload.models.forEach((name, place) => {
    option(controls.wrong, String(place), name);
    option(controls.right, String(place), name);
  });

  // The values of a facet that the failures have, the commonest first.
  const fillFacets = () => {
    const chosen = controls.facet.value;
    const counts = new Map();
    failures.forEach((failure) => {
      if (controls.test.value !== "" && failure.testPlace !== Number(controls.test.value)) return;
      failure.facets.forEach(([name]) => counts.set(name, (counts.get(name) || 0) + 1));
    });
    controls.facet.replaceChildren();
    option(controls.facet, "", "any");
    [...counts.keys()].sort().forEach((name) => option(controls.facet, name, name.replaceAll("_", " ")));
    controls.facet.value = counts.has(chosen) ? chosen : "";
  };
  const fillValues = (wanted) => {
    const chosen = wanted === undefined ? controls.value.value : wanted;
    const counts = new Map();
    failures.forEach((failure) => {
      if (controls.test.value !== "" && failure.testPlace !== Number(controls.test.value)) return;
      failure.facets.forEach(([name, value]) => {
        if (name === controls.facet.value) counts.set(value, (counts.get(value) || 0) + 1);
      });
    });
    if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
    controls.value.replaceChildren();
    option(controls.value, "", controls.facet.value ? "any value" : "–");
    [...counts]
      .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], "en"))
      .filter(([value], place) => place < MOST_VALUES || value === chosen)
      .forEach(([value, count]) => option(controls.value, value, value + " (" + number(count) + ")"));
    controls.value.value = controls.facet.value ? chosen : "";
    controls.value.disabled = !controls.facet.value;
  };

  const haystack = (failure) => {
    if (failure.haystack === undefined) {
      const parts = [failure.test, failure.probe];
      failure.sides.forEach((side) => parts.push(side.text.map((piece) => piece[0]).join(""), side.gold || ""));
      failure.replies.forEach((reply) => reply.sides.forEach((side) => parts.push(side.text || "", side.answer || "")));
      failure.facets.forEach((facet) => parts.push(facet[1]));
      failure.haystack = parts.join("\n").toLowerCase();
    }
    return failure.haystack;
  };

  const matches = (failure, words) => {
    const { test, wrong, right, outcome, facet, value } = controls;
    if (test.value !== "" && failure.testPlace !== Number(test.value)) return false;
    if (facet.value && value.value && !failure.facets.some((each) => each[0] === facet.value && each[1] === value.value)) return false;
    const failed = failure.replies.some(
      (reply) =>
        (wrong.value === "" || reply.model === Number(wrong.value)) &&
        (outcome.value === "" ? reply.failure_types.length > 0 : reply.failure_types.includes(outcome.value)),
    );
    if (!failed) return false;
    if (right.value !== "" && !failure.replies.some((reply) => reply.model === Number(right.value) && isRight(failure, reply))) return false;
    return words.every((word) => haystack(failure).includes(word));
  };

  // The address: #failures?test=...&wrong=...; models by name, so that a link stays true when runs are added.
  const nameOf = (select) => payload.models[Number(select.value)];
  const stateOf = () => {
    const state = new URLSearchParams();
    const { test, wrong, right, outcome, facet, value, q } = controls;
    if (test.value !== "") {
      if (several) state.set("suite", tests[Number(test.value)].suite);
      state.set("test", tests[Number(test.value)].test);
    }
    if (wrong.value !== "") state.set("wrong", nameOf(wrong));
    if (right.value !== "") state.set("right", nameOf(right));
    if (outcome.value) state.set("outcome", outcome.value);
    if (facet.value && value.value) {
      state.set("facet", facet.value);
      state.set("value", value.value);
    }
    if (q.value.trim()) state.set("q", q.value.trim());
    if (page) state.set("page", String(page + 1));
    return state;
  };
  const addressOf = (state) => "#failures" + (String(state) ? "?" + state : "");
  const keep = () => {
    try {
      window.history.replaceState(null, "", addressOf(stateOf()));
    } catch {
      // A browser may refuse it to local files; the filters then last as long as the page.
    }
  };
  const choose = (select, value) => {
    select.value = value;
    if (select.selectedIndex < 0) select.value = "";
  };
  const read = (state) => {
    const place = tests.findIndex((each) => each.test === state.get("test") && (!state.has("suite") || each.suite === state.get("suite")));
    controls.test.value = place < 0 ? "" : String(place);
    ["wrong", "right"].forEach((name) => {
      const model = payload.models.indexOf(state.get(name));
      choose(controls[name], model < 0 ? "" : String(model));
    });
    choose(controls.outcome, state.get("outcome") || "");
    fillFacets();
    choose(controls.facet, state.get("facet") || "");
    fillValues(state.get("value") || "");
    controls.q.value = state.get("q") || "";
    filter(false);
    page = Math.min(Math.max((Number(state.get("page")) || 1) - 1, 0), pages() - 1);
    show();
  };

  const link = (changes) => {
    const state = stateOf();
    state.delete("page");
    Object.entries(changes).forEach(([name, value]) => state.set(name, name === "wrong" ? payload.models[value] : value));
    const anchor = make("a");
    anchor.href = addressOf(state);
    return anchor;
  };
  const permalink = (failure) => "#pair?" + new URLSearchParams({ suite: failure.suite, probe: failure.probe, number: String(failure.number) });

  const select = (place, focus) => {
    current = place;
    [...list.children].forEach((card, offset) => {
      if (!card.setOpen) return;
      const isCurrent = page * PAGE + offset === place;
      if (isCurrent) card.setAttribute("aria-current", "true");
      else card.removeAttribute("aria-current");
      if (isCurrent && focus) {
        card.setOpen(true);
        card.focus({ preventScroll: true });
        card.scrollIntoView({ block: "nearest" });
      } else if (focus && !allOpen) card.setOpen(false);
    });
  };

  // How many pairs failed in all, where the filters are those that were counted.
  const failedIn = () => {
    const { test, wrong, right, outcome, value, q } = controls;
    if (outcome.value !== "" || q.value.trim() !== "" || right.value !== "" || value.value !== "") return "";
    const chosen = test.value === "" ? null : tests[Number(test.value)];
    const isChosen = ([suite, name]) => chosen === null || (suite === chosen.suite && name === chosen.test);
    const sum = (rows, place) => rows.filter(isChosen).reduce((total, row) => total + row[place], 0);
    if (wrong.value === "") return "; " + number(sum(payload.failed, 2)) + " failed by at least one model";
    return "; " + number(sum(payload.counts.filter((row) => row[2] === Number(wrong.value)), 3)) + " failed by this model";
  };

  const pages = () => Math.max(Math.ceil(found.length / PAGE), 1);

  const show = () => {
    const start = page * PAGE;
    const end = Math.min(start + PAGE, found.length);
    list.replaceChildren(
      ...found.slice(start, end).map((failure, offset) =>
        cardOf(failure, {
          models: payload.models,
          place: start + offset,
          total: found.length,
          open: allOpen || offset === 0,
          link,
          permalink,
          onToggle: () => select(start + offset, false),
        }),
      ),
    );
    if (!found.length) list.append(make("p", "nothing", "No failed pair matches these filters."));
    byId("count").textContent = found.length
      ? start + 1 + "–" + end + " of " + number(found.length) + " shown" + failedIn()
      : "0 shown" + failedIn();
    ["previous", "previous-low"].forEach((id) => (byId(id).disabled = page === 0));
    ["next", "next-low"].forEach((id) => (byId(id).disabled = page >= pages() - 1));
  };

  const filter = (kept = true) => {
    const words = controls.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = failures.filter((failure) => matches(failure, words));
    page = 0;
    current = -1;
    if (kept) {
      show();
      keep();
    }
  };

  const turn = (step, fromBelow) => {
    page = Math.min(Math.max(page + step, 0), pages() - 1);
    current = page * PAGE - 1;
    show();
    keep();
    if (fromBelow) byId("pager").scrollIntoView({ block: "start" });
  };

  const move = (step) => {
    if (!found.length) return;
    const inPage = current >= page * PAGE && current < (page + 1) * PAGE;
    const next = Math.min(Math.max(inPage ? current + step : page * PAGE, 0), found.length - 1);
    const nextPage = Math.floor(next / PAGE);
    if (nextPage !== page) {
      page = nextPage;
      show();
      keep();
    }
    select(next, true);
  };

  const openAll = byId("open-all");
  openAll.addEventListener("click", () => {
    allOpen = !allOpen;
    openAll.textContent = allOpen ? "Close all" : "Open all";
    openAll.setAttribute("aria-pressed", String(allOpen));
    [...list.children].forEach((card) => card.setOpen && card.setOpen(allOpen));
  });

  // An address of this page may name filters or one pair.
  const follow = () => {
    const [place, query = ""] = window.location.hash.split("?", 2);
    const state = new URLSearchParams(query);
    if (place === "#pair") {
      read(new URLSearchParams());
      found = failures.filter((each) => each.probe === state.get("probe") && String(each.number) === state.get("number") && (!state.has("suite") || each.suite === state.get("suite")));
      page = 0;
      show();
      byId("count").textContent = found.length ? "1 pair, by its link" : "This pair is not in this report.";
    } else if (place === "#failures") read(state);
    else return false;
    byId("failures").scrollIntoView({ block: "start" });
    return true;
  };

  controls.test.addEventListener("change", () => {
    fillFacets();
    fillValues();
    filter();
  });
  controls.facet.addEventListener("change", () => {
    fillValues("");
    filter();
  });
  ["wrong", "right", "outcome", "value"].forEach((name) => controls[name].addEventListener("change", () => filter()));
  controls.q.addEventListener("input", () => filter());
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () =>
    window.setTimeout(() => {
      fillFacets();
      fillValues("");
      filter();
    }),
  );
  byId("previous").addEventListener("click", () => turn(-1, false));
  byId("next").addEventListener("click", () => turn(1, false));
  byId("previous-low").addEventListener("click", () => turn(-1, true));
  byId("next-low").addEventListener("click", () => turn(1, true));
  // Back to the address without filters: all failures again.
  window.addEventListener("hashchange", () => {
    if (!follow() && !window.location.hash) read(new URLSearchParams());
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "/") {
      event.preventDefault();
      controls.q.focus();
    }
  });
  if (!follow()) read(new URLSearchParams());
})();
