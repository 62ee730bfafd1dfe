// Search, tabs, copying and deep links. Stored text only ever becomes text: nothing here parses HTML.
"use strict";

var viewscribe = (() => {
  const root = document.documentElement.dataset.root;
  const subject = document.documentElement.dataset.page;
  const INVISIBLE =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

  /** Text in which nothing is invisible or turns the direction of writing; as the pages have it. */
  function visible(text) {
    return text.replace(INVISIBLE, (c) => {
      const code = c.codePointAt(0);
      if (c === "\r") return "\\r";
      if (code < 256) return "\\x" + code.toString(16).padStart(2, "0");
      return code < 65536 ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
    });
  }

  /** An element with attributes and children; texts become text nodes. */
  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) made.setAttribute(name, "");
      else if (value !== false && value != null) made.setAttribute(name, value);
    }
    for (const each of children.flat()) {
      if (each != null) made.append(typeof each === "string" ? visible(each) : each);
    }
    return made;
  }

  /** The address of an object's page, or of a column of it. */
  function addressOf(page, column) {
    return root + page + ".html" + (column == null ? "" : "#column=" + encodeURIComponent(visible(column)));
  }

  const loads = new Map();
  /** Loads a script of the site once. */
  function load(file) {
    if (!loads.has(file)) {
      loads.set(
        file,
        new Promise((done, failed) => {
          const script = element("script", { src: root + file });
          script.onload = () => done();
          script.onerror = () => failed(new Error(file));
          document.head.append(script);
        }),
      );
    }
    return loads.get(file);
  }

  /** What the part of an address after # says: {column: "revenue"}. */
  function fragment() {
    const found = /^#(column|sql|version|object)=(.*)$/s.exec(location.hash);
    if (!found) return {};
    try {
      return { [found[1]]: decodeURIComponent(found[2]) };
    } catch {
      return {};
    }
  }

  // -- copying --------------------------------------------------------------------------------

  /** The text of code, with the characters that are shown by their numbers. */
  function exactText(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.dataset && node.dataset.char) return String.fromCodePoint(parseInt(node.dataset.char, 16));
    return Array.from(node.childNodes, exactText).join("");
  }

  function copy(text) {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    const area = element("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    return Promise.resolve();
  }

  function offerCopies() {
    for (const button of document.querySelectorAll(".copy")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        const said = (word) => {
          button.textContent = word;
          setTimeout(() => (button.textContent = "Copy"), 1500);
        };
        copy(exactText(button.parentElement.querySelector("code"))).then(
          () => said("Copied"),
          () => said("Not copied"),
        );
      });
    }
  }

  // -- tabs -----------------------------------------------------------------------------------

  function makeTabs() {
    for (const group of document.querySelectorAll(".tabs")) {
      const panels = [...group.querySelectorAll(".panel")];
      if (panels.length < 2) {
        for (const each of panels) each.querySelector(".tab-title").hidden = true;
        continue;
      }
      const list = element("div", { role: "tablist", class: "tablist", "aria-label": group.dataset.label });
      const buttons = panels.map((panel, number) => {
        const button = element(
          "button",
          { type: "button", role: "tab", id: "tab-" + panel.id, "aria-controls": panel.id },
          panel.dataset.title,
        );
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", button.id);
        button.addEventListener("click", () => choose(number));
        button.addEventListener("keydown", (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          event.preventDefault();
          const next = (number + step + panels.length) % panels.length;
          choose(next);
          buttons[next].focus();
        });
        return button;
      });
      const choose = (wanted) => {
        panels.forEach((panel, number) => {
          panel.hidden = number !== wanted;
          buttons[number].setAttribute("aria-selected", String(number === wanted));
          buttons[number].tabIndex = number === wanted ? 0 : -1;
        });
      };
      list.append(...buttons);
      group.prepend(list);
      group.classList.add("live");
      choose(0);
      onFragment((found) => {
        const number = panels.findIndex((panel) => panel.id === "sql=" + found.sql);
        if (number >= 0) choose(number);
      });
    }
  }

  // -- deep links -----------------------------------------------------------------------------

  const followers = [];
  function onFragment(follow) {
    followers.push(follow);
    follow(fragment());
  }

  /** Changes the address without going anywhere. */
  function setFragment(text) {
    const now = location.hash.slice(1);
    if (now === text || (!text && !now.startsWith("column="))) return;
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    for (const follow of followers) follow(fragment());
  }

  function markColumn(found) {
    for (const row of document.querySelectorAll(".columns tr[id]")) {
      const is = row.id === "column=" + found.column;
      row.classList.toggle("selected", is);
      if (is) row.querySelector(".column-name").setAttribute("aria-current", "true");
      else row.querySelector(".column-name").removeAttribute("aria-current");
    }
  }

  function openVersion(found) {
    if (found.version === undefined) return;
    const item = document.getElementById("version=" + found.version);
    const details = item && item.querySelector("details");
    if (details) details.open = true;
    if (item) item.scrollIntoView();
  }

  // -- search ---------------------------------------------------------------------------------

  const index = { names: null, files: [], texts: new Map(), loaded: 0 };

  /** Called by data/search/names.js. */
  function addNames(names, files) {
    index.names = names.map(([page, database, name, comment]) => ({
      page, database, name, comment,
      kind: page.slice(0, page.indexOf("/")),
      lower: name.toLowerCase(),
      full: (database + "." + name).toLowerCase(),
    }));
    index.files = files;
  }

  /** Called by data/search/text-….js. */
  function addTexts(rows) {
    for (const [page, columns, comment, sql] of rows) {
      index.texts.set(page, {
        columns: columns.map(([name, about]) => ({ name, about, lower: name.toLowerCase(), aboutLower: about.toLowerCase() })),
        comment, sql, commentLower: comment.toLowerCase(), sqlLower: sql.toLowerCase(),
      });
    }
  }

  async function loadIndex(changed) {
    await load("data/search/names.js");
    changed();
    for (const file of index.files) {
      await load(file);
      index.loaded += 1;
      changed();
    }
  }

  /** How well an object fits all words, and where; null where one of them is nowhere. */
  function fit(each, words) {
    const text = index.texts.get(each.page);
    let score = 0;
    let best = { score: 0 };
    for (const word of words) {
      const found = place(each, text, word);
      if (!found) return null;
      score += found.score;
      if (found.score > best.score || !best.where) best = found;
    }
    return { each, score, ...best, score };
  }

  function place(each, text, word) {
    if (each.lower === word || each.full === word) return { score: 1000, where: "name" };
    if (each.lower.startsWith(word)) return { score: 600 - each.lower.length, where: "name" };
    const inName = each.full.indexOf(word);
    if (inName >= 0) return { score: 400 - each.lower.length, where: "name" };
    if (!text) return null;
    let column = text.columns.find((one) => one.lower === word);
    if (column) return { score: 300, where: "column", column };
    column = text.columns.find((one) => one.lower.includes(word));
    if (column) return { score: 200, where: "column", column };
    if (text.commentLower.includes(word)) return { score: 120, where: "comment" };
    column = text.columns.find((one) => one.aboutLower.includes(word));
    if (column) return { score: 100, where: "comment of column", column };
    if (text.sqlLower.includes(word)) return { score: 40, where: "SQL" };
    return null;
  }

  const MOST = 50;

  function search(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length || !index.names) return { hits: [], total: 0, words };
    const found = [];
    for (const each of index.names) {
      const hit = fit(each, words);
      if (hit) found.push(hit);
    }
    found.sort((a, b) => b.score - a.score || (a.each.full < b.each.full ? -1 : 1));
    return { hits: found.slice(0, MOST), total: found.length, words };
  }

  /** Text in which the words are marked, cut around the first of them. */
  function snippet(text, words, css) {
    const lower = text.toLowerCase();
    const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((n) => n >= 0).concat(Infinity)));
    const from = at === Infinity || at < 40 ? 0 : at - 30;
    const cut = text.slice(from, from + 180).replace(/\s+/g, " ");
    const made = element("span", { class: "snippet " + css, dir: css === "sql" ? "ltr" : "auto" });
    if (from) made.append("… ");
    made.append(...marked(cut, words));
    return made;
  }

  function marked(text, words) {
    const lower = text.toLowerCase();
    if (lower.length !== text.length) return [visible(text)]; // some letters have no single small one
    const pieces = [];
    let place = 0;
    while (place < text.length) {
      let at = -1;
      let length = 0;
      for (const word of words) {
        const found = lower.indexOf(word, place);
        if (found >= 0 && (at < 0 || found < at)) [at, length] = [found, word.length];
      }
      if (at < 0) break;
      pieces.push(visible(text.slice(place, at)), element("mark", {}, text.slice(at, at + length)));
      place = at + length;
    }
    pieces.push(visible(text.slice(place)));
    return pieces;
  }

  function option(hit, number, words) {
    const { each, where, column } = hit;
    const text = index.texts.get(each.page);
    const target = addressOf(each.page, where.includes("column") ? column.name : undefined);
    const line = element(
      "span", { class: "hit" },
      element("span", { class: "icon icon-" + each.kind, "aria-hidden": "true" }),
      element("bdi", {}, ...marked(each.name, words)),
      where.includes("column") ? element("bdi", { class: "comment" }, ...marked(column.name, words)) : null,
      element("span", { class: "where" }, where === "name" ? each.kind + " in " + each.database : where),
    );
    let about = null;
    if (where === "SQL") about = snippet(text.sql, words, "sql");
    else if (where === "comment") about = snippet(text.comment, words, "");
    else if (where === "comment of column") about = snippet(column.about, words, "");
    else if (each.comment) about = snippet(each.comment, words, "");
    const made = element("div", { role: "option", id: "hit-" + number, "aria-selected": "false" }, line, about);
    made.dataset.href = target;
    return made;
  }

  function makeSearch() {
    const opener = document.querySelector(".search-open");
    const input = element("input", {
      type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": "search-results",
      "aria-autocomplete": "list", "aria-label": "Search views, columns, comments and SQL",
      placeholder: "Search views, columns, comments, SQL", autocomplete: "off", spellcheck: "false",
      maxlength: "500",
    });
    const close = element("button", { type: "button" }, "Esc");
    const results = element("div", { role: "listbox", id: "search-results", class: "results", "aria-label": "Results" });
    const said = element("span", { role: "status" });
    const keys = element("span", { class: "keys" }, "↑ ↓ to choose, Enter to open");
    const dialog = element(
      "dialog", { class: "search", "aria-label": "Search" },
      element("div", { class: "field" }, input, close), results,
      element("div", { class: "state" }, said, keys),
    );
    document.body.append(dialog);
    let chosen = -1;

    const choose = (number) => {
      const options = results.children;
      if (options[chosen]) options[chosen].setAttribute("aria-selected", "false");
      chosen = options.length ? (number + options.length) % options.length : -1;
      if (chosen < 0) return input.removeAttribute("aria-activedescendant");
      options[chosen].setAttribute("aria-selected", "true");
      options[chosen].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", options[chosen].id);
    };
    const state = (total) => {
      if (!index.names) return "Loading …";
      const rest = index.files.length - index.loaded;
      const more = rest > 0 ? " – still reading columns and SQL" : "";
      if (!input.value.trim()) return `${index.names.length.toLocaleString("en")} objects${more}`;
      if (total > MOST) return `${total.toLocaleString("en")} found, the first ${MOST} shown${more}`;
      return (total ? `${total} found` : "Nothing found") + more;
    };
    let before = "";
    const show = () => {
      const { hits, total, words } = search(input.value);
      const kept = before === input.value ? chosen : 0;
      before = input.value;
      chosen = -1;
      results.replaceChildren(...hits.map((hit, number) => option(hit, number, words)));
      input.setAttribute("aria-expanded", String(hits.length > 0));
      if (hits.length) choose(Math.min(Math.max(kept, 0), hits.length - 1));
      else input.removeAttribute("aria-activedescendant");
      said.textContent = state(total);
    };
    const go = (made) => {
      if (!made) return;
      dialog.close();
      location.href = made.dataset.href;
    };
    const open = () => {
      if (dialog.open) return;
      dialog.showModal();
      input.select();
      show();
      loadIndex(show).catch(() => (said.textContent = "The index cannot be read: build the site again."));
    };

    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") choose(chosen + 1);
      else if (event.key === "ArrowUp") choose(chosen - 1);
      else if (event.key === "Enter") go(results.children[Math.max(chosen, 0)]);
      else return;
      event.preventDefault();
    });
    results.addEventListener("click", (event) => go(event.target.closest("[role=option]")));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    close.addEventListener("click", () => dialog.close());
    opener.hidden = false;
    opener.addEventListener("click", open);
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest && event.target.closest("input, textarea, select");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") {
        event.preventDefault();
        open();
      }
    });
  }

  // -- the rest -------------------------------------------------------------------------------

  /** Marks the section that is read in the list of sections. */
  function followScrolling() {
    const links = new Map([...document.querySelectorAll(".toc a")].map((a) => [a.hash.slice(1), a]));
    if (!links.size || !("IntersectionObserver" in window)) return;
    const seen = new Set();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const each of entries) {
          if (each.isIntersecting) seen.add(each.target.id);
          else seen.delete(each.target.id);
        }
        let first = true;
        for (const [id, link] of links) {
          if (first && seen.has(id)) {
            link.setAttribute("aria-current", "true");
            first = false;
          } else link.removeAttribute("aria-current");
        }
      },
      { rootMargin: "-80px 0px -40% 0px" },
    );
    for (const id of links.keys()) {
      const found = document.getElementById(id);
      if (found) observer.observe(found);
    }
  }

  /** Paper cannot be unfolded. */
  function unfoldToPrint() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const each of opened) each.open = true;
    });
    addEventListener("afterprint", () => {
      for (const each of opened) each.open = false;
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    offerCopies();
    makeTabs();
    makeSearch();
    onFragment(markColumn);
    onFragment(openVersion);
    followScrolling();
    unfoldToPrint();
    addEventListener("hashchange", () => {
      for (const follow of followers) follow(fragment());
    });
  });

  return { root, subject, load, visible, element, addressOf, fragment, onFragment, setFragment, addNames, addTexts };
})();
