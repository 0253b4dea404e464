import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0011 A beta version of node-pty","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0011-node-pty-beta.md","filePath":"decisions/0011-node-pty-beta.md"}');
const _sfc_main = { name: "decisions/0011-node-pty-beta.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0011-a-beta-version-of-node-pty" tabindex="-1">0011 A beta version of node-pty <a class="header-anchor" href="#_0011-a-beta-version-of-node-pty" aria-label="Permalink to &quot;0011 A beta version of node-pty&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>@lydell/node-pty</code> 1.1.0 opens the master side of every PTY without close-on-exec. A program that is started later inherits the masters of all running sessions: one agent could read another agent&#39;s screen and type into it. Upstream has fixed this (microsoft/node-pty, pull request 867), but only in 1.2.0-beta.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>1.2.0-beta.15, pinned exactly. A few descriptors still leak through gaps in the descriptor table, so <code>terminal/pty/pty.ts</code> fills the gaps around the fork. A test starts several sessions and checks the descriptors that they inherited.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>A central dependency is a beta version. Only <code>terminal/pty</code> imports it, its interface has five functions, and the tests drive it with real programs: 64 kB of output before an exit, signals, sizes, exits by signal, a thousand bytes of input to a program that does not read.</li><li>One defect remains: it closes the master 200 ms after the exit, even if output is unread. We hold the slave open and drain the output first.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When 1.2.0 is released: update the version, <code>withoutDescriptorGaps</code> and this page.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0011-node-pty-beta.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0011NodePtyBeta = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0011NodePtyBeta as default
};
