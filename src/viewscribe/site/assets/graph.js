// The picture of lineage: the neighbourhood of an object, with its columns, laid out by dagre.
// Only what is shown is loaded: each object has a data file of its own.
"use strict";

(() => {
  const { element, visible, load, addressOf } = viewscribe;
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 218; // of an object with its columns; in the picture of all, they are smaller
  const HEAD = 32;
  const ROW = 21;
  const SOURCES_AT_FIRST = 12;
  const READERS_AT_FIRST = 8;
  const MOST_COLUMNS = 40;
  const MOST_ON_PATH = 80;
  const MOST_IN_OVERVIEW = 150;

  const objects = new Map();
  let overview = null;

  /** Called by the data file of an object. */
  viewscribe.addObject = (data) => objects.set(data.id, data);
  /** Called by data/overview.js. */
  viewscribe.addOverview = (rows) => (overview = rows);

  function svg(tag, attributes, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value != null) made.setAttribute(name, value);
    }
    for (const each of children) {
      if (each != null) made.append(typeof each === "string" ? visible(each) : each);
    }
    return made;
  }

  const short = (text, most) => {
    const letters = Array.from(visible(text));
    return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
  };
  const same = (a, b) => a != null && b != null && a.toLowerCase() === b.toLowerCase();
  const port = (key, column) => key + "\n" + (column == null ? "" : column.toLowerCase());

  async function need(page) {
    if (!objects.has(page)) await load("data/" + page + ".js");
    return objects.get(page);
  }
  async function needAll(pages) {
    await Promise.all(pages.map((each) => need(each).catch(() => null)));
  }

  /** What an object reads, as keys: pages, or names that have no page. */
  function sourceKeys(data) {
    return data.places.map(([page, label]) => page || "?" + label);
  }

  class Graph {
    constructor(place) {
      this.place = place;
      this.subject = place.dataset.graph === "*" ? null : place.dataset.graph;
      this.shown = new Set();
      this.open = new Set();
      this.labels = new Map();
      this.chosen = null;
      this.path = null;
      this.withRows = false;
      this.view = { x: 0, y: 0, k: 1 };
      this.focused = null;
      this.width = WIDTH;
      this.gap = 22;
      this.makeFrame();
    }

    // -- the frame ----------------------------------------------------------------------------

    makeFrame() {
      const button = (label, title, act) => {
        const made = element("button", { type: "button", title, "aria-label": title }, label);
        made.addEventListener("click", act);
        return made;
      };
      const rows = element("input", { type: "checkbox" });
      rows.addEventListener("change", () => {
        this.withRows = rows.checked;
        this.draw();
        this.fit();
      });
      this.wholeButton = button("Full window", "Use the full window", () => this.toggleWhole());
      this.tools = element(
        "div", { class: "tools", role: "toolbar", "aria-label": "Picture" },
        button("−", "Smaller", () => this.zoom(1 / 1.25)),
        button("+", "Larger", () => this.zoom(1.25)),
        button("Fit", "Show all of it", () => this.fit()),
        element("label", {}, rows, "What decides the rows"),
        element("span", { class: "space" }),
        this.wholeButton,
      );
      this.canvas = svg("svg", { role: "group", "aria-label": "Lineage" });
      this.layer = svg("g", {});
      this.canvas.append(this.layer);
      this.said = element("div", { class: "path", "aria-live": "polite" });
      this.said.hidden = true;
      this.hint = element(
        "p", { class: "hint" },
        "Choose a column to see where it comes from. Drag to move; Ctrl and wheel, or two fingers, to zoom; arrows go from column to column.",
      );
      this.place.replaceChildren(this.tools, this.canvas, this.said, this.hint);
      this.listen();
    }

    toggleWhole(on = !this.place.classList.contains("whole")) {
      this.place.classList.toggle("whole", on);
      this.wholeButton.textContent = on ? "Close" : "Full window";
      this.wholeButton.setAttribute("aria-label", on ? "Leave the full window" : "Use the full window");
      document.body.style.overflow = on ? "hidden" : "";
      this.fit();
    }

    listen() {
      const pointers = new Map();
      let moved = false;
      this.canvas.addEventListener("pointerdown", (event) => {
        pointers.set(event.pointerId, event);
        moved = false;
      });
      addEventListener("pointermove", (event) => {
        const last = pointers.get(event.pointerId);
        if (!last) return;
        const others = [...pointers.values()].filter((each) => each.pointerId !== event.pointerId);
        const dx = event.clientX - last.clientX;
        const dy = event.clientY - last.clientY;
        if (!moved && Math.hypot(dx, dy) < 4 && !others.length) return;
        moved = true;
        this.canvas.classList.add("dragged");
        if (others.length) {
          const [other] = others;
          const distance = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY);
          if (distance(last) > 0) this.zoom(distance(event) / distance(last), event);
        } else {
          this.view.x += dx;
          this.view.y += dy;
          this.move();
        }
        pointers.set(event.pointerId, event);
      });
      for (const kind of ["pointerup", "pointercancel"]) {
        addEventListener(kind, (event) => {
          pointers.delete(event.pointerId);
          this.canvas.classList.remove("dragged");
        });
      }
      this.canvas.addEventListener("click", (event) => {
        if (!moved) return;
        event.preventDefault();
        event.stopPropagation();
      }, true);
      this.canvas.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey && !this.place.classList.contains("whole")) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * 0.0022), event);
      }, { passive: false });
      this.canvas.addEventListener("keydown", (event) => this.pressed(event));
      this.place.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        if (this.chosen) this.choose(null);
        else if (this.place.classList.contains("whole")) this.toggleWhole(false);
      });
      addEventListener("beforeprint", () => this.fit());
    }

    pressed(event) {
      const act = { "+": () => this.zoom(1.25), "-": () => this.zoom(1 / 1.25), "0": () => this.fit() }[event.key];
      if (act) {
        act();
        event.preventDefault();
        return;
      }
      const at = event.target.closest("[data-focus]");
      if (!at) return;
      if (event.key === "Enter" || event.key === " ") {
        if (at.tagName === "a") return;
        at.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        event.preventDefault();
      } else if (event.key.startsWith("Arrow")) {
        this.step(at, event.key);
        event.preventDefault();
      }
    }

    /** Focuses what is nearest in the direction of an arrow. */
    step(from, key) {
      const [dx, dy] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
      const centre = (node) => {
        const box = node.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      };
      const [x, y] = centre(from);
      let best = null;
      for (const each of this.layer.querySelectorAll("[data-focus]")) {
        if (each === from) continue;
        const inside = each.closest(".node") === from.closest(".node");
        if (dx && inside && !each.classList.contains("more")) continue; // columns lie below each other
        const [ex, ey] = centre(each);
        const along = (ex - x) * dx + (ey - y) * dy;
        const across = Math.abs((ex - x) * dy) + Math.abs((ey - y) * dx);
        if (along < 3) continue;
        const cost = along + across * (dx ? 0.7 : 4);
        if (!best || cost < best.cost) best = { cost, each };
      }
      if (best) this.focus(best.each);
    }

    focus(node) {
      for (const each of this.layer.querySelectorAll('[data-focus][tabindex="0"]')) each.setAttribute("tabindex", "-1");
      node.setAttribute("tabindex", "0");
      node.focus({ preventScroll: true });
      this.focused = node.dataset.focus;
      const box = node.getBoundingClientRect();
      const frame = this.canvas.getBoundingClientRect();
      if (box.left < frame.left) this.view.x += frame.left - box.left + 20;
      if (box.right > frame.right) this.view.x -= box.right - frame.right + 20;
      if (box.top < frame.top) this.view.y += frame.top - box.top + 20;
      if (box.bottom > frame.bottom) this.view.y -= box.bottom - frame.bottom + 20;
      this.move();
    }

    // -- what is shown ------------------------------------------------------------------------

    async start(subject) {
      this.subject = subject;
      this.shown = new Set([subject]);
      this.chosen = this.path = null;
      const data = await need(subject);
      this.label(subject, data.label);
      this.addSources(data, SOURCES_AT_FIRST);
      this.addReaders(data, READERS_AT_FIRST);
      await needAll(this.pages());
      this.draw();
      this.fit();
      this.tell();
    }

    pages() {
      return [...this.shown].filter((key) => !key.startsWith("?"));
    }

    label(key, text) {
      this.labels.set(key, text);
    }

    addSources(data, most) {
      const hidden = data.places.filter(([page, label]) => !this.shown.has(page || "?" + label));
      for (const [page, label] of hidden.slice(0, most)) {
        this.shown.add(page || "?" + label);
        this.label(page || "?" + label, label);
      }
    }

    addReaders(data, most) {
      for (const page of data.readers.filter((each) => !this.shown.has(each)).slice(0, most)) this.shown.add(page);
    }

    async expand(key, direction) {
      const data = await need(key);
      if (direction < 0) this.addSources(data, SOURCES_AT_FIRST);
      else this.addReaders(data, SOURCES_AT_FIRST);
      await needAll(this.pages());
      if (this.chosen) await this.follow();
      this.draw();
      this.fit();
    }

    async choose(chosen) {
      const again = chosen && this.chosen && chosen.key === this.chosen.key && same(chosen.column, this.chosen.column);
      this.chosen = again ? null : chosen;
      this.path = null;
      const before = this.shown.size;
      if (this.chosen) await this.follow();
      this.draw();
      if (this.shown.size !== before) this.fit();
      this.tell();
      if (this.subject && viewscribe.subject === this.subject) {
        const own = this.chosen && this.chosen.key === this.subject;
        viewscribe.setFragment(own ? "column=" + encodeURIComponent(visible(this.chosen.column)) : "");
      }
    }

    /** Follows the chosen column up to the tables, and down as far as the picture goes. */
    async follow() {
      const path = { ports: new Map(), edges: new Set(), sources: [], feeds: [], gaps: [], own: "", cut: false };
      const start = this.chosen;
      path.ports.set(port(start.key, start.column), "chosen");
      let level = [start];
      let indirect = []; // followed once all that values come from is known
      while (level.length || indirect.length) {
        if (!level.length) {
          level = indirect.filter((each) => this.enter(path, each));
          indirect = [];
          continue;
        }
        const keys = [...new Set(level.map((each) => each.key))].filter((key) => !key.startsWith("?"));
        const wanted = keys.filter((key) => !objects.has(key));
        if (objects.size + wanted.length > MOST_ON_PATH + this.shown.size) {
          path.cut = true;
          break;
        }
        await needAll(wanted);
        const next = [];
        for (const target of level) {
          const data = objects.get(target.key);
          const steps = data ? data.values.filter(([, , index]) => same(data.columns[index][0], target.column)) : [];
          const isView = data && data.kind === "view";
          const lacks = isView && !data.columns.some(([name]) => same(name, target.column));
          const gap = data ? data.gap || (lacks && "has no such column") : target.gap;
          if (!steps.length && gap) path.gaps.push({ ...target, words: gap });
          else if (!steps.length && isView) path.own = data.rows.length ? "of its own, or of the rows" : "of its own";
          for (const [number, column, , words, isValue] of steps) {
            const [page, label, gap] = data.places[number];
            const key = page || "?" + label;
            if (column == null) continue;
            path.edges.add(port(key, column) + "\r" + port(target.key, target.column));
            const found = { key, label, column, words: target.isIndirect ? target.words : words, gap, isIndirect: target.isIndirect || !isValue };
            if (found.isIndirect && !target.isIndirect) indirect.push(found);
            else if (this.enter(path, found)) next.push(found);
          }
        }
        level = next;
      }
      await needAll(this.pages());
      this.followDown(path);
      this.path = path;
    }

    /** Adds a column to a path, unless it is on it. */
    enter(path, found) {
      const { key, label, column } = found;
      if (path.ports.has(port(key, column))) return false;
      path.ports.set(port(key, column), "on");
      this.shown.add(key);
      this.label(key, label);
      path.sources.push(found);
      return true;
    }

    followDown(path) {
      let level = [this.chosen];
      const seen = new Set([port(this.chosen.key, this.chosen.column)]);
      while (level.length) {
        const next = [];
        for (const key of this.pages()) {
          const data = objects.get(key);
          if (!data) continue;
          for (const [number, column, index, words] of data.values) {
            if (column == null) continue;
            const [page, label] = data.places[number];
            const from = port(page || "?" + label, column);
            if (!level.some((each) => port(each.key, each.column) === from)) continue;
            const target = { key, label: data.label, column: data.columns[index][0], words };
            const to = port(key, target.column);
            path.edges.add(from + "\r" + to);
            if (seen.has(to)) continue;
            seen.add(to);
            path.ports.set(to, "on");
            path.feeds.push(target);
            next.push(target);
          }
        }
        level = next;
      }
    }

    // -- drawing ------------------------------------------------------------------------------

    /** The edges between what is shown: of columns, and of objects that share none. */
    edges() {
      const found = [];
      for (const key of this.pages()) {
        const data = objects.get(key);
        if (!data) continue;
        const keys = sourceKeys(data);
        const joined = new Set();
        const add = (number, column, target, indirect) => {
          if (!this.shown.has(keys[number]) || keys[number] === key) return;
          joined.add(number);
          found.push({ from: keys[number], column, to: key, target, indirect });
        };
        for (const [number, column, index, , isValue] of data.values) {
          if (column == null) continue;
          if (isValue) add(number, column, data.columns[index][0], false);
          else if (this.withRows) add(number, column, data.columns[index][0], true);
        }
        if (this.withRows) for (const [number, column] of data.rows) add(number, column, null, true);
        keys.forEach((_, number) => joined.has(number) || add(number, null, null, true));
      }
      return found;
    }

    model() {
      const edges = this.edges();
      const used = new Map([...this.shown].map((key) => [key, new Set()]));
      for (const each of edges) {
        if (each.column != null) used.get(each.from).add(each.column.toLowerCase());
        if (each.target != null) used.get(each.to).add(each.target.toLowerCase());
      }
      if (this.chosen && used.has(this.chosen.key)) used.get(this.chosen.key).add(this.chosen.column.toLowerCase());
      const nodes = [...this.shown].map((key) => this.node(key, used.get(key)));
      return { nodes, edges };
    }

    node(key, used) {
      const data = objects.get(key);
      const all = data ? data.columns : [...used].map((name) => [name, ""]);
      const most = key === this.subject ? MOST_COLUMNS : this.open.has(key) ? Infinity : 0;
      const columns = all.filter(([name], number) => number < most || used.has(name.toLowerCase()));
      const rest = all.length - columns.length;
      const height = HEAD + columns.length * ROW + (rest ? ROW : 0) + (columns.length || rest ? 6 : 0);
      const hidden = data
        ? [sourceKeys(data).filter((each) => !this.shown.has(each)).length, data.readers.filter((each) => !this.shown.has(each)).length]
        : [0, 0];
      return { key, data, columns, rest, height, hidden, label: data ? data.label : this.labels.get(key) || key };
    }

    draw() {
      const { nodes, edges } = this.model();
      const graph = new dagre.graphlib.Graph();
      graph.setGraph({ rankdir: "LR", nodesep: this.gap, ranksep: 96, marginx: 20, marginy: 20 });
      graph.setDefaultEdgeLabel(() => ({}));
      for (const each of nodes) graph.setNode(each.key, { width: this.width, height: each.height });
      for (const each of edges) graph.setEdge(each.from, each.to);
      dagre.layout(graph);
      this.size = graph.graph();
      const places = new Map();
      for (const each of nodes) {
        const { x, y } = graph.node(each.key);
        each.x = x - this.width / 2;
        each.y = y - each.height / 2;
        places.set(each.key, each);
      }
      const lines = edges.map((each) => this.drawEdge(each, places));
      lines.sort((a, b) => a.classList.contains("on") - b.classList.contains("on"));
      this.layer.replaceChildren(...lines, ...nodes.map((each) => this.drawNode(each)));
      this.canvas.classList.toggle("choosing", Boolean(this.path));
      this.place.classList.toggle("choosing", Boolean(this.path));
      this.canvas.setAttribute("aria-label", `Lineage: ${nodes.length} views and tables. Arrows go from column to column, Enter chooses one.`);
      this.restoreFocus();
      this.move();
    }

    restoreFocus() {
      const all = [...this.layer.querySelectorAll("[data-focus]")];
      const had = this.focused && all.find((each) => each.dataset.focus === this.focused);
      const active = document.activeElement === document.body || this.place.contains(document.activeElement);
      const first = had || all[0];
      if (first) first.setAttribute("tabindex", "0");
      if (had && active) had.focus({ preventScroll: true });
    }

    rowPlace(node, column) {
      const number = column == null ? -1 : node.columns.findIndex(([name]) => same(name, column));
      return node.y + (number < 0 ? HEAD / 2 : HEAD + number * ROW + ROW / 2);
    }

    drawEdge(edge, places) {
      const from = places.get(edge.from);
      const to = places.get(edge.to);
      const [x1, y1] = [from.x + this.width, this.rowPlace(from, edge.column)];
      const [x2, y2] = [to.x, this.rowPlace(to, edge.target)];
      const bend = Math.max(36, Math.abs(x2 - x1) / 2);
      const on = this.path && this.path.edges.has(port(edge.from, edge.column) + "\r" + port(edge.to, edge.target));
      return svg("path", {
        d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`,
        class: "edge" + (edge.indirect ? " indirect" : "") + (on ? " on" : ""),
      });
    }

    drawNode(node) {
      const { key, data } = node;
      const kind = data ? data.kind : "missing";
      const css = `node ${kind}${key === this.subject ? " subject" : ""}${data && data.error ? " damaged" : ""}`;
      const made = svg("g", { class: css, transform: `translate(${node.x},${node.y})` });
      made.append(
        svg("rect", { class: "card", width: this.width, height: node.height, rx: 9 }),
        svg("rect", { class: "mark", x: 11, y: 11, width: 10, height: 10, rx: 3 }),
        this.drawTitle(node),
      );
      if (node.columns.length || node.rest) made.append(svg("line", { class: "head-line", x1: 0, x2: this.width, y1: HEAD, y2: HEAD }));
      node.columns.forEach((column, number) => made.append(this.drawColumn(node, column, number)));
      if (node.rest) made.append(this.drawRest(node));
      if (data && node.hidden[0]) made.append(this.drawMore(node, -1));
      if (data && node.hidden[1]) made.append(this.drawMore(node, 1));
      return made;
    }

    drawTitle(node) {
      const text = svg("text", { class: "title", x: 29, y: 20.5 }, short(node.label, Math.floor((this.width - 36) / 7.2)));
      const full = svg("title", {}, node.label);
      if (!node.data) return svg("g", {}, full, text);
      const way = svg("a", { href: addressOf(node.key), tabindex: -1, "data-focus": node.key, "aria-label": `${node.data.kind} ${visible(node.label)}` }, full, text);
      if (viewscribe.subject === "") {
        way.setAttribute("href", "#object=" + encodeURIComponent(node.key));
      }
      return way;
    }

    drawColumn(node, [name, type], number) {
      const state = this.path && this.path.ports.get(port(node.key, name));
      const made = svg(
        "g",
        {
          class: "column" + (state ? " " + state : ""), role: "button", tabindex: -1,
          "data-focus": port(node.key, name), "aria-pressed": String(state === "chosen"),
          "aria-label": `column ${visible(name)} of ${visible(node.label)}${type ? ", " + visible(type) : ""}`,
          transform: `translate(0,${HEAD + number * ROW + 3})`,
        },
        svg("title", {}, type ? `${name} ${type}` : name),
        svg("rect", { x: 4, y: 0.5, width: this.width - 8, height: ROW - 1, rx: 5 }),
        svg("text", { x: 12, y: 14.5 }, short(name, 27)),
      );
      made.addEventListener("click", () => {
        this.focused = made.dataset.focus;
        this.choose({ key: node.key, label: node.label, column: name });
      });
      return made;
    }

    drawRest(node) {
      const label = `${node.rest} more column${node.rest === 1 ? "" : "s"}`;
      const made = svg(
        "g",
        { class: "column rest-row", role: "button", tabindex: -1, "data-focus": node.key + "\nrest", "aria-label": `${label} of ${visible(node.label)}`, transform: `translate(0,${HEAD + node.columns.length * ROW + 3})` },
        svg("rect", { x: 4, y: 0.5, width: this.width - 8, height: ROW - 1, rx: 5 }),
        svg("text", { class: "rest", x: 12, y: 14.5 }, "+ " + label),
      );
      made.addEventListener("click", () => {
        this.open.add(node.key);
        this.draw();
      });
      return made;
    }

    drawMore(node, direction) {
      const count = node.hidden[direction < 0 ? 0 : 1];
      const what = direction < 0 ? "sources" : "readers";
      const made = svg(
        "g",
        { class: "more", role: "button", tabindex: -1, "data-focus": node.key + "\n" + what, "aria-label": `Show ${count} more ${what} of ${visible(node.label)}`, transform: `translate(${direction < 0 ? 0 : this.width},${HEAD / 2})` },
        svg("title", {}, `${count} more ${what}`),
        svg("circle", { r: 12 }),
        svg("text", { y: 4 }, count > 99 ? "99+" : "+" + count),
      );
      made.addEventListener("click", () => this.expand(node.key, direction));
      return made;
    }

    // -- words --------------------------------------------------------------------------------

    /** Says in words what the picture shows of the chosen column. */
    tell() {
      this.said.hidden = !this.chosen || !this.path;
      this.hint.hidden = !this.said.hidden;
      if (this.said.hidden) return this.said.replaceChildren();
      const isTable = (key) => key.startsWith("?") || (objects.get(key) || {}).kind !== "view";
      const { sources, feeds, gaps, own, cut } = this.path;
      const tables = sources.filter((each) => isTable(each.key) && !each.gap);
      const line = (title, several, nothing) => {
        if (!several.length && !nothing) return null;
        const chips = several.map((each) => this.chip(each));
        const value = chips.length ? element("span", { class: "chips" }, chips) : element("span", { class: "empty" }, nothing);
        return element("div", {}, element("dt", {}, title), element("dd", {}, value));
      };
      const others = tables.filter((each) => each.isIndirect);
      const nothing = others.length ? "no column" : own ? `no column: it is a value ${own}` : gaps.length || cut ? "unknown" : "unknown: views read each other in a circle";
      const rows = [
        line("comes from tables", tables.filter((each) => !each.isIndirect), isTable(this.chosen.key) ? null : nothing),
        line("depends on, in tables", others),
        line("unknown beyond", gaps),
        line("through", sources.filter((each) => !isTable(each.key))),
        line("feeds, as shown", feeds),
      ];
      if (cut) rows.push(element("p", { class: "empty" }, "The way is longer than is shown here."));
      this.said.replaceChildren(
        element("h3", {}, element("bdi", {}, `${this.chosen.label}.${this.chosen.column}`)),
        element("dl", {}, ...rows),
      );
    }

    chip({ key, label, column, words }) {
      const shown = element("bdi", {}, element("span", { class: "owner" }, label + "."), column);
      const word = words ? element("small", {}, words) : null;
      if (key.startsWith("?")) return element("span", { class: "chip missing" }, shown, word);
      return element("a", { class: "chip", href: addressOf(key, column) }, shown, word);
    }

    // -- the window ---------------------------------------------------------------------------

    zoom(factor, at) {
      const frame = this.canvas.getBoundingClientRect();
      const [x, y] = at ? [at.clientX - frame.x, at.clientY - frame.y] : [frame.width / 2, frame.height / 2];
      const k = Math.min(3, Math.max(0.08, this.view.k * factor));
      this.view.x = x - ((x - this.view.x) * k) / this.view.k;
      this.view.y = y - ((y - this.view.y) * k) / this.view.k;
      this.view.k = k;
      this.move();
    }

    /** Shows all of it: as wide as there is room, and then as high as that needs, within reason. */
    fit() {
      if (!this.size || !this.size.width) return;
      const isWhole = this.place.classList.contains("whole");
      const width = this.canvas.getBoundingClientRect().width;
      if (!width) return;
      if (isWhole) this.canvas.style.height = "";
      else {
        const wanted = this.size.height * Math.min(1, width / this.size.width);
        const most = this.place.classList.contains("tall") ? 2400 : 620;
        this.canvas.style.height = `${Math.round(Math.min(Math.max(wanted, 170), most))}px`;
      }
      const height = this.canvas.getBoundingClientRect().height;
      const k = Math.max(0.08, Math.min(1, width / this.size.width, height / this.size.height));
      this.view = { k, x: (width - this.size.width * k) / 2, y: (height - this.size.height * k) / 2 };
      this.move();
    }

    move() {
      const { x, y, k } = this.view;
      this.layer.setAttribute("transform", `translate(${x},${y}) scale(${k})`);
    }
  }

  // -- the page of the whole catalog -------------------------------------------------------------

  class Overview extends Graph {
    constructor(place) {
      super(place);
      const list = element("datalist", { id: "lineage-names" });
      const field = element("input", {
        type: "search", class: "search-field", list: "lineage-names", placeholder: "Choose a view or table",
        "aria-label": "Choose a view or table", autocomplete: "off", maxlength: "500",
      });
      const all = element("button", { type: "button" }, "Whole catalog");
      all.addEventListener("click", () => (location.hash = ""));
      field.addEventListener("input", () => this.offer(field, list));
      field.addEventListener("change", () => this.offer(field, list, true));
      this.tools.prepend(field, list, all);
    }

    offer(field, list, isDone) {
      const wanted = field.value.toLowerCase();
      const found = overview.filter(([, label]) => label.toLowerCase().includes(wanted));
      list.replaceChildren(...found.slice(0, 30).map(([, label]) => element("option", { value: label })));
      const exact = found.find(([, label]) => label.toLowerCase() === wanted) || (isDone && found[0]);
      if (exact && wanted) location.hash = "object=" + encodeURIComponent(exact[0]);
    }

    async show(page) {
      if (!overview) await load("data/overview.js");
      this.hint.hidden = false;
      if (overview.some(([each]) => each === page)) return this.start(page);
      this.subject = null;
      this.chosen = this.path = null;
      this.tell();
      this.gone = page ? `${page} is not in this catalog. ` : "";
      if (overview.length > MOST_IN_OVERVIEW || !overview.length) {
        this.layer.replaceChildren();
        this.size = null;
        this.hint.textContent = visible(this.gone) + (overview.length
          ? `${overview.length.toLocaleString("en")} views and tables are too many for one picture: choose one above.`
          : "There are no views or tables.");
        return;
      }
      this.shown = new Set(overview.map(([each]) => each));
      this.drawAll();
    }

    drawAll() {
      const edges = [];
      overview.forEach(([page, , reads]) => reads.forEach((number) => {
        if (overview[number][0] !== page) edges.push({ from: overview[number][0], to: page, column: null, target: null });
      }));
      const longest = Math.max(...overview.map(([, label]) => Array.from(label).length));
      this.width = Math.min(WIDTH, 44 + Math.round(longest * 7.6));
      this.gap = 8;
      this.model = () => ({
        nodes: overview.map(([key, label]) => ({
          key, label, columns: [], rest: 0, height: HEAD, hidden: [0, 0],
          data: { kind: key.slice(0, key.indexOf("/")) },
        })),
        edges,
      });
      this.draw();
      delete this.model;
      [this.width, this.gap] = [WIDTH, 22];
      this.fit();
      this.hint.textContent = visible(this.gone) + "Choose a view or table to see its columns.";
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    const place = document.querySelector("[data-graph]");
    if (!place) return;
    const failed = () => {
      place.replaceChildren(element("p", { class: "status" }, "The data of the picture cannot be read: build the site again."));
    };
    if (place.dataset.graph === "*") {
      const graph = new Overview(place);
      viewscribe.onFragment((found) => graph.show(found.object).catch(failed));
      return;
    }
    const graph = new Graph(place);
    const begin = () =>
      graph
        .start(graph.subject)
        .then(() =>
          viewscribe.onFragment((found) => {
            const data = objects.get(graph.subject);
            const column = data.columns.find(([name]) => visible(name) === found.column);
            const is = graph.chosen && graph.chosen.key === graph.subject && column && same(graph.chosen.column, column[0]);
            const isOver = !location.hash && graph.chosen && graph.chosen.key === graph.subject;
            if (isOver) graph.choose(null);
            if (column && !is) graph.choose({ key: graph.subject, label: data.label, column: column[0] });
          }),
        )
        .catch(failed);
    begin();
  });
})();
