import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0032 Logins of several servers","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0032-shared-logins.md","filePath":"decisions/0032-shared-logins.md"}');
const _sfc_main = { name: "decisions/0032-shared-logins.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0032-logins-of-several-servers" tabindex="-1">0032 Logins of several servers <a class="header-anchor" href="#_0032-logins-of-several-servers" aria-label="Permalink to &quot;0032 Logins of several servers&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A person who logged in on one server of a cluster must be known to the others, a revoked browser must be unknown to all, and a proof that was used on one must not work on another.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><ul><li>Devices, hashes of tokens and of the passphrase, login codes, failed logins, used proofs and idempotency keys are <strong>snapshots of the shared store</strong>, changed by compare-and-swap (<code>replaceSnapshot</code>) or created only if absent. They are not events: events are shown to people, and these are secrets.</li><li>Codes and used proofs are stored as hashes, with the time until which they count as their version, so that old ones can be dropped by it.</li><li>A server follows the events of logins and reads the snapshots again; an unknown device is looked up at once.</li><li>A server with a store of its own keeps its files, as before.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>Each request of a browser costs a write to the shared store.</li><li>Whoever can read the database can log in. They could decide everything before, too.</li><li>The people of Telegram (<code>people.json</code>) are still a file of the server that runs the bot.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When requests of browsers are a noticeable part of the writes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0032-shared-logins.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0032SharedLogins = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0032SharedLogins as default
};
