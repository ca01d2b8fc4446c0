"use strict";
// Draws pairs: a row that opens to a card. Shared by the report and the viewer; text of data and models enters the page
// through textContent only.
const falterPairs = (() => {
  const FAILURES = {
    original: "original incorrect",
    variant: "variant incorrect",
    both: "both incorrect",
    inconsistent: "inconsistent",
    unparsed: "unparsed",
    truncated: "truncated",
    off_list: "off-list",
    foil: "foil scored higher",
    tie: "tied",
  };
  const EXPECTS = {
    same: "the answers must be the same",
    different: "the answers must differ",
    each: "each answer must be correct by itself",
    prefer: "the caption must score higher",
  };
  const MARKS = { true: ["✓", "correct"], false: ["✗", "incorrect"], null: ["○", "not counted"] };
  const REPLIED = ["ok", "unparsed", "truncated", "off_list"];
  const DOTS = 12;

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const number = (value) => value.toLocaleString("en");

  const option = (select, value, text) => {
    const element = make("option", "", text);
    element.value = value;
    select.append(element);
  };

  // A probe without variants is one question.
  const isSingle = (pair) => pair.number === 0;
  const headingsOf = (pair) =>
    isSingle(pair) ? ["Question"] : pair.expects === "prefer" ? ["Caption", "Foil"] : ["Original", "Variant"];

  // Whether a model got the pair right; null where the pair does not count for it.
  const isRight = (pair, reply) => {
    if (reply.failure_types.length) return false;
    if (pair.expects === "prefer") return reply.sides.every((side) => REPLIED.includes(side.status)) ? true : null;
    return reply.sides.every((side) => side.correct === true) ? true : null;
  };

  // The class of a model's color; those after the twelfth have keys of other shapes.
  const colorOf = (place) => "m" + (place % 12) + ["", " c1", " c2", " c3"][Math.floor(place / 12) % 4];

  const whoOf = (name, place) => {
    const who = make("span", "who");
    who.append(make("span", "key " + colorOf(place)), make("span", "", name));
    return who;
  };

  // An image in full, over the page; a click or Escape closes it.
  let dialog = null;
  const enlarge = (source, text) => {
    if (!dialog) {
      dialog = make("dialog", "enlarged");
      dialog.addEventListener("click", () => dialog.close());
      document.body.append(dialog);
    }
    const image = make("img");
    image.src = source;
    image.alt = text;
    const close = make("button", "quiet", "Close");
    close.type = "button";
    dialog.replaceChildren(image, make("p", "", text), close);
    dialog.showModal();
  };

  const imageOf = (side, text) => {
    const figure = make("figure");
    if (!side.image) figure.append(make("div", "no-image", side.image === undefined ? "no image" : "image not shown"));
    else {
      const button = make("button", "enlarge");
      button.type = "button";
      button.setAttribute("aria-label", "Enlarge: " + text);
      const image = make("img");
      image.src = side.image;
      image.alt = text;
      image.decoding = "async";
      image.addEventListener("error", () => figure.replaceChildren(make("div", "no-image", "image not shown")));
      button.append(image);
      button.addEventListener("click", () => enlarge(side.large || side.image, text));
      figure.append(button);
    }
    return figure;
  };

  const imagesOf = (pair) => {
    const box = make("div", "images");
    const [original, variant] = pair.sides;
    // Where images have addresses, equal ones are known by their keys.
    const keyOf = (side) => (side.image_key === undefined ? side.image : side.image_key);
    const two = !isSingle(pair) && keyOf(variant) !== keyOf(original);
    const texts = two ? ["original", pair.image_change || "variant"] : ["the image"];
    if (two) box.classList.add("two");
    texts.forEach((text, side) => {
      const figure = imageOf(pair.sides[side], two ? "Image: " + text : "The image of this pair");
      if (two) figure.append(make("figcaption", "", text));
      box.append(figure);
    });
    return box;
  };

  const textInto = (line, side) => {
    line.dir = "auto";
    side.text.forEach(([text, changed]) => line.append(changed ? make("mark", "", text) : document.createTextNode(text)));
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
    const question = textInto(make("p", "question"), side);
    if (side.length) question.append(make("span", "cut", " … cut; " + number(side.length) + " characters in all"));
    box.append(question);
    const facts = make("p", "gold");
    facts.append(make("span", "", "gold: "), make("b", "", side.gold === undefined ? "unknown" : side.gold));
    const plain = side.choices && side.choices.join("|") === "yes|no";
    if (side.choices && !plain) facts.append(make("span", "choices", " of " + side.choices.join(", ")));
    box.append(facts);
    return box;
  };

  // What a reader sees as the same answer: case and marks at the ends aside.
  const bare = (text) => text.toLowerCase().replace(/^[\s"'.,!]+|[\s"'.,!]+$/g, "");
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
    if (reply.length) cell.append(make("span", "cut", "cut; " + number(reply.length) + " characters in all"));
    if (reply.status !== "ok") cell.append(make("span", "tag", reply.status === "off_list" ? "off-list" : reply.status));
    else if (reply.answer !== undefined && reply.text !== undefined && bare(reply.answer) !== bare(reply.text))
      cell.append(make("span", "cut", "read as " + reply.answer));
    return cell;
  };

  const repliesOf = (pair, models, link) => {
    const table = make("table", "replies");
    const head = make("tr");
    const prefer = pair.expects === "prefer";
    const headings = headingsOf(pair);
    ["Model", ...headings, "Outcome"].forEach((name) => {
      const cell = make("th", "", name);
      cell.scope = "col";
      head.append(cell);
    });
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    pair.replies.forEach((reply) => {
      const row = make("tr");
      const name = make("th");
      name.scope = "row";
      name.append(whoOf(models[reply.model], reply.model));
      const tags = make("td", "failure-types");
      reply.failure_types.forEach((each) => {
        const label = isSingle(pair) && each === "original" ? "incorrect" : FAILURES[each] || each;
        const tag = link ? link({ wrong: reply.model, outcome: each }) : make("span");
        tag.className = "tag " + each;
        tag.textContent = label;
        tags.append(tag);
      });
      if (isRight(pair, reply))
        tags.append(make("span", "tag fine", prefer ? "caption scored higher" : isSingle(pair) ? "correct" : "both correct"));
      const cells = headings.map((heading, side) => replyOf(reply.sides[side], heading.toLowerCase(), prefer));
      row.append(name, ...cells, tags);
      body.append(row);
    });
    if (!pair.replies.length) return make("p", "gold", "No reply of any model yet.");
    table.append(top, body);
    return table;
  };

  const bodyOf = (pair, options) => {
    const inside = make("div", "inside");
    const sides = make("div", "sides");
    headingsOf(pair).forEach((heading, side) => sides.append(sideOf(pair.sides[side], heading)));
    const detail = make("p", "facets");
    pair.facets.forEach(([name, value]) => {
      const text = name.replaceAll("_", " ") + ": " + value;
      const chip = options.link ? options.link({ facet: name, value }) : make("span");
      chip.className = "facet";
      chip.textContent = text;
      detail.append(chip);
    });
    const id = make("p", "pair-id");
    id.append(make("code", "", pair.probe + (pair.number > 1 ? " #" + pair.number : "")));
    if (options.permalink) {
      const link = make("a", "permalink", "link to this pair");
      link.href = options.permalink(pair);
      id.append(link);
    }
    const text = make("div", "body");
    text.append(sides, repliesOf(pair, options.models, options.link), detail, id);
    if (options.extra) text.append(options.extra(pair));
    inside.append(imagesOf(pair), text);
    return inside;
  };

  // The line that is always visible: a small image, the text, and a dot for every model.
  const lineOf = (pair, models) => {
    const line = make("button", "line");
    line.type = "button";
    const shown = pair.sides[isSingle(pair) ? 0 : 1].image || pair.sides[0].image;
    if (shown) {
      const small = make("span", "small");
      const image = make("img");
      image.src = shown;
      image.alt = "";
      image.addEventListener("error", () => image.remove());
      small.append(image);
      line.append(small);
    } else line.classList.add("plain");
    const words = make("span", "words");
    words.append(make("span", "test", pair.test), textInto(make("span", "asked"), pair.sides[isSingle(pair) ? 0 : 1]));
    const dots = make("span", "dots");
    const counted = pair.replies.map((reply) => [reply, isRight(pair, reply)]);
    const wrong = counted.filter(([, right]) => right === false).length;
    dots.setAttribute("role", "img");
    dots.setAttribute("aria-label", wrong + " of " + counted.length + (counted.length === 1 ? " model wrong" : " models wrong"));
    if (counted.length <= DOTS)
      counted.forEach(([reply, right]) => {
        const dot = make("span", "dot " + (right === null ? "none" : right ? "right" : "wrong"), right === null ? "○" : right ? "✓" : "✗");
        dot.className += " " + colorOf(reply.model);
        dot.title = models[reply.model] + ": " + (right === null ? "not counted" : right ? "right" : "wrong");
        dots.append(dot);
      });
    else dots.append(make("span", "many", wrong + " of " + counted.length + " wrong"));
    line.append(words, dots);
    return line;
  };

  // options: models, place, total, open, link(filters), permalink(pair), extra(pair), onToggle(pair, open)
  const cardOf = (pair, options) => {
    const card = make("article", "pair");
    card.tabIndex = -1;
    card.setAttribute("aria-posinset", String(options.place + 1));
    card.setAttribute("aria-setsize", String(options.total));
    const id = "pair-" + options.place;
    card.setAttribute("aria-labelledby", id);
    const line = lineOf(pair, options.models);
    line.id = id;
    const head = make("header");
    const must = isSingle(pair) ? "a single question" : EXPECTS[pair.expects] || pair.expects;
    head.append(make("span", "must", must), make("span", "place", options.place + 1 + " of " + number(options.total)));
    card.setOpen = (open) => {
      line.setAttribute("aria-expanded", String(open));
      card.classList.toggle("open", open);
      if (open && !card.inside) {
        card.inside = bodyOf(pair, options);
        card.append(head, card.inside);
      }
    };
    const heading = make("h3");
    heading.append(line);
    card.append(heading);
    card.setOpen(Boolean(options.open));
    line.addEventListener("click", () => {
      card.setOpen(!card.classList.contains("open"));
      if (options.onToggle) options.onToggle(card);
    });
    return card;
  };

  return { FAILURES, cardOf, isRight, isSingle, make, number, option, whoOf };
})();
