import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0036 Packs describe colours as relations","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0036-colours-as-relations.md","filePath":"decisions/0036-colours-as-relations.md"}');
const _sfc_main = { name: "decisions/0036-colours-as-relations.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0036-packs-describe-colours-as-relations" tabindex="-1">0036 Packs describe colours as relations <a class="header-anchor" href="#_0036-packs-describe-colours-as-relations" aria-label="Permalink to &quot;0036 Packs describe colours as relations&quot;">​</a></h1><p><strong>Context.</strong> Two packs told blocks apart by colour: Pi marks who said what by a background alone, OpenCode by the colour of a gutter. Both ship themes, and people change them. With another theme the blocks of Pi vanished, prompts of OpenCode were read as its answers, and a placeholder in a tinted grey was taken for a draft, so that nothing could be sent.</p><p><strong>Choice.</strong> A pack cannot name a colour. <code>fg</code> and <code>bg</code> of a style are relations to the row: the terminal&#39;s own, any other, that of the page, one of its own, that of the mark. What a background shows is described by shape: a <em>band</em> is a run of rows that the program draws beyond their text, with a blank row above. The emulator tells cells that were written as blanks from cells that were never written, so a band is visible without colours too. The colour of code inside sentences is taken from the answer itself. The cursor tells a draft (before it) from a placeholder (after it); grey counts only where no cursor is visible.</p><p><strong>Consequences.</strong> <code>npm run eval:themes</code> reads every recording with its colours rotated, inverted, shifted and removed, and compares. Without any colours some things cannot be known: which button is selected, code inside a sentence, an error of OpenCode. The field <code>inline_code_fg</code> is gone. A pack that needs a colour by value cannot be written; if an agent ever draws two things that differ in nothing else, its transcript or hooks must tell them apart.</p><p><strong>Look again</strong> when an agent appears that can be read only by a colour&#39;s value.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0036-colours-as-relations.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0036ColoursAsRelations = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0036ColoursAsRelations as default
};
