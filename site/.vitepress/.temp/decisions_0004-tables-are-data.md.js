import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0004 State machines are tables of data","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0004-tables-are-data.md","filePath":"decisions/0004-tables-are-data.md"}');
const _sfc_main = { name: "decisions/0004-tables-are-data.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0004-state-machines-are-tables-of-data" tabindex="-1">0004 State machines are tables of data <a class="header-anchor" href="#_0004-state-machines-are-tables-of-data" aria-label="Permalink to &quot;0004 State machines are tables of data&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>What happens when an agent shows a menu while its answer is still growing, and its process has just exited? Nested conditions that answer such questions cannot be read or tested completely, and an unforeseen combination is a bug.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>A state machine is a value: states, events, actions, and rows <code>[state, event, next, actions]</code>, with <code>*</code> for all other states and <code>=</code> for no change (<code>machine/</code>). <code>defineMachine</code> gives it types and checks at load that every name exists and is used and that every state is reachable. <code>transition(table, state, event)</code> returns the next state and the actions, and executes nothing. A pair that is not listed changes nothing. The caller executes actions through a record with one entry per action; a missing entry is a type error.</p><p>We did not take a library: we need a lookup in a map and checks of our own tables, and no hierarchy, actors or invoked promises.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>The table is the documentation: the <a href="./../reference/tables.html">tables</a> page and its drawings are generated from it.</li><li>Tests prove rows by behaviour; no test repeats a row.</li><li>If an action throws, the error is reported, the other actions still run, and the state has already changed. So actions must not decide anything.</li><li>Timers are not part of the machine; they arrive as events.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>If two tables send each other events, or if rows need more than a few guards.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0004-tables-are-data.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0004TablesAreData = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0004TablesAreData as default
};
