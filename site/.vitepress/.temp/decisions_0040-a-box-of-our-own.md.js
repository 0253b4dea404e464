import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0040 The sandbox is bubblewrap behind a plan of our own","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0040-a-box-of-our-own.md","filePath":"decisions/0040-a-box-of-our-own.md"}');
const _sfc_main = { name: "decisions/0040-a-box-of-our-own.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0040-the-sandbox-is-bubblewrap-behind-a-plan-of-our-own" tabindex="-1">0040 The sandbox is bubblewrap behind a plan of our own <a class="header-anchor" href="#_0040-the-sandbox-is-bubblewrap-behind-a-plan-of-our-own" aria-label="Permalink to &quot;0040 The sandbox is bubblewrap behind a plan of our own&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>People want an agent that can write its project and nothing else, and be asked about the rest. <code>@anthropic-ai/sandbox-runtime</code> does a part of it: it needs Node 22, <code>socat</code> and <code>ripgrep</code>, shows the whole home directory for reading unless told otherwise, and answers a refused host by its own callback.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>A plan (<code>src/sandbox/plan.ts</code>) says what is visible, writable and reachable, and why. Backends turn the same plan into a command line: bubblewrap, <code>sandbox-exec</code>, docker, podman. bubblewrap starts in 5 ms, needs no root, and is packaged everywhere. The plan starts from a read-only system with private <code>/tmp</code>, <code>/run</code> and home directory and adds what an agent needs (<code>profiles.ts</code>).</p><p>The only ways out are two unix sockets in directories of their own: one takes hook reports and nothing else, one is a proxy of this session. The proxy lives in the daemon, so that a refused host is a request in the ledger like any other. In the sandbox a small program of ours makes that socket a port, because programs expect a proxy to have one.</p><p>Rejected: <code>landlock</code> (no view of its own: a hidden socket stays reachable by its path), a seccomp filter (needs a compiled filter per platform; nothing in the list of attacks needed it), <code>--new-session</code> (the agent would lose its terminal: no job control, no Ctrl-C).</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>A program that ignores <code>HTTPS_PROXY</code> has no network in a filtered sandbox.</li><li>A sandbox stays as it was made: only hosts can be added while the agent runs.</li></ul><h2 id="look-again" tabindex="-1">Look again <a class="header-anchor" href="#look-again" aria-label="Permalink to &quot;Look again&quot;">​</a></h2><p>When sandbox-runtime runs on the oldest Node that we support, or when steps of runs get boxes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0040-a-box-of-our-own.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0040ABoxOfOurOwn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0040ABoxOfOurOwn as default
};
