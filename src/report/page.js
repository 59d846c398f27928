"use strict";
// Builds the report from the JSON in #data. Texts are only inserted as text nodes, never as HTML.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const run = data.run, points = data.points.count, clusters = data.clusters, classes = data.classes || null;

// ---- small helpers ----

const byId = id => document.getElementById(id);
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}
function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}
const words = text => { // 16-bit numbers, low byte first
  const raw = bytes(text), out = new Uint16Array(raw.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = raw[2 * i] | raw[2 * i + 1] << 8;
  return out;
};
const whole = value => Math.round(value).toLocaleString("en").replace(/,/g, "\u202f");
const percent = (value, digits = 1) => (100 * value).toFixed(digits) + "\u2009%";
const short = value => {
  if (value === null || value === undefined) return "\u2013";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e9) ? value.toExponential(2) : size >= 1e5 ? whole(+value.toPrecision(4)) : String(+value.toPrecision(4));
};
// As the sentences of clusters.json have it, so that a mean is the same number everywhere.
const spoken = value => {
  const size = Math.abs(value);
  return size >= 1e9 || (size < 0.01 && size > 0) ? short(value) : value.toFixed(size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2);
};
// Rounded once, before it is split: 299.8 s is 5 min 0 s and not 4 min 60 s.
const minutes = value => `${Math.floor(value / 60)} min ${value % 60} s`;
const seconds = value => value >= 89.5 ? minutes(Math.round(value)) : `${value.toFixed(value < 10 ? 1 : 0)} s`;
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// ---- colours that colour-blind readers can tell apart; after twelve clusters the shape changes too ----

const palette = ["#4477aa", "#ee6677", "#228833", "#ccaa22", "#33aacc", "#aa3377",
                 "#ee7733", "#777788", "#009988", "#995522", "#8866dd", "#99aa33"];
const colourOf = group => palette[group % palette.length];
const shapeOf = group => Math.floor(group / palette.length) % 4;
const ramp = [[253, 231, 37], [53, 183, 121], [49, 104, 142], [68, 1, 84]];
function rampColour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1), i = Math.min(Math.floor(at), ramp.length - 2);
  return "rgb(" + ramp[i].map((low, c) => Math.round(low + (at - i) * (ramp[i + 1][c] - low))).join() + ")";
}
function tracePath(pen, shape, x, y, r) { // disc, square, triangle, diamond of about equal size
  pen.beginPath();
  if (shape === 0) pen.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === 1) pen.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  else {
    const corners = shape === 2 ? 3 : 4, size = shape === 2 ? 1.35 * r : 1.28 * r;
    for (let i = 0; i < corners; i++) {
      const angle = 2 * Math.PI * i / corners - Math.PI / 2;
      pen.lineTo(x + size * Math.cos(angle), y + size * Math.sin(angle));
    }
    pen.closePath();
  }
}
function markOf(group) {
  const canvas = make("canvas", {class: "mark", width: 38, height: 38, "aria-hidden": "true"}), pen = canvas.getContext("2d");
  pen.fillStyle = colourOf(group);
  tracePath(pen, shapeOf(group), 19, shapeOf(group) === 2 ? 22 : 19, 14);
  pen.fill();
  return canvas;
}
// ---- names: those of the run, and what the reader changed, which stays in this browser ----

const nameKey = "decant names " + run.data_digest + " " + run.k;
const names = clusters.map(cluster => cluster.name || "");
try { Object.entries(JSON.parse(localStorage.getItem(nameKey) || "{}")).forEach(([c, name]) => { if (c in names) names[c] = String(name); }); } catch (error) { /* not allowed here */ }
const namesChanged = () => names.some((name, c) => name !== (clusters[c].name || ""));
function setName(c, name) {
  names[c] = name.trim();
  try { localStorage.setItem(nameKey, JSON.stringify(Object.fromEntries(names.map((text, i) => [i, text])))); } catch (error) { /* the page still shows them */ }
  showNames();
}
function clusterName(c) { return names[c] || "Cluster " + c; }
const quoted = cell => /[",\n\r]/.test(cell) ? '"' + cell.replace(/"/g, '""') + '"' : String(cell);
function save(file, lines) {
  const link = make("a", {href: "data:text/csv;charset=utf-8," + encodeURIComponent(lines.map(line => line.map(cell => quoted(String(cell))).join(",")).join("\n") + "\n"), download: file});
  document.body.append(link);
  link.click();
  link.remove();
}
function classOf(c) { return classes && data.match[c] >= 0 ? classes[data.match[c]] : null; }

// ---- pictures of items ----

const sheet = data.pictures ? new Image() : null;
const waiting = []; // paint functions to call when the sheet is loaded
if (sheet) {
  sheet.onload = () => { waiting.splice(0).forEach(paint => paint()); };
  sheet.src = `data:${data.pictures.type};base64,${data.pictures.bytes}`;
}
const hasPicture = item => sheet !== null && data.items.place[item] >= 0;
function picture(item, width) { // a canvas of this width in pixels
  const p = data.pictures, height = Math.round(width * p.height / p.width), dense = Math.min(devicePixelRatio || 1, 2);
  const canvas = make("canvas", {width: width * dense, height: height * dense, title: itemName(item)});
  const paint = () => {
    const pen = canvas.getContext("2d"), place = data.items.place[item];
    pen.imageSmoothingEnabled = p.width >= 16;
    pen.imageSmoothingQuality = "high";
    pen.drawImage(sheet, place % p.columns * p.width, Math.floor(place / p.columns) * p.height, p.width, p.height,
                  0, 0, canvas.width, canvas.height);
  };
  if (sheet.complete && sheet.naturalWidth > 0) paint(); else waiting.push(paint);
  return canvas;
}
function itemName(item) {
  const id = data.items.id[item], row = data.items.row[item];
  return id === null || id === String(row) ? "row " + row : id;
}

// ---- head ----

// The accuracy matches each cluster with one class: with more or fewer clusters it says nothing.
const matched = !classes || classes.length === run.k;
function showHead() {
  const tiles = [["rows", whole(run.n)], [data.pictures || clusters.some(c => c.stems.length) ? "features" : "columns", whole(data.columns ?? run.d)], ["clusters", whole(run.k)]];
  for (const [key, name] of [["acc", "accuracy"], ["nmi", "NMI"], ["ari", "ARI"], ["purity", "purity"]])
    if (run.metrics && run.metrics[key] !== null && (matched || key !== "acc")) tiles.push([name, run.metrics[key].toFixed(3)]);
  if (run.seconds) tiles.push(["time", seconds(run.seconds.total)]);
  tiles.push(["method", run.method]);
  byId("tiles").append(...tiles.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  byId("missing").hidden = !data.missing;
  byId("missing").textContent = `Pictures, texts and known classes are not shown: ${data.missing}.`;
}

// ---- the map ----

const frames = data.frames.map(frame => ({...frame, place: words(frame.place), cluster: words(frame.cluster)}));
const pointItem = words(data.points.item), pointConfidence = words(data.points.confidence);
const pointClass = data.points.class ? words(data.points.class) : null;
const map = byId("map"), pen = map.getContext("2d"), tip = byId("tip");
const view = {scale: 1, x: 0, y: 0}; // x, y: centre of the canvas, in units of the map's side
const state = {frame: Math.max(frames.length - 1, 0), colour: "cluster", alone: -1, hovered: -1};
const now = {place: new Float32Array(2 * points), from: null, to: null, began: 0}; // where points are drawn
let drawn = 0;

const groupOf = p => state.colour === "class" ? pointClass[p] : frames[state.frame].cluster[p];
const isShown = p => state.alone < 0 || groupOf(p) === state.alone;

function measureMap() {
  const box = map.getBoundingClientRect(), dense = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(box.width * dense)), height = Math.max(1, Math.round(box.height * dense));
  if (map.width !== width || map.height !== height) { map.width = width; map.height = height; }
  return {width, height, dense, side: Math.min(width, height) * 0.94 * view.scale};
}
const toX = (m, x) => m.width / 2 + (x - 0.5 - view.x) * m.side;
const toY = (m, y) => m.height / 2 - (y - 0.5 - view.y) * m.side; // upwards

// Points are blended into the pixels here: thousands of canvas calls would take several frames without a GPU.
// A stamp is the coverage of each pixel by a mark, for four subpixel positions.
const stamps = new Map();
function stampsOf(shape, radius) {
  const key = shape + "/" + radius.toFixed(2);
  if (!stamps.has(key)) {
    const size = Math.ceil(2.8 * radius) + 3, canvas = make("canvas", {width: size, height: size});
    const p = canvas.getContext("2d", {willReadFrequently: true});
    stamps.set(key, [0, 1, 2, 3].map(phase => {
      p.clearRect(0, 0, size, size);
      tracePath(p, shape, (size - 1) / 2 + (phase & 1) / 2, (size - 1) / 2 + (phase >> 1) / 2, radius);
      p.fill();
      const pixels = p.getImageData(0, 0, size, size).data, cover = new Uint8Array(size * size);
      for (let i = 0; i < cover.length; i++) cover[i] = pixels[4 * i + 3];
      return {size, cover};
    }));
  }
  return stamps.get(key);
}
const rgb = colour => colour.startsWith("#") ? [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16)) : colour.match(/[\d.]+/g).slice(0, 3).map(Number);
function blend(image, stamps, x, y, [r, g, b], strength) {
  const half = (stamps[0].size - 1) / 2, left = Math.floor(2 * (x - half)), top = Math.floor(2 * (y - half));
  const {size, cover} = stamps[left & 1 | (top & 1) << 1], x0 = left >> 1, y0 = top >> 1, pixels = image.data;
  if (x0 < 0 || y0 < 0 || x0 + size > image.width || y0 + size > image.height) return;
  for (let v = 0, at = 0; v < size; v++)
    for (let i = 4 * ((y0 + v) * image.width + x0), end = i + 4 * size; i < end; i += 4, at++) {
      const share = cover[at] * strength;
      if (share === 0) continue;
      pixels[i] += (r - pixels[i]) * share;
      pixels[i + 1] += (g - pixels[i + 1]) * share;
      pixels[i + 2] += (b - pixels[i + 2]) * share;
    }
}
const palettes = palette.map(rgb), ramps = Array.from({length: 33}, (_, i) => rgb(rampColour(i / 32)));
let image = null; // the pixels that points are blended into
function drawPoints(m, radius) {
  if (!image || image.width !== m.width || image.height !== m.height) image = pen.createImageData(m.width, m.height);
  const [r, g, b] = rgb(style("--panel"));
  new Uint32Array(image.data.buffer).fill((255 << 24 | b << 16 | g << 8 | r) >>> 0); // little-endian, as all browsers' machines
  const byConfidence = state.colour === "confidence", shapes = [0, 1, 2, 3].map(shape => stampsOf(shape, radius));
  for (const shown of state.alone < 0 ? [true] : [false, true])
    for (let p = 0; p < points; p++) {
      const group = groupOf(p);
      if ((state.alone < 0 || group === state.alone) !== shown) continue;
      blend(image, shapes[byConfidence ? 0 : shapeOf(group)], toX(m, now.place[2 * p]), toY(m, now.place[2 * p + 1]),
          byConfidence ? ramps[Math.round(pointConfidence[p] / 2048)] : palettes[group % palettes.length], (shown ? 0.82 : 0.10) / 255);
    }
  pen.putImageData(image, 0, 0);
}

function drawMap() {
  drawn = 0;
  if (frames.length === 0) return;
  const m = measureMap(), share = now.to ? Math.min(1, (performance.now() - now.began) / 420) : 1;
  if (now.to) {
    const ease = share * share * (3 - 2 * share);
    for (let i = 0; i < now.place.length; i++) now.place[i] = now.from[i] + ease * (now.to[i] - now.from[i]);
    if (share === 1) now.to = null;
  }
  const radius = Math.max(1.3, Math.min(5, 0.30 * Math.sqrt(m.width * m.height / (points + 60)) * Math.sqrt(Math.sqrt(view.scale)))) * (m.dense > 1 ? 0.8 : 1);
  drawPoints(m, radius);
  if (state.colour !== "confidence") drawNames(m);
  if (state.hovered >= 0) ring(m, state.hovered, radius);
  map.dataset.frame = state.frame;
  if (now.to) redraw();
}
function redraw() { if (!drawn) drawn = requestAnimationFrame(drawMap); }

const clip = (text, length) => text.length > length ? text.slice(0, length - 1).trimEnd() + "\u2026" : text;
function drawNames(m) { // at the median of each group; large groups first, and no two labels on one another
  const lists = new Map();
  for (let p = 0; p < points; p++) if (isShown(p)) {
    const group = groupOf(p);
    if (!lists.has(group)) lists.set(group, [[], []]);
    lists.get(group)[0].push(now.place[2 * p]);
    lists.get(group)[1].push(now.place[2 * p + 1]);
  }
  if (lists.size > 60) return;
  const middle = list => Float32Array.from(list).sort()[list.length >> 1]; // the median; a typed array sorts without a callback
  const line = 15 * m.dense, taken = [], longest = Math.max(9, Math.min(24, Math.floor(m.width / m.dense / 38))); // letters
  pen.font = `650 ${13 * m.dense}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 4 * m.dense;
  pen.strokeStyle = style("--halo");
  pen.fillStyle = style("--ink");
  const free = box => box.every(Number.isFinite) && !taken.some(t => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]);
  for (const [group, [x, y]] of [...lists].sort((a, b) => b[1][0].length - a[1][0].length)) {
    const byClass = state.colour === "class", number = byClass ? clip(classes[group], longest) : String(group);
    const texts = byClass || !names[group] ? [number] : [`${number} ${clip(names[group], longest)}`, number];
    const cy = toY(m, middle(y)), cx = toX(m, middle(x));
    place: for (const text of texts)
      for (const shift of [0, -1, 1]) {
        const half = pen.measureText(text).width / 2, at = Math.min(Math.max(cx, half + 4), m.width - half - 4), v = cy + shift * line;
        const box = [at - half, v - line / 2, at + half, v + line / 2];
        if (!free(box)) continue;
        taken.push(box);
        pen.strokeText(text, at, v);
        pen.fillText(text, at, v);
        break place;
      }
  }
  map.dataset.labels = taken.length;
}
function ring(m, p, radius) {
  pen.lineWidth = 2 * m.dense;
  pen.strokeStyle = style("--ink");
  pen.beginPath();
  pen.arc(toX(m, now.place[2 * p]), toY(m, now.place[2 * p + 1]), radius + 4 * m.dense, 0, 2 * Math.PI);
  pen.stroke();
}

function placesOf(frame) {
  const out = new Float32Array(2 * points), from = frames[frame].place;
  for (let i = 0; i < out.length; i++) out[i] = from[i] / 65535;
  return out;
}
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
function goTo(frame, jump) {
  state.frame = frame;
  now.to = placesOf(frame);
  now.from = now.place.slice();
  now.began = performance.now();
  if (jump || reducedMotion.matches) { now.place = now.to; now.to = null; }
  const slider = byId("slider"), at = frames[frame];
  slider.value = frame;
  const text = frame === frames.length - 1 ? `result, after ${whole(at.step)} iterations` : `iteration ${whole(at.step)}`;
  byId("when").textContent = text + (at.accuracy === null || !matched ? "" : ` \u00b7 ${percent(at.accuracy)}`);
  slider.setAttribute("aria-valuetext", text);
  for (const move of markers) move(at.step);
  redraw();
}

// Index of the point nearest to a place on the canvas (CSS pixels), at most 14 pixels away; -1: none.
function nearest(x, y) {
  const m = measureMap(), px = x * m.dense, py = y * m.dense;
  let best = -1, min = (14 * m.dense) ** 2;
  for (let p = 0; p < points; p++) {
    if (!isShown(p)) continue;
    const dx = toX(m, now.place[2 * p]) - px, dy = toY(m, now.place[2 * p + 1]) - py, d = dx * dx + dy * dy;
    if (d < min) { min = d; best = p; }
  }
  return best;
}

function showTip(p, x, y) {
  if (p === state.hovered && !tip.hidden) return placeTip(x, y);
  state.hovered = p;
  tip.hidden = p < 0;
  if (p >= 0) {
    const item = pointItem[p], lines = [clusterName(frames[state.frame].cluster[p])];
    if (pointClass) lines.push("class " + classes[pointClass[p]]);
    lines.push("confidence " + (pointConfidence[p] / 65535).toFixed(2));
    const text = data.items.text[item];
    const shown = hasPicture(item) ? picture(item, 96) : null;
    if (shown) { shown.style.width = "96px"; shown.removeAttribute("title"); }
    tip.replaceChildren(...[shown, make("b", {}, itemName(item)), make("span", {}, lines.join(" \u00b7 ")),
                            text ? make("p", {}, text) : null].filter(Boolean));
    placeTip(x, y);
  }
  redraw();
}
function placeTip(x, y) {
  const box = map.getBoundingClientRect(), w = tip.offsetWidth, h = tip.offsetHeight;
  tip.style.left = Math.max(6, Math.min(x + 16 + w > box.width ? x - w - 16 : x + 16, box.width - w - 6)) + "px";
  tip.style.top = Math.max(6, Math.min(y + 14, box.height - h - 6)) + "px";
}

function zoom(factor, x, y) {
  const m = measureMap(), cx = (x === undefined ? m.width / 2 : x * m.dense), cy = (y === undefined ? m.height / 2 : y * m.dense);
  const mapX = (cx - m.width / 2) / m.side + view.x, mapY = -(cy - m.height / 2) / m.side + view.y;
  view.scale = Math.min(60, Math.max(1, view.scale * factor));
  const side = Math.min(m.width, m.height) * 0.94 * view.scale;
  view.x = mapX - (cx - m.width / 2) / side;
  view.y = mapY + (cy - m.height / 2) / side;
  clampView();
}
function pan(dx, dy) { // CSS pixels
  const m = measureMap();
  view.x -= dx * m.dense / m.side;
  view.y += dy * m.dense / m.side;
  clampView();
}
function clampView() {
  const max = 0.5 * (1 - 1 / view.scale) + 0.02;
  if (view.scale === 1) view.x = view.y = 0;
  view.x = Math.max(-max, Math.min(max, view.x));
  view.y = Math.max(-max, Math.min(max, view.y));
  map.classList.toggle("zoomed", view.scale > 1);
  redraw();
}

function showOnly(group) {
  state.alone = state.alone === group ? -1 : group;
  showLegend();
  showGradient();
  showTip(-1);
}

function handleMapEvents() {
  const fingers = new Map();
  let moved = 0, spread = 0, scrolled = 0;
  const at = event => { const box = map.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const gap = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  addEventListener("scroll", () => { scrolled = performance.now(); }, {passive: true});
  map.addEventListener("wheel", event => { // scrolling down the page must not stop at the map
    if (!event.ctrlKey && performance.now() - scrolled < 250) { scrolled = performance.now(); return; }
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...at(event));
    showTip(-1);
  }, {passive: false});
  map.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, at(event));
    moved = 0;
    if (fingers.size === 2) spread = gap();
  });
  map.addEventListener("pointermove", event => {
    const [x, y] = at(event), last = fingers.get(event.pointerId);
    if (!last) return showTip(nearest(x, y), x, y);
    fingers.set(event.pointerId, [x, y]);
    moved += Math.abs(x - last[0]) + Math.abs(y - last[1]);
    if (fingers.size === 2) {
      const wide = gap();
      zoom(wide / spread, x, y);
      spread = wide;
    } else if (moved > 4) {
      if (!map.hasPointerCapture(event.pointerId)) map.setPointerCapture(event.pointerId);
      pan(x - last[0], y - last[1]);
      showTip(-1);
    }
  });
  map.addEventListener("pointerup", event => {
    const [x, y] = at(event), p = nearest(x, y);
    fingers.delete(event.pointerId);
    if (moved > 4) return;
    if (event.pointerType !== "mouse") return showTip(p, x, y);
    if (p >= 0 && state.colour !== "confidence") showOnly(groupOf(p));
    else if (state.alone >= 0) showOnly(state.alone);
  });
  map.addEventListener("pointercancel", event => fingers.delete(event.pointerId));
  map.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") showTip(-1); });
  map.addEventListener("keydown", event => {
    const arrows = {ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40]};
    if (arrows[event.key] && view.scale > 1) pan(...arrows[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") zoom(1 / view.scale);
    else return;
    event.preventDefault();
  });
  addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    if (state.alone >= 0) showOnly(state.alone);
    showTip(-1);
  });
  byId("zoom-in").onclick = () => zoom(1.5);
  byId("zoom-out").onclick = () => zoom(1 / 1.5);
  byId("zoom-all").onclick = () => zoom(1 / view.scale);
  new ResizeObserver(redraw).observe(map);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { redraw(); showGradient(); });
}

function handleTimeEvents() {
  const slider = byId("slider"), play = byId("play");
  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "\u25b6"; play.setAttribute("aria-label", "Play"); };
  slider.max = frames.length - 1;
  slider.oninput = () => { stop(); goTo(+slider.value); };
  play.onclick = () => {
    if (timer) return stop();
    play.textContent = "\u2759\u2759";
    play.setAttribute("aria-label", "Pause");
    goTo(state.frame === frames.length - 1 ? 0 : state.frame + 1);
    timer = setInterval(() => { if (state.frame === frames.length - 1) stop(); else goTo(state.frame + 1); }, 800);
  };
}

function showLegend() {
  const legend = byId("legend"), byClass = state.colour === "class";
  legend.classList.toggle("alone", state.alone >= 0);
  if (state.colour === "confidence")
    return legend.replaceChildren(make("span", {class: "ramp"}, "0", make("i"), "1"));
  const sizes = byClass ? classes.map((_, c) => data.confusion.reduce((sum, line) => sum + line[c], 0)) : clusters.map(c => c.size);
  legend.replaceChildren(...sizes.map((size, g) => make("button",
    {type: "button", "aria-pressed": String(state.alone === g), title: "Show only this one", onclick: () => showOnly(g)},
    markOf(g), make("span", {}, byClass ? classes[g] : names[g] ? `${g} ${names[g]}` : classOf(g) === null ? String(g) : `${g} \u2192 ${classOf(g)}`),
    size > 0 ? make("small", {}, whole(size)) : null)));
}
function showChoice() {
  const ways = [["cluster", "Cluster"], ...(pointClass ? [["class", "Class"]] : []), ["confidence", "Confidence"]];
  byId("colour").append(...ways.map(([value, name]) => make("label", {},
    make("input", {type: "radio", name: "colour", value, checked: value === state.colour,
                   onchange: () => { state.colour = value; state.alone = -1; showLegend(); showGradient(); redraw(); }}), name)));
}

// ---- curves ----

const markers = []; // one function for each curve: moves its marker to an iteration
function curve(name, list, format, step, minRange = 0) { // list of [iteration, value]; minRange: of the y axis
  const width = 300, height = 92, right = 8, top = 8, bottom = 18;
  const xs = list.map(p => p[0]), ys = list.map(p => p[1]);
  const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 1);
  let y0 = Math.min(...ys), y1 = Math.max(...ys);
  if (y1 - y0 < minRange) { y0 = Math.max(0, (y0 + y1 - minRange) / 2); y1 = y0 + minRange; }
  if (y1 === y0) { y0 -= Math.abs(y0) * 0.1 + 1e-9; y1 += Math.abs(y1) * 0.1 + 1e-9; }
  const left = Math.max(38, 10 + 6 * Math.max(format(y0).length, format(y1).length)); // room for the labels
  const x = value => left + (value - x0) / (x1 - x0) * (width - left - right);
  const y = value => height - bottom - (value - y0) / (y1 - y0) * (height - top - bottom);
  const value = make("b"), svg = makeSvg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name});
  const label = (text, at, anchor) => { const t = makeSvg("text", {x: at[0], y: at[1], "text-anchor": anchor}); t.textContent = text; return t; };
  svg.append(makeSvg("path", {class: "axis", d: `M${left} ${height - bottom}H${width - right}M${left} ${top}H${width - right}`, fill: "none"}),
             label(format(y1), [left - 5, top + 4], "end"), label(format(y0), [left - 5, height - bottom + 3], "end"),
             label(whole(x0), [left, height - 5], "start"), label(whole(x1), [width - right, height - 5], "end"),
             makeSvg("path", {class: "line", d: "M" + list.map(p => `${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join("L")}));
  if (step) {
    const line = makeSvg("path", {class: "now"}), dot = makeSvg("circle", {r: 3.2});
    svg.append(line, dot);
    markers.push(at => {
      const p = list.reduce((a, b) => Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a);
      line.setAttribute("d", `M${x(Math.min(at, x1)).toFixed(1)} ${top}V${height - bottom}`);
      dot.setAttribute("cx", x(p[0]));
      dot.setAttribute("cy", y(p[1]));
      value.textContent = format(p[1]);
    });
  } else value.textContent = format(ys[ys.length - 1]);
  return make("figure", {class: "curve"}, make("figcaption", {}, make("span", {}, name), value), svg);
}
function showCurves() {
  const refine = data.history.filter(row => row[0] === "refine"), home = byId("curves");
  const pick = at => refine.filter(row => row[at] !== null).map(row => [row[1], row[at]]);
  const accuracy = frames.filter(f => f.accuracy !== null && matched).map(f => [f.step, f.accuracy]);
  if (accuracy.length > 1) home.append(curve("accuracy of the sample", accuracy, v => percent(v, 1), true, 0.04));
  if (pick(2).length > 1) home.append(curve("training loss (KL divergence)", pick(2), short, true));
  if (pick(3).length > 1) home.append(curve("changed labels", pick(3), v => percent(v, v < 0.01 ? 2 : 1), true));
  const before = data.history.filter(row => row[0] === "finetune" && row[2] !== null).map(row => [row[1], row[2]]);
  if (before.length > 1) byId("pretraining").append(curve("reconstruction loss of pretraining, by iteration", before, short, false));
}

// ---- cards ----

function textItems(list) {
  return make("ul", {class: "texts"}, ...list.map(item => make("li", {title: data.items.text[item] || ""},
    make("b", {}, itemName(item)), data.items.text[item] || "")));
}
function showItems(list, doubtful) {
  const heading = doubtful ? "Most doubtful" : "Most typical";
  if (list.length === 0) return null;
  if (list.some(hasPicture)) {
    const wide = data.pictures.width > 32 || data.pictures.height > 32;
    return make("div", {}, make("h4", {}, heading), make("div", {class: "pictures" + (wide ? " wide" : "") + (doubtful ? " doubt" : "")},
      ...list.filter(hasPicture).map(item => picture(item, wide ? 64 : 40))));
  }
  const first = doubtful ? 0 : 3;
  const rest = list.slice(first);
  return make("div", {}, first ? make("h4", {}, heading) : null, first ? textItems(list.slice(0, first)) : null,
    rest.length ? make("details", {}, make("summary", {}, doubtful ? `${rest.length} most doubtful` : `${rest.length} more`), textItems(rest)) : null);
}
function columnTable(columns) {
  const max = Math.max(...columns.map(c => Math.abs(c.z)));
  return make("table", {class: "columns"},
    make("thead", {}, make("tr", {}, make("th", {}, "column"), make("th", {title: "mean of this cluster's rows"}, "here"), make("th", {title: "mean of all other rows"}, "elsewhere"), make("th", {title: "difference of the means in standard deviations"}, "difference"))),
    make("tbody", {}, ...columns.map(c => {
      const bar = make("i"), share = Math.abs(c.z) / max * 50;
      bar.style.width = share + "%";
      bar.style.left = (c.z < 0 ? 50 - share : 50) + "%";
      return make("tr", {}, make("td", {title: c.name || ""}, c.name || "column " + (c.column + 1)), make("td", {}, short(c.inside)),
        make("td", {}, short(c.outside)), make("td", {class: "z", title: `${c.z.toFixed(2)} standard deviations`}, make("div", {}, bar)));
    })));
}
const withUnit = (text, unit) => !unit ? text : /^[$\u00a3\u00a5]$/.test(unit) ? unit + text : text + " " + unit;
// A date with its time needs two lines.
const valueCell = text => make("td", text && text.length > 12 ? {class: "long"} : {}, text ?? "\u2013");
// A table in its own units: the columns of the file in which the cluster differs most.
function describedTable(described) {
  const parts = described.flatMap(c => c.type === "category"
    ? c.values.filter(v => v.difference > 0).sort((a, b) => b.difference - a.difference).slice(0, 1).map(v => ({name: `${c.column} ${v.value}`, here: percent(v.share, 0), there: percent(v.others, 0), z: v.difference}))
    : [...(c.missing_difference > 0 ? [{name: `${c.column} missing`, here: percent(c.missing, 0), there: percent(c.missing_others, 0), z: c.missing_difference}] : []),
      {name: c.column, here: c.type === "yes/no" ? typeof c.share === "number" ? percent(c.share, 0) + " yes" : null : typeof c.mean === "number" ? withUnit(spoken(c.mean), c.unit) : c.mean,
        there: c.type === "yes/no" ? typeof c.others === "number" ? percent(c.others, 0) + " yes" : null : typeof c.others === "number" ? withUnit(spoken(c.others), c.unit) : c.others, z: c.difference}])
    .filter(part => typeof part.z === "number").sort((a, b) => Math.abs(b.z) - Math.abs(a.z)).slice(0, 6);
  if (parts.length === 0) return null;
  const max = Math.max(...parts.map(part => Math.abs(part.z)), 1e-9);
  return make("table", {class: "columns"},
    make("thead", {}, make("tr", {}, make("th", {}, "column"), make("th", {title: "mean or share in this cluster"}, "here"), make("th", {title: "mean or share in all other rows"}, "elsewhere"), make("th", {title: "difference in standard deviations"}, "difference"))),
    make("tbody", {}, ...parts.map(part => {
      const bar = make("i"), share = Math.abs(part.z) / max * 50;
      bar.style.width = share + "%";
      bar.style.left = (part.z < 0 ? 50 - share : 50) + "%";
      return make("tr", {}, make("td", {title: part.name}, part.name), valueCell(part.here), valueCell(part.there),
        make("td", {class: "z", title: `${part.z.toFixed(2)} standard deviations`}, make("div", {}, bar)));
    })));
}
function meter(name, share, text) {
  const bar = make("i");
  bar.style.width = 100 * share + "%";
  return [make("span", {}, name), make("div", {class: "bar"}, bar), make("b", {}, text)];
}
// Confidence depends on k: what counts is how far it is above chance, 1/k.
const level = confidence => { const above = (confidence - 1 / run.k) / (1 - 1 / run.k); return above >= 0.6 ? "high" : above >= 0.3 ? "medium" : "low"; };
function rename(c, button) {
  const title = button.previousSibling, field = make("input", {type: "text", class: "namefield", value: names[c], placeholder: "Cluster " + c, "aria-label": "Name of cluster " + c, maxlength: 80});
  let ended = false; // taking the field away blurs it, too
  const end = keep => { if (ended) return; ended = true; const name = field.value; field.replaceWith(title); button.hidden = false; if (keep) setName(c, name); title.focus(); };
  field.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === "Escape") { event.preventDefault(); end(event.key === "Enter"); } event.stopPropagation(); });
  field.addEventListener("blur", () => end(true));
  button.hidden = true;
  title.replaceWith(field);
  field.focus();
  field.select();
}
function showNames() {
  for (const element of document.querySelectorAll(".card")) {
    const c = +element.id.slice(8), title = element.querySelector("header button:not(.rename)");
    if (title) title.textContent = clusterName(c);
    element.querySelector(".number").textContent = names[c] ? String(c) : "";
  }
  byId("save-names").hidden = !names.some(name => name);
  byId("names-note").textContent = namesChanged() ? "Names are kept in this browser. To keep them in the run: save them, then decant name RUN --names names.csv" : "";
  if (frames.length > 0) { showLegend(); redraw(); }
  showSpreads();
}
function card(c) {
  const about = clusters[c];
  const element = make("article", {class: "card", id: "cluster-" + c},
    make("header", {}, markOf(c), make("small", {class: "number", title: "number of this cluster"}, names[c] ? String(c) : ""), make("button", {type: "button", title: "Show only this cluster in the map", onclick: () => {
        if (state.colour !== "cluster") byId("colour").querySelector("input").click();
        if (state.alone !== c) showOnly(c);
        byId("map-section").scrollIntoView({behavior: reducedMotion.matches ? "auto" : "smooth"});
      }}, clusterName(c)),
      make("button", {type: "button", class: "rename", title: "Name this cluster", "aria-label": "Name cluster " + c, onclick: event => rename(c, event.currentTarget)}, "\u270e"),
      classOf(c) === null ? null : make("span", {class: "badge", title: matched ? "class that this cluster is matched with" : "most frequent class of this cluster, and its share"},
        (/^\d*$/.test(classOf(c)) ? "class " + classOf(c) : classOf(c)) + (matched || !data.confusion.length ? "" : " " + percent(data.confusion[c][data.match[c]] / about.size, 0))),
      make("span", {class: "count"}, `${whole(about.size)} rows`)),
    make("div", {class: "meters"}, ...meter("share", about.size / run.n, percent(about.size / run.n)),
      ...meter("confidence", about.confidence || 0, `${(about.confidence || 0).toFixed(2)} ${level(about.confidence || 0)}`)),
    about.stems.length ? make("div", {class: "stems"}, ...about.stems.map(stem => make("span", {}, stem))) : null,
    about.sentence ? make("p", {class: "sentence"}, about.sentence) : null,
    about.described ? describedTable(about.described) : about.columns.length ? columnTable(about.columns) : null,
    showItems(about.typical, false), showItems(about.doubtful, true));
  element.style.setProperty("--own", colourOf(c));
  return element;
}
function showCards() {
  const home = byId("cards"), batch = 60;
  const numbered = data.items.id.some((id, i) => id === null || id === String(data.items.row[i]));
  byId("cards-lead").textContent = (data.pictures || data.items.text.length
    ? "Each cluster with its most typical rows (nearest to its centroid) and its most doubtful rows (lowest confidence). "
    : "Size and confidence of each cluster. ") +
    `Confidence is how strongly a row belongs to its cluster: from ${+(1 / run.k).toPrecision(2)} (no more than to any other) to 1 (to no other).` +
    (numbered ? " Rows are numbered from 0, as in labels.csv." : "");
  let next = 0, order = clusters.map((_, c) => c);
  byId("order").onchange = () => {
    const by = byId("order").value, numbers = clusters.map((_, c) => c);
    const compare = {number: () => 0, size: (a, b) => clusters[b].size - clusters[a].size,
      confidence: (a, b) => (clusters[b].confidence || 0) - (clusters[a].confidence || 0), name: (a, b) => clusterName(a).localeCompare(clusterName(b), undefined, {numeric: true})}[by];
    order = numbers.sort((a, b) => compare(a, b) || a - b);
    home.replaceChildren();
    next = 0;
    grow();
  };
  byId("save-names").onclick = () => save("names.csv", [["cluster", "name"], ...names.map((name, c) => [c, name]).filter(line => line[1])]);
  const more = make("button", {type: "button", onclick: grow}, "Show more clusters");
  function grow() { // a thousand cards at once would make the page slow to open
    more.remove();
    for (const end = Math.min(clusters.length, next + batch); next < end; next++) home.append(card(order[next]));
    if (next < clusters.length) home.append(more);
  }
  grow();
}

// ---- how the clusters differ ----

function showSpreads() {
  const figures = [...spreadFigures(), ...shareFigures()].filter(figure => figure.share > 0.01).sort((a, b) => b.share - a.share);
  byId("spread-section").hidden = figures.length === 0;
  byId("spreads").replaceChildren(...figures.map(({name, share, lines, axis, left}) =>
    make("figure", {class: "spread"}, make("figcaption", {}, make("b", {}, name),
      make("span", {title: "share of the variance of this column that lies between the clusters"}, percent(share, 0) + " between clusters")),
      ...lines, axis, left > 0 ? make("p", {class: "soft"}, `and ${left} more clusters`) : null)));
}
const maxLines = 60;
// Days since 1970, as exactly as the column needs: "day", "minute", "second", or "time" alone.
function dateText(days, form) {
  const text = new Date(Math.round(days * 86400) * 1000).toISOString().replace("T", " ");
  return form === "time" ? days >= 1 ? "24:00" : text.slice(11, 16) : text.slice(0, {day: 10, minute: 16, second: 19}[form]);
}
// Numbers and dates: where the rows of each cluster are in the range of the column.
function spreadFigures() {
  return (data.spreads || []).map(spread => {
    const bins = spread.counts[0].length, width = 230, height = 17, range = spread.high - spread.low;
    const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(range || 1)))); // years of three seasons differ, too
    const show = (value, exact) => spread.date ? dateText(value, spread.date)
      : withUnit(Math.abs(value) < 1e5 && range > 1e-4 ? exact ? value.toFixed(decimals).replace(/^-(?=[0.]*$)/, "") : String(+value.toFixed(decimals)) : short(value), spread.unit);
    const lines = spread.counts.slice(0, maxLines).map((counts, c) => {
      const most = Math.max(...counts), mean = spread.means[c], filled = mean !== null;
      const svg = makeSvg("svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
      if (filled) svg.append(
        makeSvg("path", {d: `M0 ${height}` + counts.map((n, i) => `L${((i + 0.5) / bins * width).toFixed(1)} ${(height - 1 - n / most * (height - 3)).toFixed(1)}`).join("") + `L${width} ${height}Z`, fill: colourOf(c), "fill-opacity": 0.75}),
        makeSvg("circle", {cx: (Math.min(1, Math.max(0, (mean - spread.low) / range)) * width).toFixed(1), cy: height - 3, r: 2.6, fill: style("--ink")}));
      return make("div", {class: "spread-line", title: `${clusterName(c)}: mean ${filled ? show(mean, true) : "unknown"}`}, make("span", {}, clusterName(c)), svg, make("b", {}, filled ? show(mean, true) : "\u2013"));
    });
    return {name: spread.name || "column " + (spread.column + 1), share: spread.share, lines, left: spread.counts.length - maxLines,
      axis: make("div", {class: "spread-axis"}, make("span", {}, show(spread.low)), make("span", {}, show(spread.high)))};
  });
}
// Categories and yes/no: the most frequent value of each cluster, and its share.
function shareFigures() {
  const first = clusters[0].described || [], weights = clusters.map(cluster => cluster.size / run.n);
  return first.map((column, at) => ({column, at})).filter(({column}) => column.type === "category" || column.type === "yes/no").slice(0, 12).map(({column, at}) => {
    const shares = clusters.map(({described}) => column.type === "yes/no" ? [described[at].share] : described[at].values.map(v => v.share));
    let between = 0, total = 0; // of a 0/1 number for each value
    shares[0].forEach((_, v) => {
      const mean = shares.reduce((a, own, c) => a + weights[c] * own[v], 0);
      total += mean * (1 - mean);
      between += shares.reduce((a, own, c) => a + weights[c] * (own[v] - mean) ** 2, 0);
    });
    return {name: column.column, share: total > 0 ? between / total : 0, axis: null, left: clusters.length - maxLines,
      lines: clusters.slice(0, maxLines).map((cluster, c) => {
        const own = cluster.described[at], top = column.type === "yes/no" ? {value: "yes", share: own.share} : own.values.reduce((a, b) => b.share > a.share ? b : a, {value: "", share: 0});
        const bar = make("i"), home = make("div", {class: "bar"}, bar);
        bar.style.width = 100 * top.share + "%";
        home.style.setProperty("--own", colourOf(c));
        return make("div", {class: "spread-line share", title: `${clusterName(c)}: ${percent(top.share, 0)} ${top.value}`}, make("span", {}, clusterName(c)), home, make("b", {}, `${percent(top.share, 0)} ${top.value}`));
      })};
  });
}

// ---- rows: search and save ----

function handleRows() {
  const pointOf = new Map();
  for (let p = 0; p < points; p++) pointOf.set(pointItem[p], p);
  const text = data.items.id.map((id, i) => (id === null ? "" : id + " ") + data.items.row[i]);
  byId("search").addEventListener("input", () => {
    const wanted = byId("search").value.trim().toLowerCase(), list = byId("found");
    list.replaceChildren();
    byId("found-note").textContent = "";
    if (wanted === "") return;
    const exact = [], partial = [];
    text.forEach((line, item) => {
      const lower = line.toLowerCase();
      if (lower.split(" ").includes(wanted)) exact.push(item); else if (lower.includes(wanted)) partial.push(item);
    });
    const found = [...exact, ...partial];
    byId("found-note").textContent = `${whole(found.length)} of the ${whole(text.length)} rows in this page` + (text.length < run.n ? "; the others are in labels.csv" : "");
    list.append(...found.slice(0, 8).map(item => make("li", {}, make("button", {type: "button", class: "plain", onclick: () => {
      if (!pointOf.has(item)) { byId("cluster-" + data.items.cluster[item])?.scrollIntoView(); return; }
      const p = pointOf.get(item), m = measureMap();
      showTip(p, toX(m, now.place[2 * p]) / m.dense, toY(m, now.place[2 * p + 1]) / m.dense);
    }}, itemName(item)), ` ${clusterName(data.items.cluster[item])}, confidence ${data.items.confidence[item].toFixed(2)}`)));
  });
  byId("save-rows").onclick = () => {
    const last = frames[frames.length - 1], lines = [["id", "cluster", "confidence", ...(names.some(name => name) ? ["name"] : []), ...(pointClass ? ["class"] : [])]];
    for (let p = 0; p < points; p++) {
      if (!isShown(p)) continue;
      const item = pointItem[p], c = last.cluster[p], known = item < data.items.row.length;
      lines.push([known ? (data.items.id[item] === null ? data.items.row[item] : data.items.id[item]) : "", c, (pointConfidence[p] / 65535).toFixed(4),
        ...(names.some(name => name) ? [names[c]] : []), ...(pointClass ? [classes[pointClass[p]] ?? ""] : [])]);
    }
    save("rows.csv", lines);
  };
}

// ---- classes ----

function showConfusion() {
  if (!classes || !data.confusion || data.confusion.length === 0) return;
  const order = clusters.map((_, c) => c).sort((a, b) => (data.match[a] < 0) - (data.match[b] < 0) || data.match[a] - data.match[b] || a - b);
  byId("confusion-section").hidden = false;
  byId("confusion").append(
    make("thead", {}, make("tr", {}, make("th", {}, "cluster \\ class"), ...classes.map(name => make("th", {scope: "col", title: name}, name)))),
    make("tbody", {}, ...order.map(c => make("tr", {}, make("th", {scope: "row"}, String(c)), ...data.confusion[c].map((count, j) => {
      const share = clusters[c].size ? count / clusters[c].size : 0;
      const cell = make("td", {class: [share > 0.5 ? "strong" : "", data.match[c] === j ? "match" : "", count === 0 ? "none" : ""].join(" "),
                               title: `${whole(count)} rows of cluster ${c} are of class ${classes[j]}`}, count ? whole(count) : "\u00b7");
      cell.style.setProperty("--share", share);
      return cell;
    })))));
}

// ---- Figure 4 ----

function showGradient() {
  if (!data.gradient) return;
  byId("gradient-section").hidden = false;
  if (!byId("training").open) return; // it has no size yet
  const canvas = byId("gradient"), box = canvas.getBoundingClientRect(), dense = Math.min(devicePixelRatio || 1, 2);
  const q = words(data.gradient.q), size = words(data.gradient.size), p = canvas.getContext("2d");
  canvas.width = Math.round(box.width * dense);
  canvas.height = Math.round(box.height * dense);
  const w = box.width, h = box.height, left = 62, bottom = 40, top = 16, right = 16;
  const rough = data.gradient.most / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const tick = [1, 2, 5, 10].map(f => f * power).find(step => step >= rough * 0.999), max = tick * Math.ceil(data.gradient.most / tick - 1e-9) || 1;
  p.scale(dense, dense);
  p.font = "12px system-ui, sans-serif";
  p.fillStyle = style("--soft");
  p.strokeStyle = style("--line");
  const x = v => left + v * (w - left - right), y = v => h - bottom - v * (h - top - bottom);
  p.textAlign = "center";
  for (let i = 0; i <= 5; i++) p.fillText((i / 5).toFixed(1), x(i / 5), h - bottom + 17);
  p.textAlign = "right";
  for (let value = 0; value <= max * 1.001; value += tick) {
    p.fillText(short(value), left - 7, y(value / max) + 4);
    p.beginPath();
    p.moveTo(left, y(value / max));
    p.lineTo(w - right, y(value / max));
    p.stroke();
  }
  p.textAlign = "center";
  p.fillText("largest q of the row", (left + w - right) / 2, h - 6);
  p.save();
  p.translate(13, (top + h - bottom) / 2);
  p.rotate(-Math.PI / 2);
  p.fillText("|\u2202L/\u2202z|", 0, 0);
  p.restore();
  p.globalAlpha = 0.6;
  for (let i = 0; i < points; i++) {
    if (state.colour === "cluster" && state.alone >= 0 && frames[0].cluster[i] !== state.alone) continue;
    p.fillStyle = colourOf(frames[0].cluster[i]);
    tracePath(p, shapeOf(frames[0].cluster[i]), x(q[i] / 65535), y(size[i] / 65535 * data.gradient.most / max), 1.8);
    p.fill();
  }
}

// ---- how it was made ----

function showProvenance() {
  byId("command").textContent = run.command || "made by a program that uses the library";
  byId("copy").hidden = !run.command;
  byId("copy").onclick = async () => {
    try { await navigator.clipboard.writeText(run.command); } catch (error) {
      const range = document.createRange();
      range.selectNodeContents(byId("command"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    byId("copy").textContent = "Copied";
  };
  const machine = run.machine || {}, libraries = run.libraries || {};
  const facts = [["method", `${run.method}, preset ${run.preset}`], ["scaling", run.scaling], ["seed", run.seed], ["iterations", `${whole(run.iterations)}, ${run.converged ? "converged" : "stopped at the limit of iterations"}`],
    ...(run.warnings || []).map(sentence => ["note", sentence]), ["decant", run.decant], ...Object.entries(libraries).map(([name, value]) => [name, value]),
    ["machine", Object.values(machine).join(", ")], ["threads", run.threads],
    ["memory", run.peak_memory_bytes ? whole(run.peak_memory_bytes / 1048576) + " MiB (peak)" : null],
    ["started", run.started], ["finished", run.finished], ["data digest", run.data_digest]];
  byId("facts").append(...facts.filter(fact => fact[1] !== null && fact[1] !== undefined && fact[1] !== "")
    .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]));
  const phases = Object.entries(run.seconds || {}).filter(entry => entry[0] !== "total");
  const longest = Math.max(1e-9, ...phases.map(entry => entry[1]));
  byId("times").append(...phases.flatMap(([name, value]) => meter(name, value / longest, seconds(value))));
  // Some options follow the number of rows, and -k auto is a search: what nobody asked for must not look so.
  const asked = /^\S*decant fit /.test(run.command || "") ? run.command.split(/[ =]/) : null;
  const found = line => asked && line[2] !== line[3] && !asked.includes("--" + line[1]) && !(line[1] === "k" && asked.includes("-k") && !asked.includes("auto"));
  const row = line => make("tr", {}, make("td", {}, line[1]), make("td", {}, line[2], found(line) ? make("span", {class: "soft"}, " found for these rows") : null), make("td", {}, line[3] === null ? "none" : line[3]), make("td", {}, line[4]));
  const table = lines => make("div", {class: "scroll"}, make("table", {class: "settings"},
    make("thead", {}, make("tr", {}, ...["option", "value", "default", "meaning"].map(name => make("th", {}, name)))), make("tbody", {}, ...lines.map(row))));
  const changed = data.settings.filter(line => line[2] !== line[3]), usual = data.settings.filter(line => line[2] === line[3]);
  byId("settings").append(changed.length ? table(changed) : make("p", {}, "All settings have their defaults."),
    make("details", {}, make("summary", {}, `${usual.length} settings with their default`), table(usual)));
  byId("footer").textContent = `Made by decant ${run.decant}. This file is complete: it loads nothing from the network.`;
}

// ---- build the page ----

showHead();
document.querySelector("main").hidden = false;
if (frames.length > 0) {
  const hasSteps = frames.length > 1;
  byId("map-lead").textContent = `${points < run.n ? `A sample of ${whole(points)} of the ${whole(run.n)} rows` : `All ${whole(points)} rows`}, ` +
    `${run.latent ? "in the learned feature space" : "in the space of the data"}, drawn by t-SNE: rows that are near each other are similar. ` +
    (hasSteps ? "The slider shows the clusters at earlier steps of training. " : "") + "Click on a cluster to show only that one.";
  byId("time").hidden = !hasSteps;
  byId("time").style.display = hasSteps ? "" : "none";
  map.setAttribute("aria-label", `Map of ${points} rows in ${run.k} clusters; plus and minus zoom, arrows move`);
  showChoice();
  showLegend();
  showCurves();
  handleMapEvents();
  handleTimeEvents();
  handleRows();
  goTo(state.frame, true);
} else {
  byId("map-section").hidden = true;
}
showCards();
showConfusion();
showNames();
byId("training").addEventListener("toggle", () => showGradient());
byId("training-section").hidden = !data.gradient && byId("curves").childElementCount === 0;
showGradient();
showProvenance();
// On paper nothing can be opened: everything is, but for the further rows of more than three clusters. They would take
// more than a page for each.
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printed");
  document.querySelectorAll(clusters.length > 3 ? "details:not([open]):not(.card *)" : "details:not([open])").forEach(part => { part.open = true; part.dataset.closed = ""; });
  drawMap(); // at once: paper does not wait for the next frame
  showGradient(); // the event of the part that was opened comes after the page was printed
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printed");
  document.querySelectorAll("details[data-closed]").forEach(part => { part.open = false; delete part.dataset.closed; });
  redraw();
});
document.documentElement.dataset.ready = "yes";
})();
