import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0015 grammY for API calls only","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0015-grammy-for-the-bot-api.md","filePath":"decisions/0015-grammy-for-the-bot-api.md"}');
const _sfc_main = { name: "decisions/0015-grammy-for-the-bot-api.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0015-grammy-for-api-calls-only" tabindex="-1">0015 grammY for API calls only <a class="header-anchor" href="#_0015-grammy-for-api-calls-only" aria-label="Permalink to &quot;0015 grammY for API calls only&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The bot calls about twenty methods of Telegram&#39;s Bot API, uploads files, and must know exactly why a call failed: refused temporarily, refused permanently, or unknown. It must not lose an update, and the press of a button must be written in one transaction with its decision.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>Only the <code>Api</code> of <code>grammy</code> is used: request bodies, multipart, errors. One function wraps it (<code>src/telegram/bot-api.ts</code>) with one error type. Its <code>Bot</code>, middleware, runner, sessions and retry plugins are not used: the bot writes updates to our store, in order and in a transaction, before it confirms them to Telegram; rate limits and retries belong to an outbox that survives a crash. grammY is plain JavaScript and bundled into <code>dist/</code> (<a href="./0014-dist-is-bundled.html">0014</a>).</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>New methods of the Bot API are called by name. If a server does not know a method, it answers 404.</li><li>The tests use a server of our own (<code>src/telegram/fake/</code>) that refuses what Telegram refuses. The demo&#39;s chat uses the same server.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When only that one function of grammY is left: then <code>fetch</code> and <code>FormData</code> are enough.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0015-grammy-for-the-bot-api.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0015GrammyForTheBotApi = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0015GrammyForTheBotApi as default
};
