import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0013 Graphviz as WebAssembly","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0013-graphviz-as-wasm.md","filePath":"decisions/0013-graphviz-as-wasm.md"}');
const _sfc_main = { name: "decisions/0013-graphviz-as-wasm.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0013-graphviz-as-webassembly" tabindex="-1">0013 Graphviz as WebAssembly <a class="header-anchor" href="#_0013-graphviz-as-webassembly" aria-label="Permalink to &quot;0013 Graphviz as WebAssembly&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>signalbox graph</code> draws workflows and runs. Graphviz produces readable layouts (ranks, few crossings, labels on edges), and our graphs are already in its language. If we required an installed <code>dot</code>, drawings would depend on the machine.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p><code>@viz-js/viz</code>, pinned exactly: Graphviz compiled to WebAssembly, without dependencies, network or file access. It is loaded only when an SVG is drawn. Its input is DOT that we generate (<code>src/graph/draw-dot.ts</code>), never the user&#39;s file, so drawing attributes and HTML labels of the user&#39;s file do not reach it.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>An installation grows by 5 MB; start-up time does not change.</li><li>Layout time grows faster than the graph. Above 400 nodes edges are straight. Above 2 000 nodes, or when Graphviz takes longer than <code>graphs.draw_timeout</code>, a simple layout of our own is used: rows by distance from the start, straight lines.</li><li>The server uses the same function for its SVG.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When graphs are edited graphically in the browser, or when layout must be incremental.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0013-graphviz-as-wasm.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0013GraphvizAsWasm = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0013GraphvizAsWasm as default
};
