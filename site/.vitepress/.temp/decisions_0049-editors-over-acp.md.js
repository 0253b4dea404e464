import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0049 Editors use a session over ACP; its requests stay in the ledger","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0049-editors-over-acp.md","filePath":"decisions/0049-editors-over-acp.md"}');
const _sfc_main = { name: "decisions/0049-editors-over-acp.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0049-editors-use-a-session-over-acp-its-requests-stay-in-the-ledger" tabindex="-1">0049 Editors use a session over ACP; its requests stay in the ledger <a class="header-anchor" href="#_0049-editors-use-a-session-over-acp-its-requests-stay-in-the-ledger" aria-label="Permalink to &quot;0049 Editors use a session over ACP; its requests stay in the ledger&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Zed, JetBrains and Neovim start agents that speak the Agent Client Protocol (ACP) on standard input and output. With <code>signalbox acp &lt;agent&gt;</code> they can use a session of Signalbox. The protocol has a version 1 that editors speak, and a draft of version 2.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p><code>@agentclientprotocol/sdk</code> 2.4, by the maintainers of the protocol (Apache-2.0), with its default entry: version 1 without unstable features. It depends on zod only; like other libraries it is bundled into <code>dist/</code>, and only <code>signalbox acp</code> loads it. It validates every message in both directions and follows the schema, which we would otherwise do by hand.</p><ul><li>The id of a session in the protocol is the id of the session in Signalbox. The bridge keeps no state of its own: it calls the API and reads its events.</li><li>Only final messages are sent. The protocol can append text, not revise it, and what is read from a screen may change until its message is complete.</li><li>A permission request of the protocol is shown for every request in the ledger, and its answer is a decision like any other. Editors have settings that allow everything without showing it, so the decision says that the request was <em>not</em> seen as a whole: the ledger then takes denials, and allows only what is of low risk.</li></ul><p>Not part of this: agents that speak ACP themselves, as sessions without a terminal.</p><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When editors speak version 2, or when a client can prove that a person saw a request.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0049-editors-over-acp.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0049EditorsOverAcp = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0049EditorsOverAcp as default
};
