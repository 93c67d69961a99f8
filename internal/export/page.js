"use strict";
(function () {
  var $ = function (id) { return document.getElementById(id); };
  var H = 22, shapes = [], starts = [], rows, shown = [], pick = -1, whole = null, byRef = null;
  // At first it is only noted where rows stand: what a row says is read, and cut out of the data block, when it is looked at.
  var blocks = Array.from(document.querySelectorAll("script.data")), at = 0;
  var text = blocks.map(function (b) { return b.textContent; }).join("");
  while (at < text.length) {
    var end = text.indexOf("\n", at), first = text.charCodeAt(at);
    if (end < 0) end = text.length;
    if (first === 0x5b) starts.push(at);
    else if (first === 0x3d) shapes.push(JSON.parse(text.slice(at + 1, end)));
    else if (first === 0x21) whole = JSON.parse(text.slice(at + 1, end));
    at = end + 1;
  }
  rows = new Array(starts.length);
  function row(i) {
    if (rows[i]) return rows[i];
    var from = starts[i], tab = text.indexOf("\t", from), end = text.indexOf("\n", tab), a = JSON.parse(text.slice(from, tab));
    return rows[i] = { a: a, s: shapes[a[0]], from: tab + 1, to: end < 0 ? text.length : end, ref: a[2] < 0 ? String(a[1]) : a[1] + "." + a[2], low: null };
  }
  function find(ref) {
    if (!byRef) {
      byRef = new Map();
      for (var i = 0; i < rows.length; i++) byRef.set(row(i).ref, i);
    }
    return byRef.get(ref);
  }
  function raw(r) { return text.slice(r.from, r.to); }
  function failed(r) { var st = r.a[5]; return r.s[1] === "error" || r.s[1] === "invalid" || st === "tool_error" || st === "unmatched" || st === "duplicate"; }
  function low(r) {
    if (r.low === null) r.low = (r.s[3] + " " + r.a[8] + " " + JSON.stringify(r.a[9]) + " " + (r.a[10] || "") + " " + raw(r)).toLowerCase();
    return r.low;
  }
  function options(id, i) {
    var seen = new Set();
    shapes.forEach(function (s) { if (s[i]) seen.add(s[i]); });
    Array.from(seen).sort().forEach(function (v) { var o = document.createElement("option"); o.value = o.textContent = v; $(id).append(o); });
  }
  options("kind", 1);
  options("group", 4);
  function el(tag, cls, txt) { var e = document.createElement(tag); if (cls) e.className = cls; if (txt !== undefined) e.textContent = txt; return e; }
  function apply() {
    var q = $("q").value.toLowerCase(), kind = $("kind").value, group = $("group").value, bad = $("bad").checked;
    shown = [];
    var all = !q && !kind && !group && !bad;
    for (var i = 0; i < rows.length; i++) {
      if (all) { shown.push(i); continue; }
      var r = row(i);
      if (kind && r.s[1] !== kind || group && r.s[4] !== group || bad && !r.a[9].length && !failed(r)) continue;
      if (q && low(r).indexOf(q) < 0) continue;
      shown.push(i);
    }
    $("count").textContent = shown.length + " of " + rows.length + " entries" + (whole && whole.revision ? " · " + whole.revision : "");
    $("space").style.height = shown.length * H + "px";
    draw();
  }
  function clean(s) { return s.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "\ufffd"); }
  function line(n) {
    var i = shown[n], r = row(i), a = r.a, s = r.s;
    var e = el("div", "row " + s[0] + (i === pick ? " pick" : "") + (failed(r) ? " bad" : "") + (a[9].length ? " flag" : ""));
    e.style.top = n * H + "px";
    e.dataset.n = n;
    e.setAttribute("role", "option");
    e.append(el("span", "n", (a[9].length ? "! " : "") + r.ref), el("span", "t", "+" + (a[3] / 1e6).toFixed(3)));
    var name = clean((s[3] || s[1]) + (a[8] ? " " + a[8] : ""));
    if ($("ladder").checked && s[0] !== "stderr" && s[0] !== "control") {
      var rung = el("span", "rung"), head = s[0] === "stdin" ? "\u25b6" : "\u25c0";
      var left = el("span", "", s[0] === "stdin" ? "client " : "client " + head), right = el("span", "", s[0] === "stdin" ? head + " server" : " server");
      rung.append(left, el("i"), el("b", "", (s[1] === "response" || s[1] === "error" ? s[1] + " " : "") + name), el("i"), right);
      e.append(rung);
    } else {
      var mark = { stdin: "\u2192", stdout: "\u2190", stderr: "\u250a", control: "\u25a0" }[s[0]];
      e.append(el("span", "d", mark), el("span", "p", s[6]), el("span", "g", s[4]), el("span", "m", name), el("span", "w", clean(a[10] || raw(r).slice(0, 200))));
    }
    e.append(el("span", "l", a[6] < 0 ? a[5] : (a[6] / 1000).toFixed(1) + " ms"));
    return e;
  }
  function draw() {
    var list = $("list"), from = Math.max(0, Math.floor(list.scrollTop / H) - 5), to = Math.min(shown.length, from + Math.ceil(list.clientHeight / H) + 10);
    var parts = [$("space")];
    for (var n = from; n < to; n++) parts.push(line(n));
    list.replaceChildren.apply(list, parts);
  }
  // The message is indented as text, so that numbers and escapes keep their spelling.
  function pretty(t) {
    var out = [], depth = 0, i = 0, pad = function () { out.push("\n" + "  ".repeat(Math.min(depth, 100))); };
    if (t[0] !== "{" && t[0] !== "[") { if (t[0] === '"') { try { return JSON.parse(t); } catch (e) { return t; } } return t; }
    while (i < t.length) {
      var c = t[i];
      if (c === '"') {
        var j = i + 1;
        while (j < t.length && t[j] !== '"') j += t[j] === "\\" ? 2 : 1;
        out.push(t.slice(i, j + 1)); i = j + 1; continue;
      }
      if (c === "{" || c === "[") {
        var k = i + 1; while (k < t.length && /\s/.test(t[k])) k++;
        if (t[k] === "}" || t[k] === "]") { out.push(c + t[k]); i = k + 1; continue; }
        depth++; out.push(c); pad();
      } else if (c === "}" || c === "]") { depth--; pad(); out.push(c); }
      else if (c === ",") { out.push(c); pad(); }
      else if (c === ":") out.push(": ");
      else if (!/\s/.test(c)) out.push(c);
      i++;
    }
    return out.join("");
  }
  function detail(i) {
    pick = i;
    var r = row(i), a = r.a, s = r.s, d = $("detail"), dl = el("dl"), parts = [dl];
    var put = function (k, v) { if (v) dl.append(el("dt", "", k), el("dd", "", clean(String(v)))); };
    put("entry", r.ref); put("kind", s[1]); put("from", s[2]); put("stream", s[0]); put("method", s[3]); put("target", a[8]); put("primitive", s[5] || s[4]);
    put("phase", s[6]); put("revision", s[8] + (s[7] ? " (" + s[7] + ")" : "")); put("capability", s[9].join(", ")); put("state", a[5]);
    put("latency", a[6] < 0 ? "" : a[6] / 1000 + " ms"); put("size", a[7] ? a[7] + " bytes" : ""); put("summary", a[10]);
    var half = a[4] === 0 ? undefined : find(a[4]);
    if (half !== undefined) {
      var b = el("button", "", "other half: " + a[4]);
      b.type = "button";
      b.addEventListener("click", function () { reveal(half); });
      parts.push(b);
    }
    a[9].forEach(function (f) { parts.push(el("p", f[0], clean(f[0] + " " + f[1] + " (by " + f[2] + "): " + f[3] + (f[4] ? " \u2014 " + f[4] : "")))); });
    var t = raw(r), most = 400000;
    parts.push(el("pre", "", pretty(t.slice(0, most)) + (t.length > most ? "\n\u2026 " + (t.length - most) + " more characters" : "")));
    d.replaceChildren.apply(d, parts);
    draw();
  }
  function reveal(i) {
    var n = shown.indexOf(i);
    if (n < 0) { $("q").value = ""; $("kind").value = ""; $("group").value = ""; $("bad").checked = false; apply(); n = shown.indexOf(i); }
    var list = $("list");
    if (n * H < list.scrollTop || (n + 1) * H > list.scrollTop + list.clientHeight) list.scrollTop = n * H - list.clientHeight / 2;
    detail(i);
  }
  var wait = 0;
  $("q").addEventListener("input", function () { clearTimeout(wait); wait = setTimeout(apply, 120); });
  ["kind", "group", "bad"].forEach(function (id) { $(id).addEventListener("change", apply); });
  $("ladder").addEventListener("change", draw);
  $("list").addEventListener("scroll", function () { requestAnimationFrame(draw); });
  $("list").addEventListener("click", function (ev) { var e = ev.target.closest(".row"); if (e) detail(shown[+e.dataset.n]); });
  $("list").addEventListener("keydown", function (ev) {
    var n = shown.indexOf(pick), step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, j: 1, k: -1 }[ev.key];
    if (!step || !shown.length) return;
    ev.preventDefault();
    reveal(shown[Math.max(0, Math.min(shown.length - 1, n + step))]);
  });
  $("theme").addEventListener("click", function () {
    var dark = getComputedStyle(document.documentElement).colorScheme === "dark", c = document.documentElement.classList;
    c.toggle("light", dark); c.toggle("dark", !dark);
  });
  window.addEventListener("resize", draw);
  if (whole) whole.whole.forEach(function (f) { $("about").append(" \u00b7 " + clean(f)); });
  apply();
  // The rows are on the screen; what they are cut out of is held by text.
  setTimeout(function () { blocks.forEach(function (b) { b.textContent = ""; }); }, 0);
})();
