import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0006 The emulator has no clock","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0006-time-is-data.md","filePath":"decisions/0006-time-is-data.md"}');
const _sfc_main = { name: "decisions/0006-time-is-data.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0006-the-emulator-has-no-clock" tabindex="-1">0006 The emulator has no clock <a class="header-anchor" href="#_0006-the-emulator-has-no-clock" aria-label="Permalink to &quot;0006 The emulator has no clock&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Whether a frame is finished depends on time (16 ms of silence), and so does whether an agent rests (three looks). If the reading code used the machine&#39;s clock, a replayed recording, a daemon that catches up and a test would see something else than the live session did.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>Nothing between the bytes and the phase has a clock or a timer: emulator, frame timing, coalescer, classifier, settler. Every call carries the time (<code>feed(bytes, t)</code>, <code>tick(t)</code>) in seconds since the start of the session, as stamped by the keeper. The owner of the object asks <code>nextDeadline()</code> and calls <code>tick</code> at that time: a live session with a real timer, a replay in a loop. A frame that ends by silence carries the time at which the silence was long enough, not the time of the call.</p><p>Everything else that needs time gets a <code>Clock</code>; tests use <code>SimulatedClock</code>. <code>npm run check</code> refuses timers outside <code>clock/</code>.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>The same bytes with the same times give the same frames, so catch-up (<a href="./0008-sequential-turn-ids.html">0008</a>), replays and tests are exact and fast.</li><li>The time of a session follows the keeper&#39;s stamps and never runs backwards. A wrong clock of the daemon changes nothing that is recorded.</li><li>Callers must keep the contract: without <code>tick</code>, a session never seems to rest.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>If a deadline is missed live but not in a replay: then the defect is in the owner of the object.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0006-time-is-data.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0006TimeIsData = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0006TimeIsData as default
};
