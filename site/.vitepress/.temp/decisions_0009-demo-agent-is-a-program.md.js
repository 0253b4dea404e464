import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0009 The demo agent is a separate program","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0009-demo-agent-is-a-program.md","filePath":"decisions/0009-demo-agent-is-a-program.md"}');
const _sfc_main = { name: "decisions/0009-demo-agent-is-a-program.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0009-the-demo-agent-is-a-separate-program" tabindex="-1">0009 The demo agent is a separate program <a class="header-anchor" href="#_0009-the-demo-agent-is-a-separate-program" aria-label="Permalink to &quot;0009 The demo agent is a separate program&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The product is about programs in terminals. A demo and tests that use a recording or a mock of a session would leave out what breaks: PTYs, sizes, partial writes, keys that come too early, exits. Real agents cost money, need keys and a network, and change every week.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p><code>demo-agent/</code> is a real full-screen program with its own look, driven by scenarios in JSON. It thinks, streams, calls tools, edits files and runs git for real, asks with every kind of menu, fails, hangs, and dies after its work is done. It has a headless mode, transcripts, session ids and hooks like real agents. Signalbox starts it like any agent, through an adapter and a pack, and it imports nothing of Signalbox but <code>text/</code> and <code>errors/</code>.</p><p>It does not imitate any vendor&#39;s agent: the classifier must not be tuned to a copy of a changing program.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li><code>npm start</code> shows the product on a fresh machine without a key, and end-to-end tests use the public entry point.</li><li>It is a large program to maintain. Its output is specified (<a href="./../demo-agent.html">demo-agent.md</a>), because its pack and many tests depend on it.</li><li>It proves nothing about the screens of other agents: their packs need recordings.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When its scenarios need features that no real agent has.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0009-demo-agent-is-a-program.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0009DemoAgentIsAProgram = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0009DemoAgentIsAProgram as default
};
