"use strict";
// The page of those who answer. Text from data enters it through textContent only. An answer is shown as given when the
// server has saved it, and the page does not move on before.
(() => {
  const byId = (id) => document.getElementById(id);
  const sections = ["welcome", "ask", "rest"];
  let state = null;
  let busy = false;
  let shownAt = 0;
  let hiddenSince = 0;
  let hiddenFor = 0;
  const ahead = new Image();

  const show = (name) => {
    for (const id of sections) byId(id).hidden = id !== name;
    document.body.dataset.stage = name;
  };

  const tell = (text) => {
    const line = byId("trouble");
    line.textContent = text;
    line.hidden = !text;
  };

  const wait = (milliseconds) => new Promise((done) => window.setTimeout(done, milliseconds));

  // Sends until the server has answered: what is sent twice counts once.
  const send = async (path, body) => {
    for (let attempt = 0; ; attempt += 1) {
      let response = null;
      try {
        response = await fetch(path, {
          method: body === undefined ? "GET" : "POST",
          headers: body === undefined ? {} : { "Content-Type": "application/json" },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
      } catch {
        response = null;
      }
      if (response && response.ok) {
        tell("");
        return response.json();
      }
      if (response && response.status === 403) {
        tell("This link is not valid any more. Ask whoever sent it for a new one. Your answers so far are saved.");
        return null;
      }
      if (response && response.status === 409) {
        tell("");
        return send("api/state");
      }
      if (response && response.status === 507) tell("The disk of the server is full. This answer is not saved yet; trying again.");
      else if (response && response.status === 503) tell("The server is busy. This answer is not saved yet; trying again.");
      else tell("There is no connection. This answer is not saved yet; trying again.");
      await wait(Math.min(500 * 2 ** attempt, 8000));
    }
  };

  const act = async (path, body) => {
    if (busy) return;
    busy = true;
    byId("saved").textContent = "";
    try {
      const found = await send(path, body);
      if (found) {
        state = found;
        if (found.feedback) showFeedback(found.feedback, body.answer);
        else render();
      }
    } finally {
      busy = false;
    }
  };

  const fillSegments = (target, segments) => {
    for (const [text, changed] of segments) {
      const part = document.createElement(changed ? "mark" : "span");
      part.textContent = text;
      target.append(part);
    }
  };

  const renderQuestion = () => {
    const question = state.question;
    const heading = byId("question");
    heading.replaceChildren();
    if (question.second) {
      for (const [name, segments] of [["First", question.first], ["Second", question.second]]) {
        const side = document.createElement("span");
        side.className = "side";
        const title = document.createElement("b");
        title.textContent = name;
        side.append(title);
        fillSegments(side, segments);
        heading.append(side);
      }
    } else {
      fillSegments(heading, question.first);
    }
    const label = byId("label");
    label.hidden = question.label === null;
    label.replaceChildren("Answer: ");
    if (question.label !== null) {
      const strong = document.createElement("b");
      strong.textContent = question.label;
      label.append(strong);
    }
    const context = byId("context");
    context.replaceChildren();
    context.hidden = question.context.length === 0;
    for (const [speaker, text] of question.context) {
      const line = document.createElement("p");
      const who = document.createElement("b");
      who.textContent = `${speaker}: `;
      line.append(who, text);
      context.append(line);
    }
    byId("picture").hidden = question.image === null;
    byId("ask").classList.toggle("bare", question.image === null);
    if (question.image !== null) {
      const source = `image/${question.image}`;
      if (!byId("image").src.endsWith(source)) byId("image").src = source;
    }
    if (state.next_image) ahead.src = `image/${state.next_image}`;
    byId("typed").hidden = !question.free_text;
    byId("text").value = "";
    const options = byId("options");
    options.replaceChildren();
    options.classList.toggle("long", question.options.some((one) => one.label.length > 34));
    for (const option of question.options) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.value = option.value;
      const text = document.createElement("span");
      text.textContent = option.label;
      if (option.hint) {
        const hint = document.createElement("small");
        hint.textContent = option.hint;
        text.append(hint);
      }
      button.append(text);
      if (option.key) {
        const key = document.createElement("kbd");
        key.textContent = option.key;
        key.setAttribute("aria-hidden", "true");
        button.append(key);
        button.setAttribute("aria-keyshortcuts", option.key);
      }
      button.addEventListener("click", () => answer(option.value, button));
      options.append(button);
    }
    byId("feedback").hidden = true;
    byId("practice").hidden = state.stage !== "qualification";
    byId("undo").hidden = state.stage === "qualification";
    byId("undo").disabled = !state.undo;
    show("ask");
    window.scrollTo(0, 0);
    if (question.free_text && window.matchMedia("(hover: hover)").matches) byId("text").focus();
    else heading.focus({ preventScroll: true });
    shownAt = performance.now();
    hiddenFor = 0;
    hiddenSince = document.hidden ? shownAt : 0;
  };

  const render = () => {
    const total = state.questions;
    const bar = document.querySelector(".progress");
    bar.style.setProperty("--done", total ? String(state.answered / total) : "0");
    bar.setAttribute("aria-valuemax", String(total));
    bar.setAttribute("aria-valuenow", String(state.answered));
    const asking = state.stage === "task" || state.stage === "qualification";
    byId("count").textContent = asking ? `${Math.min(state.answered + 1, total)} of ${total}` : "";
    if (asking && state.question) renderQuestion();
    else if (state.stage === "start") {
      byId("start").textContent = "Begin with a short practice";
      show("welcome");
    } else rest();
  };

  const rest = () => {
    const title = byId("rest-title");
    const text = byId("rest-text");
    byId("more").hidden = state.stage !== "finished";
    byId("rest-undo").hidden = !state.undo;
    if (state.stage === "finished") {
      const done = state.tasks_done;
      title.textContent = done ? (done === 1 ? "One task done. Thank you!" : `${done} tasks done. Thank you!`) : "You are ready";
      const left = state.tasks_left;
      text.textContent = `${left === 1 ? "One more task is" : `${left} more tasks are`} waiting. Go on now, or close the page and come back to your link later.`;
      byId("more").textContent = done ? "Next task" : "First task";
    } else if (state.stage === "waiting") {
      title.textContent = "All done. Thank you!";
      text.textContent = "There is nothing left for you to answer at present. All your answers are saved; you can close the page.";
    } else {
      title.textContent = "Thank you for trying";
      text.textContent = "The practice questions were answered differently than expected. Please talk to whoever sent you the link.";
    }
    show("rest");
    title.focus();
  };

  // The question stays in sight, with the answer that was expected.
  const showFeedback = (feedback, given) => {
    byId("verdict").textContent = feedback.right ? "Right" : "Not quite";
    byId("expected").textContent = feedback.right
      ? "That is what is expected here."
      : `The expected answer is: ${feedback.expected}. "How it works" has the instructions again.`;
    for (const button of byId("options").children) {
      button.disabled = true;
      button.classList.remove("chosen");
      button.classList.toggle("expected", button.dataset.value === feedback.value);
      button.classList.toggle("wrong", button.dataset.value === given && !feedback.right);
    }
    byId("typed").hidden = true;
    byId("feedback").hidden = false;
    document.body.dataset.stage = "feedback";
    byId("verdict").focus({ preventScroll: true });
    byId("feedback").scrollIntoView({ block: "nearest" });
  };

  const answer = (value, button) => {
    if (busy || !state || !state.question || document.body.dataset.stage !== "ask") return;
    if (button) button.classList.add("chosen");
    const seconds = Math.max(0, (performance.now() - shownAt - hiddenFor) / 1000);
    act("api/answer", { task: state.task, question: state.question.id, answer: value, seconds });
  };

  const undo = () => {
    if (state && state.undo && !busy) act("api/undo", { task: state.task, question: state.undo });
  };

  const enlarge = () => {
    if (!state || !state.question || state.question.image === null) return;
    byId("large-image").src = `image/${state.question.image}`;
    byId("large").showModal();
  };

  document.addEventListener("visibilitychange", () => {
    const now = performance.now();
    if (document.hidden) hiddenSince = now;
    else if (hiddenSince) {
      hiddenFor += now - hiddenSince;
      hiddenSince = 0;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (byId("large").open && event.key === "z") {
      byId("large").close();
      return;
    }
    if (byId("large").open || byId("instructions").open) return;
    const typing = event.target instanceof HTMLInputElement;
    if (typing && event.key !== "Escape") return;
    if (typing) {
      event.target.blur();
      return;
    }
    const stage = document.body.dataset.stage;
    if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) {
      const next = { feedback: "next", rest: "more", welcome: "start" }[stage];
      if (next && !byId(next).hidden) byId(next).click();
      return;
    }
    if (event.key === "Backspace" || event.key === "u") {
      if (stage === "ask" || stage === "rest") {
        event.preventDefault();
        undo();
      }
    } else if (event.key === "z" && stage === "ask") enlarge();
    else if (event.key === "?") byId("help").click();
    else if (stage === "ask" && state && state.question) {
      const index = state.question.options.findIndex((one) => one.key === event.key.toLowerCase());
      if (index >= 0) {
        event.preventDefault();
        answer(state.question.options[index].value, byId("options").children[index]);
      }
    }
  });

  byId("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId("text").value.trim();
    if (text) answer(text, null);
  });
  byId("undo").addEventListener("click", undo);
  byId("rest-undo").addEventListener("click", undo);
  byId("zoom").addEventListener("click", enlarge);
  byId("large-image").addEventListener("click", () => byId("large").close());
  byId("next").addEventListener("click", () => render());
  byId("start").addEventListener("click", () => act("api/start", {}));
  byId("more").addEventListener("click", () => act("api/start", {}));
  byId("help").addEventListener("click", () => {
    const body = byId("instructions-body");
    if (!body.childElementCount) body.append(document.querySelector(".instructions").cloneNode(true));
    byId("instructions").showModal();
  });
  act("api/state");
})();
