import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0017 A client that reconnects gets up to 12 000 missed events, page by page","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0017-replay-of-missed-events.md","filePath":"decisions/0017-replay-of-missed-events.md"}');
const _sfc_main = { name: "decisions/0017-replay-of-missed-events.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0017-a-client-that-reconnects-gets-up-to-12-000-missed-events-page-by-page" tabindex="-1">0017 A client that reconnects gets up to 12 000 missed events, page by page <a class="header-anchor" href="#_0017-a-client-that-reconnects-gets-up-to-12-000-missed-events-page-by-page" aria-label="Permalink to &quot;0017 A client that reconnects gets up to 12 000 missed events, page by page&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A client resumes an event stream with a cursor. The first limit was 5 000 events or 8 MiB; beyond it the server answered <code>gap</code>, and the client had to load everything again. A laptop that sleeps for ten minutes beside a hundred sessions misses more, and the target is 10 000 events after one reconnect, without gaps or duplicates. The server read, serialised and sent all missed events as one piece: a higher limit alone would have cost tens of megabytes per client.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><ul><li>The limit is 12 000 events or 16 MiB: the target, plus events that are written during the replay.</li><li>The server reads the missed events twice: first to count them, which decides between <code>ok</code> and <code>gap</code> and keeps nothing in memory; then to send them in pages of 250 events, each after the client has taken the previous one. So a client costs one page of memory, also when it stops reading.</li><li>A client gets no live events before it has reached the head of the log; the log itself holds them until then. The switch happens in one step, so there is no buffer that could lose or duplicate an event.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>Clients see fewer gaps.</li><li>Counting reads the missed events once more: about 0.1 s for 10 000.</li><li>Panes and unfinished text are sent when the client has reached the head; only their newest state matters.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When clients often miss more than 12 000 events: then a snapshot is cheaper than a longer replay.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0017-replay-of-missed-events.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0017ReplayOfMissedEvents = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0017ReplayOfMissedEvents as default
};
