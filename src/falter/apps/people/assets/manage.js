"use strict";
// The page of the person in charge. Text from data enters it through textContent only.
(() => {
  const byId = (id) => document.getElementById(id);
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(0)} %`);
  const seconds = (value) => (value === null ? "–" : value.toFixed(1));
  const count = (value) => value.toLocaleString("en");
  let last = "";

  const post = async (path, body) => {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };

  const tell = (text) => {
    byId("trouble").textContent = text;
    byId("trouble").hidden = !text;
  };

  const tile = (name, value, more) => {
    const box = element("div");
    const shown = element("dd", value);
    if (more) shown.append(element("small", more));
    box.append(element("dt", name), shown);
    return box;
  };

  const act = async (name, action) => {
    try {
      const { link } = await post("manage/annotator", { name, action });
      showLink(name, link);
      await refresh(true);
      tell("");
    } catch (error) {
      tell(String(error.message || error));
    }
  };

  const showLink = (name, link) => {
    const line = byId("link");
    line.hidden = !link;
    if (link) line.replaceChildren(`The link of ${name}, shown once: `, element("code", link));
  };

  const button = (text, label, action) => {
    const made = element("button", text);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
  };

  const row = (one) => {
    const line = element("tr", null, one.excluded ? "out" : "");
    const name = element("th", one.name);
    name.scope = "row";
    const controls = element("td", null, "number");
    const right = one.controls ? `${one.controls_right} of ${one.controls}` : "–";
    controls.append(one.fails_controls ? element("span", `${right} ⚠`, "flag") : right);
    const state = [];
    if (one.excluded) state.push("excluded");
    if (one.revoked) state.push("link revoked");
    if (!one.qualified) state.push("not qualified yet");
    const buttons = element("td", null, "buttons");
    buttons.append(
      one.excluded
        ? button("Include", `Include ${one.name}`, () => act(one.name, "include"))
        : button("Exclude", `Exclude ${one.name}`, () => act(one.name, "exclude")),
      one.revoked
        ? button("Restore link", `Restore the link of ${one.name}`, () => act(one.name, "restore"))
        : button("Revoke link", `Revoke the link of ${one.name}`, () => act(one.name, "revoke")),
      button("New link", `Make a new link for ${one.name}`, () => act(one.name, "link")),
    );
    line.append(
      name,
      element("td", count(one.answers), "number"),
      element("td", count(one.tasks), "number"),
      controls,
      element("td", percent(one.agreement), "number"),
      element("td", seconds(one.seconds), "number"),
      element("td", one.commonest ? `${one.commonest}, ${percent(one.commonest_share)}` : "–"),
      element("td", state.join(", ") || "in"),
      buttons,
    );
    return line;
  };

  const disagreement = (one) => {
    const line = element("li");
    if (one.image) {
      const image = element("img");
      image.src = `image/${one.image}`;
      image.alt = "";
      image.loading = "lazy";
      line.append(image);
    }
    const text = element("div");
    text.append(element("p", one.text, "asked"));
    if (one.second) text.append(element("p", one.second, "asked"));
    text.append(element("p", one.test, "test"));
    const votes = element("p", null, "votes");
    for (const [answer, number] of Object.entries(one.votes)) {
      votes.append(element("span", `${answer} ${number}`, answer === one.expected ? "expected" : ""));
    }
    text.append(votes);
    line.append(text);
    return line;
  };

  const render = (data) => {
    const share = data.goal ? data.answers / data.goal : 0;
    const meter = document.querySelector(".meter");
    meter.style.setProperty("--done", String(share));
    meter.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    const interval = data.alpha_low === null ? "" : `${data.alpha_low.toFixed(2)} to ${data.alpha_high.toFixed(2)}`;
    byId("tiles").replaceChildren(
      tile("Answers", percent(share), `${count(data.answers)} of ${count(data.goal)}`),
      tile("Questions complete", count(data.complete_questions), `of ${count(data.questions)}`),
      tile("Tasks", count(data.tasks_done), `of ${count(data.tasks_goal)}; ${count(data.tasks_open)} under way`),
      tile("Krippendorff's alpha", data.alpha === null ? "–" : data.alpha.toFixed(2), interval),
      tile("Unanimous", percent(data.unanimous), "of questions with two answers or more"),
      tile("Controls right", percent(data.controls_right), "of all who count"),
      tile("Seconds an answer", seconds(data.seconds), "median of people"),
    );
    byId("rows").replaceChildren(...data.annotators.map(row));
    byId("split").replaceChildren(...data.disagreements.map(disagreement));
    if (!data.disagreements.length) byId("split").append(element("p", "None so far."));
    byId("events").replaceChildren(
      ...data.events.map(([at, who, what, about]) => {
        const line = element("li");
        const time = new Date(1000 * at).toLocaleString();
        line.append(element("b", what), ` ${about}`, who === about || who === "owner" ? "" : ` by ${who}`, `, ${time}`);
        return line;
      }),
    );
  };

  const refresh = async (force) => {
    if (document.hidden && !force) return;
    try {
      const response = await fetch("manage/data");
      if (!response.ok) throw new Error(await response.text());
      const text = await response.text();
      // A table that is drawn anew takes the focus away from its buttons.
      if (text !== last || force) {
        last = text;
        render(JSON.parse(text));
      }
      tell("");
    } catch (error) {
      tell(`There is no connection: ${String(error.message || error)}`);
    }
  };

  byId("add").addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = byId("name").value.trim();
    if (!name) return;
    try {
      const { link } = await post("manage/add", name);
      byId("name").value = "";
      await refresh(true);
      showLink(name, link);
      tell("");
    } catch (error) {
      tell(String(error.message || error));
    }
  });
  refresh(true);
  window.setInterval(() => refresh(false), 4000);
})();
