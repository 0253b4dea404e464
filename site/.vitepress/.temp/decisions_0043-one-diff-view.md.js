import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0043 One diff view, one page of sessions","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0043-one-diff-view.md","filePath":"decisions/0043-one-diff-view.md"}');
const _sfc_main = { name: "decisions/0043-one-diff-view.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0043-one-diff-view-one-page-of-sessions" tabindex="-1">0043 One diff view, one page of sessions <a class="header-anchor" href="#_0043-one-diff-view-one-page-of-sessions" aria-label="Permalink to &quot;0043 One diff view, one page of sessions&quot;">​</a></h1><p><strong>Context.</strong> Edits in requests were shown as two texts, find and replace; runs, plans and answers of agents had a view of their own; sessions had none. Sessions and panes were two pages with different words for the same things.</p><p><strong>Choice.</strong> <code>web/src/diff/</code> is the only view of changes: lines with both numbers, the changed words marked, unified or side by side, a callback for a line. Requests, the changes of a session, runs, plans and answers use it. The diff of a request is made from the ledger&#39;s display, which the decision names by its hash; where the file can be read and contains the old text exactly once, the page adds real line numbers and three lines around it.</p><p><em>Sessions</em> lists sessions and tmux panes in one list or as a wall; <code>/panes</code> shows the wall. A session&#39;s changes are compared with the commit that was checked out when it started (git&#39;s own log of HEAD) or with the last commit. Committing runs no hooks of the repository; discarding keeps the state before under <code>refs/signalbox/discarded/</code>.</p><p><strong>Consequences.</strong> Comments on lines, as reviews need them, are one callback away. How Signalbox reads a screen (<em>Explain</em>, phases, sources) is behind the developer switch in <em>Settings → Appearance</em>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0043-one-diff-view.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0043OneDiffView = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0043OneDiffView as default
};
