import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0010 Two more rooms: errors/ and demo-agent/","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0010-rooms-errors-and-demo-agent.md","filePath":"decisions/0010-rooms-errors-and-demo-agent.md"}');
const _sfc_main = { name: "decisions/0010-rooms-errors-and-demo-agent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0010-two-more-rooms-errors-and-demo-agent" tabindex="-1">0010 Two more rooms: <code>errors/</code> and <code>demo-agent/</code> <a class="header-anchor" href="#_0010-two-more-rooms-errors-and-demo-agent" aria-label="Permalink to &quot;0010 Two more rooms: \`errors/\` and \`demo-agent/\`&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The rooms of <code>src/</code> are in rows. A room may import only the rooms below it and, without cycles, its neighbours. Two things did not fit into the first rooms: the error type, which every room throws, and the demo agent, which is not part of the program.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><ul><li><code>errors/</code> is in the lowest row: <code>SignalboxError</code>, its codes, and their exit codes. It imports nothing. It is not part of <code>text/</code>, because that room is pure text, nor of <code>cli/</code>, because the exit code of an error is defined with the error, not where it is printed.</li><li><code>demo-agent/</code> is separate (<code>programs</code> in <code>scripts/house.json</code>): it may import <code>text/</code> and <code>errors/</code>, and no room may import it. It is started as a program.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>Errors keep their code across the daemon&#39;s socket, and the command line exits with the same code as if the error had happened there.</li><li><code>npm run check</code> refuses imports of the demo agent, and imports by it of other rooms.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When another program is shipped (then <code>programs</code> gets another line), or when <code>errors/</code> needs an import.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0010-rooms-errors-and-demo-agent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0010RoomsErrorsAndDemoAgent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0010RoomsErrorsAndDemoAgent as default
};
