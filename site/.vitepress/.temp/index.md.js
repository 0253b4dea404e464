import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"","description":"","frontmatter":{"layout":"home","hero":{"name":"Signalbox","tagline":"Coding agents in real terminals. You see what they do, and each of their questions is decided once, from wherever you are.","image":{"src":"/images/demo.svg","alt":"An agent explains a failing test and asks whether it may edit a file"},"actions":[{"theme":"brand","text":"Quick start","link":"/quick-start"},{"theme":"alt","text":"Concepts","link":"/concepts"}]},"features":[{"title":"See","details":"What an agent says, whether it works, rests or asks, and why Signalbox thinks so. Sessions of its own, and the panes of your tmux.","link":"/guides/watch"},{"title":"Decide","details":"The exact command or diff, with a risk and its reasons. From the command line, the dashboard or your phone, exactly once.","link":"/jobs/approve-from-the-phone"},{"title":"Continue","details":"Loops, graphs and pipelines from an issue to a pull request. Kill them at any moment and resume.","link":"/jobs/overnight-loop"}]},"headers":[],"relativePath":"index.md","filePath":"index.md"}');
const _sfc_main = { name: "index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
