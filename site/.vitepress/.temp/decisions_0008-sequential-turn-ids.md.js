import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0008 Ids of turns and messages are counters","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0008-sequential-turn-ids.md","filePath":"decisions/0008-sequential-turn-ids.md"}');
const _sfc_main = { name: "decisions/0008-sequential-turn-ids.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0008-ids-of-turns-and-messages-are-counters" tabindex="-1">0008 Ids of turns and messages are counters <a class="header-anchor" href="#_0008-ids-of-turns-and-messages-are-counters" aria-label="Permalink to &quot;0008 Ids of turns and messages are counters&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>After a crash, the next daemon reads bytes that the previous one has already read, from the newest snapshot on, and then new bytes. It cannot know which of the resulting events were written before the crash. With random ids every crash would duplicate or lose a turn; a marker after every event would need a transaction over the log and the keeper&#39;s memory.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>Ids follow from the bytes. The turns of a session are <code>ses_….1</code>, <code>ses_….2</code>, …, the messages of a turn <code>ses_….2.1</code>, …. Because reading is deterministic (<a href="./0006-time-is-data.html">0006</a>), the same bytes give the same ids. The session&#39;s journal knows which ids the log contains, and writes each of <code>turn.opened</code>, <code>turn.prompted</code>, <code>turn.closed</code>, <code>message.final</code>, <code>session.ready</code> and <code>session.ended</code> once per id. No approvals are raised while catching up. When the session is live again, the menu on screen is compared with the open requests in the ledger, by content and by instance.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>At-least-once reading becomes exactly-once writing without a second log.</li><li>A snapshot is only a cache; it may be missing, torn or old.</li><li>If the classifier changes between two versions, bytes after the last snapshot can give other turns than before. Events in the log do not change.</li><li>The content of a snapshot is part of the contract: if its shape or meaning changes, its format number must change.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When turns come from an agent&#39;s own transcript, which has its own ids.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0008-sequential-turn-ids.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0008SequentialTurnIds = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0008SequentialTurnIds as default
};
