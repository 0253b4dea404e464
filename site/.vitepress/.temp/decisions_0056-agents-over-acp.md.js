import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0056: Agents over the Agent Client Protocol are sessions","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0056-agents-over-acp.md","filePath":"decisions/0056-agents-over-acp.md"}');
const _sfc_main = { name: "decisions/0056-agents-over-acp.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0056-agents-over-the-agent-client-protocol-are-sessions" tabindex="-1">0056: Agents over the Agent Client Protocol are sessions <a class="header-anchor" href="#_0056-agents-over-the-agent-client-protocol-are-sessions" aria-label="Permalink to &quot;0056: Agents over the Agent Client Protocol are sessions&quot;">​</a></h1><p><strong>Context.</strong> Many agents speak the Agent Client Protocol (ACP): Gemini CLI, Qwen Code, OpenCode, Copilot, and through adapters Claude Code and Codex. The protocol carries prompts, streamed answers, tool calls and permission requests exactly, without a screen to read. A second kind of session must not mean a second mechanism: every surface, the ledger, the log and the rules about restarts stay the same.</p><p><strong>Choice.</strong></p><ul><li>The host knows one interface, <code>LocalSession</code>. A session in a terminal (<code>LiveSession</code>) and one over the protocol (<code>AcpSession</code>) implement it. They share what knows no screen: the prompt queue, the journal, the writer of messages, notices, the end.</li><li>The keeper owns the process, on pipes instead of a PTY, and records both directions. <code>AcpConversation</code> folds the messages of both directions without a clock or an effect, so a new daemon reads the recording from its start and has the same turns, messages and open questions. What was already in the log is not written again.</li><li>A permission call is a request in the ledger with the agent&#39;s own options. Its delivery is the answer to the call. The recording has the answer before the agent reads it, so after a crash the next daemon knows whether it was sent.</li><li>The types come from <code>@agentclientprotocol/sdk</code>; its connection does not, because a connection lives and dies with one process.</li><li>Signalbox offers the agent no file system and no terminals of its own (<code>clientCapabilities</code>). The agent has both itself, inside its sandbox. Files that the daemon wrote for it would be outside of that sandbox.</li><li>The protocol has no field for the reason of a denial: the reason is sent as the next prompt. A call that offers several ways to go on is shown as a question.</li></ul><p><strong>Consequences.</strong> A session over the protocol has no screen, so <code>attach</code>, keys and the terminal page are refused, with the reason. Snapshots are not needed: reading the recording again is fast because nothing is drawn. <code>explain</code> names the protocol&#39;s messages as evidence (<code>acp/request</code>).</p><p><strong>Look again</strong> when version 2 of the protocol is stable, or when an agent needs the client&#39;s files, as remote agents would.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0056-agents-over-acp.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0056AgentsOverAcp = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0056AgentsOverAcp as default
};
