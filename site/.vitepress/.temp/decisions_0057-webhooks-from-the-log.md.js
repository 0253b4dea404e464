import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0057: Webhooks follow the log","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0057-webhooks-from-the-log.md","filePath":"decisions/0057-webhooks-from-the-log.md"}');
const _sfc_main = { name: "decisions/0057-webhooks-from-the-log.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0057-webhooks-follow-the-log" tabindex="-1">0057: Webhooks follow the log <a class="header-anchor" href="#_0057-webhooks-follow-the-log" aria-label="Permalink to &quot;0057: Webhooks follow the log&quot;">​</a></h1><p><strong>Context.</strong> Other programs want to hear what happens without a connection of their own. The log has every event with a position, and the reference page documents each type.</p><p><strong>Choice.</strong></p><ul><li>A webhook is a reader of the log with a position of its own, kept as events in the stream <code>webhook/&lt;name&gt;</code>. It sends the events that its filter selects in order, one request each. The position is written after each page, so each event is delivered at least once; its id (store and position) stays the same for repetitions.</li><li>Requests are signed as the Standard Webhooks specification says (<code>webhook-id</code>, <code>webhook-timestamp</code>, <code>webhook-signature</code>), so that receivers can use an existing library.</li><li>An answer of 5xx, 408, 409, 425 or 429, or none, is tried again five times, the last time after 10 minutes; other refusals are final. Then the event is a dead letter, and the next event follows. A replay is an event, too: of the dead letters, or of everything after a position.</li><li>A lease names the process that delivers: of several servers of one store, one sends.</li><li>Notifications for people (<code>notify.webhooks</code>) stay what they are: messages about panes, in the form of ntfy, Slack or Discord.</li></ul><p><strong>Consequences.</strong> A receiver that is away for long delays its own events only. Secrets are removed from payloads as for pages. The webhooks&#39; own events are not sent.</p><p><strong>Look again</strong> when receivers need more than one request at a time.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0057-webhooks-from-the-log.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0057WebhooksFromTheLog = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0057WebhooksFromTheLog as default
};
