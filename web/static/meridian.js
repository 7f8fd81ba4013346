// Refreshes, zoom and copying: pages are whole without this script.
(() => {
  const all = (s, f) => document.querySelectorAll(s).forEach(f);
  const css = (name) => getComputedStyle(document.body).getPropertyValue(name);
  let charts = [];

  // uPlot draws the lines in place of the server's, over the server's axes, so
  // that they can be read off and zoomed. What throws here leaves all as it was.
  const draw = (box) => {
    const c = JSON.parse(box.dataset.chart), says = document.createElement("p"), show = false, points = { show };
    const part = (open) => c.s[0].map((v, i) => (c.p.includes(i) || open && !c.b && c.p.includes(i + 1)) == open ? v : null);
    const name = (i) => c.w[i].split(": ")[0];
    const line = { stroke: css("--accent"), width: 2, dash: [5, 4] };
    const bars = { ...line, width: 1, fill: css("--band"), points, paths: c.b && uPlot.paths.bars({ size: [.72] }) };
    const u = new uPlot({
      width: box.querySelector("svg").clientWidth, height: 260, padding: [16, 0, 26, 0], legend: points, axes: [points, points],
      series: [{}, ...c.b ? [{ ...bars, width: 0, fill: css("--bar") }, bars] : [{ ...line, dash: [] }, line],
        ...c.s.slice(1).map(() => ({ stroke: css("--accent-2"), points })), { stroke: css("--soft"), dash: [2, 3], points }],
      bands: c.s[1] ? [1, 2].map((i) => ({ series: [4, i], fill: css("--band") })) : [],
      scales: { x: { range: (_, a, b) => a == c.t[0] ? c.r : [a, b] }, y: { range: () => [0, c.c] } },
      hooks: {
        setCursor: [({ cursor: { idx }, data: [t], scales: { x: { min, max } } }) => {
          const zoomed = min > c.r[0] || max < c.r[1], inside = t.map((_, i) => i).filter((i) => t[i] >= min && t[i] <= max);
          box.classList.toggle("zoomed", zoomed);
          says.textContent = c.w[idx] || (zoomed && inside.length ? name(inside[0]) + " – " + name(inside.at(-1)) : "");
        }],
      },
    }, [c.t, part(false), part(true), ...c.s.slice(1), c.o || c.t.map(() => null)], box);
    box.tabIndex = 0;
    box.ariaLabel = box.dataset.keys;
    box.onkeydown = (e) => {
      const last = c.t.length - 1, { min, max } = u.scales.x, i = u.cursor.idx ?? last, part = (max - min) / 4;
      const at = c.t[{ ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: last }[e.key]];
      if (at) u.setCursor({ left: u.valToPos(at, "x"), top: 9 });
      else if (e.key == "+") u.setScale("x", { min: c.t[i] - part, max: c.t[i] + part });
      else if (e.key == "Escape") u.setScale("x", { min: c.r[0], max: c.r[1] });
      else return;
      e.preventDefault();
    };
    says.ariaLive = "polite";
    says.className = "says";
    u.root.append(says);
    box.classList.add("drawn");
    charts.push([u, box]);
  };

  const dress = () => {
    charts.forEach(([u, box]) => { u.destroy(); box.classList.remove("drawn", "zoomed"); });
    charts = [];
    if (window.uPlot) all("[data-chart]", draw);
    if (navigator.clipboard) all("[data-copy],[data-png]", (b) => { b.hidden = false; });
  };
  document.addEventListener("click", async (e) => {
    const b = e.target;
    if (b.dataset.png != null) {
      e.preventDefault();
      const i = new Image(), k = document.createElement("canvas"), a = document.createElement("a");
      i.src = b.href;
      await i.decode();
      [k.width, k.height] = [i.width * 2, i.height * 2];
      k.getContext("2d").drawImage(i, 0, 0, k.width, k.height);
      a.href = k.toDataURL();
      a.download = "chart.png";
      a.click();
    }
    if (!b.dataset.copy) return;
    await navigator.clipboard.writeText(document.querySelector(b.dataset.copy).textContent);
    b.textContent = "✓";
  });
  document.addEventListener("toggle", ({ target: { open, dataset } }) => { if (open && dataset.open) location.assign(dataset.open); }, true);
  addEventListener("beforeunload", () => { document.body.ariaBusy = true; });
  addEventListener("pageshow", () => { document.body.ariaBusy = null; });
  addEventListener("resize", dress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
  // uPlot comes behind this.
  addEventListener("DOMContentLoaded", dress);

  // Refresh when rows were written, but never under somebody's hands.
  const { events } = document.body.dataset;
  if (!events || !window.htmx) return;
  // The slower the answer, the longer the rest: fifty pages must not be all that a busy server does.
  let stream, due, asked, rested = 0, kept = {};
  const refresh = () => {
    if (!due || Date.now() < rested || document.hidden || !getSelection().isCollapsed || document.querySelector(".chart:is(:hover, :focus-visible), #live :is(input, select):focus")) return;
    due = false;
    asked = Date.now();
    rested = asked + 1e4;
    htmx.trigger("body", "rows");
  };
  const live = ({ type }) => all("[data-live-state]", (e) => { e.hidden = type == "error"; });
  const connect = () => {
    stream = new EventSource(events);
    stream.onopen = stream.onerror = live;
    stream.addEventListener("rows", () => { due = true; refresh(); });
  };
  setInterval(refresh, 250);
  document.addEventListener("visibilitychange", () => {
    stream.close();
    if (document.hidden) return;
    connect();
    due = true;
    refresh();
  });
  document.addEventListener("htmx:beforeSwap", () => {
    const now = Date.now();
    rested = now + Math.max(300, 10 * (now - asked));
    all("[data-keep], details", (e) => { kept[e.id] = [e.scrollTop, e.scrollLeft, e.open]; });
  });
  document.addEventListener("htmx:afterSwap", () => {
    all("[data-keep], details", (e) => { if (kept[e.id]) [e.scrollTop, e.scrollLeft, e.open] = kept[e.id]; });
    dress();
  });
  connect();
})();
