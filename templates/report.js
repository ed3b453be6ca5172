"use strict";
// Shows the rows that fit the filters, and keeps the filters in the address. What a catalog says
// is put into the page as text only, never as HTML.
(() => {
  const FIRST = 100, MORE = 500, PRINTED = 3000;
  const SORTS = ["worst", "package", "specs"];
  const FIELDS = ["q", "package", "stack", "tag", "cause"];

  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const classes = data.classes.map(([name]) => name);
  const number = (value) => value.toLocaleString("en-US");
  const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
  const form = byId("controls"), body = byId("rows"), fields = form.elements;
  const boxes = [...form.querySelectorAll("input[name=status]")];
  let order = "worst", falling = false, shown = [], beside = 0, drawn = 0;

  const rows = data.rows.map(
    ([tag, package_, worst, dependency, moves, cells, stacks, specs, causes, groups], place) =>
      ({ tag, package: package_, worst, dependency, moves, cells, stacks, specs, causes, groups, place }));

  function make(name, className, ...content) {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...content);
    return element;
  }

  // --- Which rows fit ---

  function specsIn(row, stack) {
    if (stack < 0) return row.specs;
    for (let i = 0; i < row.stacks.length; i += 2) if (row.stacks[i] === stack) return row.stacks[i + 1];
    return 0;
  }

  const isIn = (row, stack) => stack < 0 || row.stacks.some((value, i) => i % 2 === 0 && value === stack);

  // Packages have two rows where something happened to them as products, and as dependencies too.
  const namesOf = (some) => new Set(some.map((row) => row.package));

  // All that can be searched for in a row; made when it is first needed.
  function textOf(row) {
    return row.text ??= [
      data.packages[row.package], data.classes[row.worst][2], data.tags[row.tag],
      ...row.moves.map(([, words]) => words), ...row.cells,
      ...row.stacks.map((stack, i) => (i % 2 ? "" : data.stacks[stack])),
      ...row.groups.flatMap(([, differences, built, pairs, reason]) => [
        data.reasons[reason],
        ...data.differences[differences].flat(),
        ...data.built[built],
        ...pairs.flatMap((pair) => pair.slice(0, -1)),
      ]),
    ].join("\n").toLowerCase();
  }

  // Whether a package's name has `wanted` in it, or is as it says where it has a `*` or `?`.
  function packageTest(wanted) {
    if (!/[*?]/.test(wanted)) return (name) => name.includes(wanted);
    const pattern = wanted.replace(/[\\^$.+()[\]{}|]/g, "\\$&").replace(/\*+/g, ".*").replace(/\?/g, ".");
    const glob = new RegExp(`^${pattern}$`, "su");
    return (name) => glob.test(name);
  }

  function choose() {
    const wanted = new Set(boxes.filter((box) => box.checked).map((box) => classes.indexOf(box.value)));
    const stack = data.stacks.indexOf(fields.stack.value), tag = data.tags.indexOf(fields.tag.value);
    const cause = data.causes.indexOf(fields.cause.value);
    const test = packageTest(fields.package.value.trim().toLowerCase());
    const packages = data.packages.map((name) => test(name.toLowerCase()));
    const words = fields.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = rows.filter((row) =>
      (!wanted.size || wanted.has(row.worst)) && (tag < 0 || row.tag === tag)
      && (cause < 0 || row.causes.includes(cause)) && packages[row.package]
      && isIn(row, stack) && (!words.length || words.every((word) => textOf(row).includes(word))));
    shown = fields.products.checked ? fitting.filter((row) => !row.dependency) : fitting;
    beside = namesOf(fitting).size - namesOf(shown).size;
    const key = order === "specs" ? (row) => specsIn(row, stack)
      : order === "package" ? (row) => row.package : (row) => row.place;
    const sign = falling ? -1 : 1;
    shown.sort((a, b) => sign * (key(a) - key(b)) || a.place - b.place);
    return stack;
  }

  // --- What they look like ---

  function step(old, now) {
    if (!old || !now) return [old ? make("del", "", old) : make("ins", "", now)];
    return [make("del", "", old), " → ", make("ins", "", now)];
  }

  const symbolOf = (symbol) => {
    const sign = make("span", "symbol", symbol);
    sign.setAttribute("aria-hidden", "true");
    return sign;
  };

  // What happened: a cell for each stack that is a column, or one for all.
  function cellsOf(row) {
    if (row.cells.length) return row.cells.map((words, i) => {
      const cell = make("td", words === "·" ? "cell same" : "cell", words);
      cell.dataset.in = data.columns[i];
      return cell;
    });
    const cell = make("td", "moves", ...row.moves.map(([kind, words]) => {
      const [name, symbol] = data.kinds[kind];
      return make("span", `move ${name}`, symbolOf(symbol), ` ${words}`);
    }));
    cell.colSpan = data.columns.length || 1;
    return [cell];
  }

  function lineOf(row, stack) {
    const unfold = make("button", "unfold", data.packages[row.package]);
    unfold.type = "button";
    unfold.setAttribute("aria-expanded", "false");
    const name = make("th", "package", unfold);
    name.scope = "row";
    if (data.severalTags) name.append(" ", make("span", "tag-name", data.tags[row.tag]));
    if (row.dependency) name.append(" ", make("span", "note", "dependency"));
    const line = make("tr", `row ${data.classes[row.worst][1]}`, name, ...cellsOf(row), specsCell(specsIn(row, stack)));
    unfold.addEventListener("click", () => toggle(unfold, line, row, stack));
    return line;
  }

  // The class that begins with a row, where the worst comes first.
  function headOf(row, above) {
    if (order !== "worst" || falling || (above && above.worst === row.worst && above.dependency === row.dependency)) return [];
    const [, kind, words] = data.classes[row.worst];
    const said = row.dependency ? `Dependencies ${words}` : words[0].toUpperCase() + words.slice(1);
    const fitting = shown.filter((other) => other.worst === row.worst && other.dependency === row.dependency);
    const cell = make("th", "", `${said}: ${number(fitting.length)}`);
    cell.colSpan = (data.columns.length || 1) + 2;
    cell.scope = "colgroup";
    return [make("tr", `class ${kind}`, cell)];
  }

  const specsCell = (count) => {
    const [figure, unit] = counted(count, "spec").split(" ");
    return make("td", "specs", figure, make("span", "unit", ` ${unit}`));
  };

  function toggle(unfold, line, row, stack) {
    const open = unfold.getAttribute("aria-expanded") === "true";
    unfold.setAttribute("aria-expanded", String(!open));
    if (open) return line.nextSibling.remove();
    const cell = make("td", "", ...detailOf(row, stack));
    cell.colSpan = (data.columns.length || 1) + 2;
    line.after(make("tr", "detail", cell));
  }

  // The specs of a row: all of them, or those in one stack.
  function detailOf(row, stack) {
    const parts = [];
    let listed = 0;
    for (const [kind, differences, built, all, reason] of row.groups) {
      const pairs = all.filter((pair) => stack < 0 || data.places[pair.at(-1)].includes(stack));
      if (!pairs.length) continue;
      const what = make("p", `what ${kind}`, make("span", "badge", `${counted(pairs.length, "spec")} ${kind}`));
      for (const [name, old, now] of data.differences[differences])
        what.append(" ", make("span", "difference", make("span", "name", name), " ", ...(now ? step(old, now) : [old])));
      const [compiler, os, platform, target, variants] = data.built[built];
      const how = make("p", "built", [compiler, os, platform, target].join(" · "),
        make("br"), make("span", "variants", variants || "no variants"));
      const hashes = make("ul", "hashes");
      for (const pair of pairs) {
        const item = make("li", "", make("code", "", pair[0]));
        if (pair.length > 2) item.append(" → ", make("code", "", pair[1]));
        const places = data.places[pair.at(-1)].map((stack) => data.stacks[stack]).join(", ");
        item.append(" ", make("span", "in", places));
        hashes.append(item);
      }
      const because = data.reasons[reason];
      const why = because ? [make("p", "because", because)] : [];
      parts.push(make("div", "group", what, ...why, how, hashes));
      listed += pairs.length;
    }
    const left = specsIn(row, stack) - listed;
    if (left > 0) parts.push(make("p", "hint", `and ${counted(left, "more spec")}; the report in JSON lists them`));
    const link = data.links[row.package];
    if (link) {
      const anchor = make("a", "", "About this package");
      anchor.href = link;
      anchor.rel = "noreferrer";
      parts.push(make("p", "hint", anchor));
    }
    return parts;
  }

  function draw(until) {
    const stack = data.stacks.indexOf(fields.stack.value);
    const part = document.createDocumentFragment();
    for (; drawn < Math.min(until, shown.length); drawn++) part.append(...headOf(shown[drawn], shown[drawn - 1]), lineOf(shown[drawn], stack));
    body.append(part);
    const left = shown.length - drawn;
    byId("rest").hidden = !left;
    byId("rest").firstElementChild.textContent = `${number(drawn)} of ${number(shown.length)} are shown.`;
    byId("more").textContent = `Show ${number(Math.min(MORE, left))} more`;
  }

  // The numbers of the classes are of the rows that "only products" leaves.
  function countClasses() {
    const left = rows.filter((row) => !(fields.products.checked && row.dependency));
    for (const box of boxes) {
      const count = left.filter((row) => row.worst === classes.indexOf(box.value)).length;
      box.nextElementSibling.querySelector(".count").textContent = number(count);
      box.closest("label").hidden = !count && !box.checked;
    }
  }

  function show() {
    const stack = choose();
    countClasses();
    body.replaceChildren();
    drawn = 0;
    draw(FIRST);
    const specs = shown.reduce((sum, row) => sum + specsIn(row, stack), 0);
    const names = namesOf(shown).size, all = data.packages.length;
    const of = names === all ? "" : ` of ${number(all)}`;
    const said = shown.length
      ? `${number(names)}${of} ${all === 1 ? "package" : "packages"}, ${counted(specs, "spec")}` : "No package fits";
    const more = beside ? `; ${number(beside)} more ${beside === 1 ? "is a dependency" : "are dependencies"}` : "";
    const asked = [...new URLSearchParams(address().slice(1))].map(([name, value]) => `; ${name === "q" ? "search" : name} ${value}`).join("");
    byId("said").replaceChildren(said + more, make("span", "printed", asked));
    byId("none").hidden = shown.length > 0;
    byId("beside").hidden = !beside;
    body.parentElement.hidden = !shown.length;
    for (const head of document.querySelectorAll("th[data-sort]"))
      if (head.dataset.sort === order) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
  }

  // --- The address ---

  function address() {
    const state = new URLSearchParams();
    const wanted = boxes.filter((box) => box.checked).map((box) => box.value);
    if (wanted.length) state.set("status", wanted.join(","));
    for (const name of FIELDS) if (fields[name].value) state.set(name, fields[name].value);
    if (fields.products.checked !== fields.products.defaultChecked) state.set("products", fields.products.checked ? "yes" : "no");
    if (order !== "worst" || falling) state.set("sort", (falling ? "-" : "") + order);
    return `#${state}`;
  }

  // Takes the filters from the address. What it says and this report does not have is left out.
  function restore() {
    const state = new URLSearchParams(location.hash.slice(1));
    const wanted = (state.get("status") ?? "").split(",");
    for (const box of boxes) box.checked = wanted.includes(box.value);
    for (const name of FIELDS) fields[name].value = state.get(name) ?? "";
    fields.products.checked = state.has("products") ? state.get("products") === "yes" : fields.products.defaultChecked;
    for (const name of ["stack", "tag", "cause"]) if (fields[name].selectedIndex < 0) fields[name].value = "";
    const sort = state.get("sort") ?? "worst";
    falling = sort.startsWith("-");
    order = sort.slice(falling ? 1 : 0);
    if (!SORTS.includes(order)) [order, falling] = ["worst", false];
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
  const every = (state) => fields.products.defaultChecked ? { ...state, products: "no" } : state;

  function option(name) {
    const element = make("option", "", name);
    element.value = name;
    return element;
  }

  function start() {
    data.severalTags = new Set(rows.map((row) => row.tag)).size > 1;
    fields.stack.append(...data.stacks.map(option));
    fields.tag.append(...data.tags.map(option));
    fields.cause.append(...[...data.causes].sort().map(option));
    byId("packages").append(...data.packages.map(option));
    for (const [name, some] of [["stack", data.stacks.slice(1)], ["tag", data.tags.slice(1)], ["cause", data.causes]])
      fields[name].parentElement.hidden = !some.length;
    const target = byId("changes");
    // A jump within the page leaves the filters in the address.
    for (const anchor of document.querySelectorAll("a[href^='#']"))
      anchor.addEventListener("click", (event) => {
        event.preventDefault();
        byId(anchor.hash.slice(1)).focus();
      });
    for (const element of document.querySelectorAll("[data-stack]")) {
      const { stack, tag } = element.dataset;
      if (data.stacks.length > 1 && data.stacks.includes(stack)) link(element, every(data.severalTags ? { stack, tag } : { stack }), target);
    }
    for (const element of document.querySelectorAll("[data-cause]")) {
      const { cause, tag } = element.dataset;
      if (data.causes.includes(cause)) link(element, every(data.severalTags ? { cause, tag } : { cause }), target);
    }
    for (const head of document.querySelectorAll("th[data-sort]")) {
      const button = make("button", "sort", ...head.childNodes);
      button.type = "button";
      head.append(button);
      button.addEventListener("click", () => {
        const name = head.dataset.sort;
        // Numbers are wanted from the top, names from A.
        falling = order === name ? !falling : name === "specs";
        order = name;
        changed();
      });
    }
    form.addEventListener("input", changed);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => { [order, falling] = ["worst", false]; setTimeout(changed, 0); });
    byId("beside").addEventListener("click", () => { fields.products.click(); fields.products.focus(); });
    byId("all").addEventListener("click", () => { form.reset(); fields.q.focus(); });
    byId("more").addEventListener("click", () => {
      const before = drawn;
      draw(drawn + MORE);
      body.querySelectorAll("button.unfold")[before]?.focus();
    });
    window.addEventListener("hashchange", restore);
    window.addEventListener("beforeprint", () => draw(PRINTED));
    for (const id of ["controls", "said", "more"]) byId(id).hidden = false;
    document.documentElement.classList.add("live");
    restore();
  }

  start();
})();
