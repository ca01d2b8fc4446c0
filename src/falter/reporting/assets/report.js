"use strict";
// Builds the viewer of failed pairs. Text from data and models enters the page through textContent only.
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

  const payload = JSON.parse(byId("payload").textContent);
  const list = byId("pairs");
  if (!list || !payload.failures) return;

  const PAGE = 10;
  const LABELS = {
    original: "original incorrect",
    variant: "variant incorrect",
    both: "both incorrect",
    inconsistent: "inconsistent",
    unparsed: "unparsed",
    truncated: "truncated",
    foil: "foil scored higher",
    tie: "tied",
  };
  const EXPECTS = {
    same: "the answers must be the same",
    different: "the answers must differ",
    each: "each answer must be correct by itself",
    prefer: "the caption must score higher",
  };
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
  failures.forEach((failure) => (failure.replies = failure.replies.map(unpack)));
  const form = byId("filters");
  const test = byId("by-test");
  const model = byId("by-model");
  const failureType = byId("by-failure-type");
  const search = byId("by-text");
  let found = [];
  let page = 0;
  let current = -1;

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const option = (select, value, text) => {
    const element = make("option", "", text);
    element.value = value;
    select.append(element);
  };

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
  const suites = new Set(tests.map((each) => each.suite));
  option(test, "", "all tests");
  tests.forEach((each, place) => option(test, String(place), suites.size > 1 ? each.suite + ": " + each.test : each.test));
  option(model, "", "any model");
  payload.models.forEach((name, place) => option(model, String(place), name));

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
    if (test.value !== "" && failure.testPlace !== Number(test.value)) return false;
    const failed = failure.replies.some(
      (reply) =>
        (model.value === "" || reply.model === Number(model.value)) &&
        (failureType.value === "" ? reply.failure_types.length > 0 : reply.failure_types.includes(failureType.value)),
    );
    return failed && words.every((word) => haystack(failure).includes(word));
  };

  const textOf = (side) => {
    const line = make("p", "question");
    line.dir = "auto";
    side.text.forEach(([text, changed]) => line.append(changed ? make("mark", "", text) : document.createTextNode(text)));
    if (side.length) line.append(make("span", "cut", " … cut; " + side.length.toLocaleString("en") + " characters in all"));
    return line;
  };

  const sideOf = (side, heading) => {
    const box = make("div", "side");
    box.append(make("h4", "", heading));
    if (side.context) {
      const turns = make("div", "context");
      side.context.forEach(([speaker, text]) => {
        const turn = make("p");
        turn.append(make("b", "", speaker + " "), document.createTextNode(text));
        turns.append(turn);
      });
      box.append(turns);
    }
    box.append(textOf(side));
    const facts = make("p", "gold");
    facts.append(make("span", "", "gold: "), make("b", "", side.gold === undefined ? "unknown" : side.gold));
    const plain = side.choices && side.choices.join("|") === "yes|no";
    if (side.choices && !plain) facts.append(make("span", "choices", " of " + side.choices.join(", ")));
    box.append(facts);
    return box;
  };

  const imageOf = (place, alt) => {
    const uri = place === undefined ? null : payload.images[place];
    if (!uri) return make("div", "no-image", place === undefined ? "no image" : "image not shown");
    const image = make("img");
    image.src = uri;
    image.alt = alt;
    image.decoding = "async";
    return image;
  };

  // What a reader sees as the same answer: case and marks at the ends aside.
  const bare = (text) => text.toLowerCase().replace(/^[\s"'.,!]+|[\s"'.,!]+$/g, "");
  const MARKS = { true: ["✓", "correct"], false: ["✗", "incorrect"], null: ["○", "not counted"] };
  const replyOf = (reply, heading, prefer) => {
    const cell = make("td");
    cell.dataset.side = heading;
    const scored = prefer && reply.correct === null && reply.status === "ok";
    const [sign, word] = MARKS[String(reply.correct)];
    const mark = make("span", scored ? "sign" : "sign " + word.replace(" ", "-"), scored ? "" : sign);
    if (!scored) {
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", word);
    }
    const said = make("span", "said", reply.text !== undefined ? reply.text : reply.answer !== undefined ? reply.answer : "");
    said.dir = "auto";
    cell.append(mark, said);
    if (reply.length) cell.append(make("span", "cut", "cut; " + reply.length.toLocaleString("en") + " characters in all"));
    if (reply.status !== "ok") cell.append(make("span", "tag", reply.status === "off_list" ? "off-list" : reply.status));
    else if (reply.answer !== undefined && reply.text !== undefined && bare(reply.answer) !== bare(reply.text))
      cell.append(make("span", "cut", "read as " + reply.answer));
    return cell;
  };

  // A probe without variants is one question.
  const isSingle = (failure) => failure.number === 0;
  const headingsOf = (failure) =>
    isSingle(failure) ? ["Question"] : failure.expects === "prefer" ? ["Caption", "Foil"] : ["Original", "Variant"];

  const repliesOf = (failure) => {
    const table = make("table", "replies");
    const head = make("tr");
    const prefer = failure.expects === "prefer";
    const headings = headingsOf(failure);
    ["Model", ...headings, "Failure type"].forEach((name) => {
      const cell = make("th", "", name);
      cell.scope = "col";
      head.append(cell);
    });
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    failure.replies.forEach((reply) => {
      const row = make("tr");
      const name = make("th");
      name.scope = "row";
      const who = make("span", "who");
      who.append(make("span", "key m" + (reply.model % 8)), make("span", "", payload.models[reply.model]));
      name.append(who);
      const tags = make("td", "failure-types");
      reply.failure_types.forEach((each) => tags.append(make("span", "tag " + each, LABELS[each])));
      const had = reply.sides.every((side) => ["ok", "unparsed", "truncated", "off_list"].includes(side.status));
      const whole = prefer ? had && !reply.failure_types.length : reply.sides.every((side) => side.correct === true);
      if (whole) tags.append(make("span", "tag fine", prefer ? "caption scored higher" : isSingle(failure) ? "correct" : "both correct"));
      const cells = headings.map((heading, side) => replyOf(reply.sides[side], heading.toLowerCase(), prefer));
      row.append(name, ...cells, tags);
      body.append(row);
    });
    table.append(top, body);
    return table;
  };

  const cardOf = (failure, place) => {
    const card = make("article", "pair");
    card.tabIndex = -1;
    card.setAttribute("aria-posinset", String(place + 1));
    card.setAttribute("aria-setsize", String(found.length));
    const id = "pair-" + place;
    card.setAttribute("aria-labelledby", id);
    const head = make("header");
    const title = make("h3", "", failure.test);
    title.id = id;
    head.append(title, make("span", "must", EXPECTS[failure.expects] || failure.expects), make("span", "place", place + 1 + " of " + found.length));
    const images = make("div", "images");
    const [original, variant] = failure.sides;
    images.append(imageOf(original.image, "The image of the original"));
    if (variant.image !== original.image) {
      images.classList.add("two");
      images.append(imageOf(variant.image, "The image of the variant"));
    }
    const sides = make("div", "sides");
    const headings = headingsOf(failure);
    headings.forEach((heading, side) => sides.append(sideOf(failure.sides[side], heading)));
    const detail = make("p", "facets");
    failure.facets.forEach(([name, value]) => detail.append(make("span", "facet", name.replaceAll("_", " ") + ": " + value)));
    detail.append(make("code", "", failure.probe + (failure.number > 1 ? " #" + failure.number : "")));
    const text = make("div", "body");
    text.append(sides, repliesOf(failure), detail);
    card.append(head, images, text);
    card.addEventListener("click", () => select(place, false));
    return card;
  };

  const select = (place, focus) => {
    current = place;
    [...list.children].forEach((card, offset) => {
      const isCurrent = page * PAGE + offset === place;
      if (isCurrent) card.setAttribute("aria-current", "true");
      else card.removeAttribute("aria-current");
      if (isCurrent && focus) {
        card.focus({ preventScroll: true });
        card.scrollIntoView({ block: "nearest" });
      }
    });
  };

  const number = (value) => value.toLocaleString("en");

  // How many pairs failed in all, where the filters are those that were counted.
  const failedIn = () => {
    if (failureType.value !== "" || search.value.trim() !== "") return "";
    const chosen = test.value === "" ? null : tests[Number(test.value)];
    const isChosen = ([suite, name]) => chosen === null || (suite === chosen.suite && name === chosen.test);
    const sum = (rows, place) => rows.filter(isChosen).reduce((total, row) => total + row[place], 0);
    if (model.value === "") return "; " + number(sum(payload.failed, 2)) + " failed by at least one model";
    return "; " + number(sum(payload.counts.filter((row) => row[2] === Number(model.value)), 3)) + " failed by this model";
  };

  const pages = () => Math.max(Math.ceil(found.length / PAGE), 1);

  const show = () => {
    const start = page * PAGE;
    const end = Math.min(start + PAGE, found.length);
    list.replaceChildren(...found.slice(start, end).map((failure, offset) => cardOf(failure, start + offset)));
    if (!found.length) list.append(make("p", "nothing", "No failed pair matches these filters."));
    byId("count").textContent = found.length
      ? start + 1 + "–" + end + " of " + number(found.length) + " shown" + failedIn()
      : "0 shown" + failedIn();
    ["previous", "previous-low"].forEach((id) => (byId(id).disabled = page === 0));
    ["next", "next-low"].forEach((id) => (byId(id).disabled = page >= pages() - 1));
  };

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = failures.filter((failure) => matches(failure, words));
    page = 0;
    current = -1;
    show();
  };

  const turn = (step, fromBelow) => {
    page = Math.min(Math.max(page + step, 0), pages() - 1);
    current = page * PAGE - 1;
    show();
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
    }
    select(next, true);
  };

  [test, model, failureType].forEach((control) => control.addEventListener("change", filter));
  search.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => window.setTimeout(filter));
  byId("previous").addEventListener("click", () => turn(-1, false));
  byId("next").addEventListener("click", () => turn(1, false));
  byId("previous-low").addEventListener("click", () => turn(-1, true));
  byId("next-low").addEventListener("click", () => turn(1, true));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "/") {
      event.preventDefault();
      search.focus();
    }
  });
  filter();
})();
