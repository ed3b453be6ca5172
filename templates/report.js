"use strict";
// Shows the rows that fit the filters, and keeps the filters in the address. What a catalog says
// is put into the page as text only, never as HTML.
(() => {
  const FIRST = 150, MORE = 1000, PRINTED = 3000;
  const SORTS = ["worst", "package", "specs"];
  const FIELDS = ["q", "stack", "tag"];

  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const number = (value) => value.toLocaleString("en-US");
  const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
  const form = byId("controls"), body = byId("rows"), fields = form.elements;
  const boxes = [...form.querySelectorAll("input[name=status]")];
  let order = "worst", stack = "", shown = [], heads = new Map(), drawn = 0, dependencies = "", cause = -1, columns = [];

  const rows = data.rows.map(
    ([tag, package_, link, worst, dependency, moves, cells, causes, stacks, groups, specs], place) =>
      ({ tag, package: package_, link, worst, dependency, moves, cells, causes, groups, specs, place,
        inStack: new Map(stacks.map(([stack, specs, worst]) => [stack, { specs, worst }])) }));
  const numberOfPackages = packagesOf(rows), severalTags = data.tags.length > 1;

  function make(name, className, ...content) {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...content);
    return element;
  }

  const checked = () => boxes.filter((box) => box.checked).map((box) => box.value);

  // --- Which rows fit ---

  // What is said of a row in the stack that was chosen, or in all.
  const part = (row) => stack ? row.inStack.get(stack) : row;
  const isIn = (place) => !stack || data.places[place].includes(stack);
  const pairsOf = ([, , , why, , pairs]) => cause < 0 || why === cause ? pairs.filter((pair) => isIn(pair.at(-1))) : [];
  const specsOf = (row) => cause < 0 ? part(row).specs : row.groups.reduce((sum, group) => sum + pairsOf(group).length, 0);
  const classOf = (row) => data.classes[part(row).worst];

  // Packages have two rows where something happened to them as products, and as dependencies too.
  function packagesOf(some) {
    return new Set(some.map((row) => row.package)).size;
  }

  const plain = (text) => text.toLowerCase().replaceAll('"', "");

  // All that can be searched for in a row; made when it is first needed.
  function textOf(row) {
    return row.text ??= [
      row.package, data.classes[row.worst].words, row.tag,
      ...row.moves.map(([, words]) => words), ...row.cells, ...row.inStack.keys(),
      ...row.causes.map((number) => data.causes[number]),
      ...row.groups.flatMap(([, differences, built, , reason, pairs]) => [
        reason, ...differences.flat(), ...data.built[built], ...pairs.flatMap((pair) => pair.slice(0, -1)),
      ]),
    ].map(plain).join("\n");
  }

  function choose() {
    const wanted = checked(), tag = fields.tag.value, all = fields.dependencies.checked;
    stack = fields.stack.value;
    columns = data.columns.includes(stack) ? [stack] : data.columns;
    // Words in any order, and what is in quotes as it is.
    const words = [...fields.q.value.toLowerCase().matchAll(/"([^"]*)"?|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word);
    // A whole cause stands for the specs that have it, and is not searched for in others.
    cause = data.lists_all && words.length === 1 ? data.causes.findIndex((it) => plain(it) === words[0]) : -1;
    const fitting = rows.filter((row) => (!tag || row.tag === tag) && (!stack || row.inStack.has(stack))
      && (cause < 0 ? words.every((word) => textOf(row).includes(word)) : specsOf(row)));
    countClasses(all ? fitting : fitting.filter((row) => !row.dependency));
    const chosen = fitting.filter((row) => !wanted.length || wanted.includes(classOf(row).name));
    countDependencies(chosen.filter((row) => row.dependency).length);
    shown = all ? chosen : chosen.filter((row) => !row.dependency);
    arrange(words);
  }

  // What is called so comes first, then what has all words in its name, then what is worst.
  function arrange(words) {
    for (const row of shown) {
      const name = row.package.toLowerCase();
      row.named = words.join(" ") === name ? 2 : Number(words.every((word) => name.includes(word)));
    }
    const isMixed = new Set(shown.map((row) => row.named > 0)).size > 1;
    const keys = {
      worst: (row) => (2 * classOf(row).is_quiet + row.dependency) * 100 + part(row).worst,
      package: (row) => row.package,
      specs: (row) => -specsOf(row),
    };
    const key = keys[order], compare = (a, b) => a < b ? -1 : Number(a > b);
    shown.sort((a, b) => b.named - a.named || compare(key(a), key(b)) || a.place - b.place);
    heads = new Map();
    for (const row of shown) {
      row.head = isMixed ? row.named ? "In the name" : "Elsewhere, as in versions and specs"
        : order === "worst" ? headingOf(row) : "";
      heads.set(row.head, (heads.get(row.head) ?? 0) + 1);
    }
  }

  function headingOf(row) {
    const { words } = classOf(row);
    return row.dependency ? `Dependencies ${words}` : words[0].toUpperCase() + words.slice(1);
  }

  // --- What they look like ---

  // What happened: a cell for each stack that is a column, or one for all; of a chosen stack, only there.
  function cellsOf(row) {
    if (row.cells.length) return columns.map((name) => {
      const words = row.cells[data.columns.indexOf(name)];
      const cell = make("td", "·(·)".includes(words) ? "cell same" : "cell", words);
      cell.dataset.in = name;
      return cell;
    });
    const cell = make("td", "moves", ...row.moves.filter(([, , place]) => isIn(place)).map(([kind, words]) => {
      const symbol = make("span", "symbol", data.signs[kind]);
      symbol.setAttribute("aria-hidden", "true");
      return make("span", `move ${kind}`, symbol, " ", make("span", "", words));
    }));
    cell.colSpan = columns.length || 1;
    return [cell];
  }

  function lineOf(row) {
    const unfold = make("button", "unfold", row.package);
    unfold.type = "button";
    unfold.setAttribute("aria-expanded", "false");
    const name = make("th", "package", unfold);
    name.scope = "row";
    if (severalTags) name.append(" ", make("span", "tag-name", row.tag));
    if (row.dependency && row.head !== headingOf(row)) name.append(" ", make("span", "note", "dependency"));
    const line = make("tr", `row ${classOf(row).kind}`, name, ...cellsOf(row), specsCell(specsOf(row)));
    unfold.addEventListener("click", () => toggle(unfold, line, row));
    return line;
  }

  // What stands above the first row of several.
  function headOf(row, above) {
    if (!row.head || row.head === above?.head) return [];
    const cell = make("th", "", `${row.head}: ${number(heads.get(row.head))}`);
    cell.colSpan = (columns.length || 1) + 2;
    cell.scope = "colgroup";
    return [make("tr", row.head === headingOf(row) ? `class ${classOf(row).kind}` : "class", cell)];
  }

  const specsCell = (count) => {
    const [figure, unit] = counted(count, "spec").split(" ");
    return make("td", "specs", figure, make("span", "unit", ` ${unit}`));
  };

  function toggle(unfold, line, row) {
    const open = unfold.getAttribute("aria-expanded") === "true";
    unfold.setAttribute("aria-expanded", String(!open));
    if (open) return line.nextSibling.remove();
    const cell = make("td", "", ...detailOf(row));
    cell.colSpan = (columns.length || 1) + 2;
    line.after(make("tr", "detail", cell));
  }

  function detailOf(row) {
    const parts = specsBelow(row);
    if (row.link) {
      const anchor = make("a", "", "About this package");
      anchor.href = row.link;
      anchor.rel = "noreferrer";
      parts.push(make("p", "hint", anchor));
    }
    return parts;
  }

  // All of them, or those in one stack, or of one cause.
  function specsBelow(row) {
    const parts = [];
    let listed = 0;
    for (const group of row.groups) {
      const [kind, differences, built, , reason] = group, pairs = pairsOf(group);
      if (!pairs.length) continue;
      const what = make("p", `what ${kind}`, make("span", "badge", `${counted(pairs.length, "spec")} ${data.kinds[kind]}`));
      for (const [name, old, now] of differences) {
        const values = now ? [make("del", "", old), " → ", make("ins", "", now)] : [old];
        what.append(" ", make("span", "difference", make("span", "name", name), " ", ...values));
      }
      const [compiler, os, platform, target, variants] = data.built[built];
      const how = make("p", "built", [compiler, os, platform, target].join(" · "),
        make("br"), make("span", "variants", variants || "no variants"));
      const hashes = make("ul", "hashes");
      for (const pair of pairs) {
        const item = make("li", "", make("code", "", pair[0]));
        if (pair.length > 2) item.append(" → ", make("code", "", pair[1]));
        item.append(" ", make("span", "in", data.places[pair.at(-1)].join(", ")));
        hashes.append(item);
      }
      const why = reason ? [make("p", "because", reason)] : [];
      parts.push(make("div", "group", what, ...why, how, hashes));
      listed += pairs.length;
    }
    const left = specsOf(row) - listed;
    if (left > 0) parts.push(make("p", "hint", `and ${counted(left, "more spec")}; the report in JSON lists them`));
    return parts;
  }

  function draw(until) {
    const lines = document.createDocumentFragment();
    for (; drawn < Math.min(until, shown.length); drawn++) lines.append(...headOf(shown[drawn], shown[drawn - 1]), lineOf(shown[drawn]));
    body.append(lines);
    const left = shown.length - drawn;
    byId("rest").hidden = !left;
    byId("rest").firstElementChild.textContent = `${number(drawn)} of ${number(shown.length)} are shown.`;
    byId("more").textContent = `Show ${number(Math.min(MORE, left))} more`;
  }

  // Beside each class is how many of some rows are in it: as many as are shown where it is chosen.
  function countClasses(some) {
    const numbers = Object.fromEntries(boxes.map((box) => [box.value, 0]));
    for (const row of some) numbers[classOf(row).name]++;
    for (const box of boxes) {
      const count = numbers[box.value];
      box.nextElementSibling.querySelector(".count").textContent = number(count);
      box.closest("label").hidden = !count && !box.checked;
    }
    form.querySelector("fieldset").hidden = !checked().length && Object.values(numbers).filter(Boolean).length < 2;
  }

  // A spec in a pair of a root and a dependency is below the rows of both.
  function countTwice(some) {
    const pairs = new Set(), names = new Map();
    for (const row of some) names.set(row.tag + row.package, (names.get(row.tag + row.package) || 0) + 1);
    let twice = 0;
    for (const row of some.filter((row) => names.get(row.tag + row.package) > 1))
      for (const group of row.groups)
        for (const pair of pairsOf(group)) {
          const key = [row.tag, row.package, group[0], ...pair.slice(0, -1)].join(" ");
          if (pairs.has(key)) twice++;
          pairs.add(key);
        }
    return twice;
  }

  function countDependencies(count) {
    dependencies = `${number(count)} ${count === 1 ? "dependency" : "dependencies"}`;
    fields.dependencies.nextElementSibling.textContent = `show ${dependencies}`;
    fields.dependencies.parentElement.hidden = !count;
  }

  function show() {
    choose();
    body.replaceChildren();
    drawn = 0;
    draw(FIRST);
    const specs = shown.reduce((sum, row) => sum + specsOf(row), 0) - countTwice(shown);
    const names = packagesOf(shown), of = names === numberOfPackages ? "" : ` of ${number(numberOfPackages)}`;
    const said = shown.length
      ? `${number(names)}${of} changed ${numberOfPackages === 1 ? "package" : "packages"}, ${counted(specs, "spec")}` : "No package fits";
    const asked = [...new URLSearchParams(address().slice(1))].filter(([name]) => name !== "dependencies")
      .map(([name, value]) => `; ${name === "q" ? "search" : name} ${value}`);
    const { checked: lists, parentElement: { hidden: hasNone } } = fields.dependencies;
    if (!lists && !hasNone) asked.push(`; without ${dependencies}`);
    byId("said").replaceChildren(said, make("span", "printed", asked.join("")));
    byId("restart").hidden = address() === "#";
    body.parentElement.hidden = !shown.length;
    for (const head of document.querySelectorAll("thead .cell")) head.hidden = !columns.includes(head.textContent);
    for (const head of document.querySelectorAll("th[data-sort]"))
      if (head.dataset.sort === order) head.setAttribute("aria-sort", order === "specs" ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
  }

  // --- The address ---

  function address() {
    const state = new URLSearchParams();
    if (checked().length) state.set("status", checked().join(","));
    for (const name of FIELDS) if (fields[name].value) state.set(name, fields[name].value);
    const box = fields.dependencies;
    if (box.checked !== box.defaultChecked) state.set("dependencies", box.checked ? "yes" : "no");
    if (order !== "worst") state.set("sort", order);
    return `#${state}`;
  }

  // Takes the filters from the address. What it says and this report does not have is left out.
  function restore() {
    const state = new URLSearchParams(location.hash.slice(1));
    const wanted = (state.get("status") ?? "").split(",");
    for (const box of boxes) box.checked = wanted.includes(box.value);
    for (const name of FIELDS) fields[name].value = state.get(name) ?? "";
    const { dependencies } = fields;
    dependencies.checked = state.has("dependencies") ? state.get("dependencies") === "yes" : dependencies.defaultChecked;
    for (const name of ["stack", "tag"]) if (fields[name].selectedIndex < 0) fields[name].value = "";
    order = SORTS.includes(state.get("sort")) ? state.get("sort") : "worst";
    show();
  }

  function changed() {
    // A page that stands in a frame of its own may have no address to change.
    try { history.replaceState(null, "", address()); } catch { /* the filters work without */ }
    show();
  }

  // --- What can be pressed ---

  function link(element, state, focus) {
    const anchor = make("a", "", ...element.childNodes);
    anchor.href = `#${new URLSearchParams(state)}`;
    anchor.addEventListener("click", () => setTimeout(() => focus.focus(), 0));
    element.append(anchor);
  }

  // Numbers that count dependencies lead to all rows that they count.
  const every = (state) => fields.dependencies.defaultChecked ? state : { ...state, dependencies: "yes" };

  function option(name) {
    const element = make("option", "", name);
    element.value = name;
    return element;
  }

  function start() {
    fields.stack.append(...data.stacks.map(option));
    fields.tag.append(...data.tags.map(option));
    for (const name of ["stack", "tag"]) fields[name].parentElement.hidden = fields[name].options.length < 3;
    const target = byId("changes");
    // A jump within the page leaves the filters in the address.
    for (const anchor of document.querySelectorAll("a[href^='#']"))
      anchor.addEventListener("click", (event) => {
        event.preventDefault();
        byId(anchor.hash.slice(1)).focus();
      });
    for (const element of document.querySelectorAll("[data-stack]")) {
      const { stack, tag } = element.dataset;
      if (data.stacks.length > 1 && data.stacks.includes(stack)) link(element, every(severalTags ? { stack, tag } : { stack }), target);
    }
    for (const element of document.querySelectorAll("[data-cause]")) {
      const { cause, tag } = element.dataset;
      const q = `"${cause.replaceAll('"', "")}"`;
      if (data.causes.includes(cause)) link(element, every(severalTags ? { q, tag } : { q }), target);
    }
    for (const head of document.querySelectorAll("th[data-sort]")) {
      const button = make("button", "sort", ...head.childNodes);
      button.type = "button";
      head.append(button);
      button.addEventListener("click", () => {
        order = order === head.dataset.sort ? "worst" : head.dataset.sort;
        changed();
      });
    }
    target.addEventListener("input", changed);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => { order = "worst"; setTimeout(() => { changed(); fields.q.focus(); }, 0); });
    byId("more").addEventListener("click", () => {
      const before = drawn;
      draw(drawn + MORE);
      body.querySelectorAll("button.unfold")[before]?.focus();
    });
    window.addEventListener("hashchange", restore);
    window.addEventListener("beforeprint", () => draw(PRINTED));
    form.hidden = rows.length < 2;
    for (const id of ["found", "more"]) byId(id).hidden = false;
    document.documentElement.classList.add("live");
    restore();
  }

  start();
})();
