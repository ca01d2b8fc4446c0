"use strict";
// The page for services of crowd work: one task, answered in this page alone. Text enters it through textContent only.
(() => {
  const byId = (id) => document.getElementById(id);
  const query = new URLSearchParams(window.location.search);
  const given = document.body.dataset.task || "";
  const assignment = query.get("assignmentId") || "";
  let task = { id: "", questions: [] };
  if (given && !given.startsWith("$")) task = JSON.parse(new TextDecoder().decode(Uint8Array.from(window.atob(given), (one) => one.charCodeAt(0))));
  else {
    const tasks = JSON.parse(byId("tasks").textContent);
    const id = query.get("task") || Object.keys(tasks)[0] || "";
    task = { id, questions: tasks[id] || [] };
  }
  const service = Boolean(assignment);
  const person = query.get("PROLIFIC_PID") || query.get("annotator") || "";
  const answers = [];
  let shownAt = 0;

  const show = (name) => {
    for (const id of ["welcome", "ask", "done"]) byId(id).hidden = id !== name;
  };

  const render = () => {
    const total = task.questions.length;
    const bar = document.querySelector(".progress");
    bar.style.setProperty("--done", total ? String(answers.length / total) : "0");
    bar.setAttribute("aria-valuemax", String(total));
    bar.setAttribute("aria-valuenow", String(answers.length));
    byId("count").textContent = `${Math.min(answers.length + 1, total)} of ${total}`;
    if (answers.length >= total) {
      finish();
      return;
    }
    const question = task.questions[answers.length];
    const heading = byId("question");
    heading.replaceChildren();
    for (const [name, text] of question.second ? [["First", question.text], ["Second", question.second]] : [["", question.text]]) {
      const side = document.createElement("span");
      if (name) {
        side.className = "side";
        const title = document.createElement("b");
        title.textContent = name;
        side.append(title);
      }
      side.append(text);
      heading.append(side);
    }
    byId("label").hidden = question.label === null;
    byId("label").textContent = question.label === null ? "" : `Answer: ${question.label}`;
    const context = byId("context");
    context.hidden = question.context.length === 0;
    context.replaceChildren(
      ...question.context.map(([speaker, text]) => {
        const line = document.createElement("p");
        line.textContent = `${speaker}: ${text}`;
        return line;
      }),
    );
    byId("picture").hidden = question.image === null;
    byId("ask").classList.toggle("bare", question.image === null);
    if (question.image !== null) byId("image").src = question.image;
    byId("typed").hidden = !question.free_text;
    byId("text").value = "";
    byId("options").replaceChildren(
      ...question.options.map((option) => {
        const button = document.createElement("button");
        button.type = "button";
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
          button.append(key);
        }
        button.addEventListener("click", () => answer(option.value));
        return button;
      }),
    );
    byId("undo").disabled = answers.length === 0;
    show("ask");
    heading.focus({ preventScroll: true });
    shownAt = performance.now();
  };

  const answer = (value) => {
    if (byId("ask").hidden) return;
    const seconds = Math.round(performance.now() - shownAt) / 1000;
    answers.push({ question: task.questions[answers.length].id, answer: value, seconds });
    render();
  };

  const finish = () => {
    show("done");
    byId("done-title").focus();
    if (service) {
      byId("assignmentId").value = assignment;
      byId("answers").value = JSON.stringify(answers);
      byId("submit").action = `${query.get("turkSubmitTo") || "https://www.mturk.com"}/mturk/externalSubmit`;
      byId("submit").hidden = false;
      byId("done-text").textContent = "Submit your answers to finish.";
      return;
    }
    const who = person || byId("who").value || "someone";
    const lines = answers.map((one) => JSON.stringify({ annotator: who, task_id: task.id, question_id: one.question, answer: one.answer, seconds: one.seconds }));
    byId("copy").value = `${lines.join("\n")}\n`;
    byId("copy").hidden = false;
    byId("copy").select();
    byId("done-text").textContent = "Copy these lines and send them back.";
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || byId("ask").hidden) return;
    if (event.target instanceof HTMLInputElement) return;
    if (event.key === "Backspace") {
      byId("undo").click();
      return;
    }
    const found = task.questions[answers.length].options.find((one) => one.key === event.key.toLowerCase());
    if (found) answer(found.value);
  });
  byId("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId("text").value.trim();
    if (text) answer(text);
  });
  byId("undo").addEventListener("click", () => {
    answers.pop();
    render();
  });
  byId("who-line").hidden = service || Boolean(person);
  byId("start").disabled = task.questions.length === 0 || assignment === "ASSIGNMENT_ID_NOT_AVAILABLE";
  byId("start").addEventListener("click", render);
  show("welcome");
})();
