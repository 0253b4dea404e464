import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0012 The ledger is a hash chain","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0012-hash-chained-ledger.md","filePath":"decisions/0012-hash-chained-ledger.md"}');
const _sfc_main = { name: "decisions/0012-hash-chained-ledger.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0012-the-ledger-is-a-hash-chain" tabindex="-1">0012 The ledger is a hash chain <a class="header-anchor" href="#_0012-the-ledger-is-a-hash-chain" aria-label="Permalink to &quot;0012 The ledger is a hash chain&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>People ask about approvals later: who allowed this, and was it exactly this? The log is a SQLite file that its owner can open with any tool. Checksums of rows detect flipped bits, but not an edit that also corrects the checksum.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>Streams whose name begins with <code>approval/</code> or <code>grant/</code> are <em>chained</em>: each event carries a SHA-256 hash over the previous hash and over its own stream, version, type, time and canonical data. The previous hash is the newest of all chained streams, so removing a whole stream is detected as well.</p><p>The store&#39;s <code>meta</code> table contains the newest hash and the names of the chained streams. They are read and written inside the transaction of the append, under the write lock of the file. So two processes cannot continue from the same hash, and every program that appends follows the rule, because the rule is in the file. <code>checkChain()</code> verifies the chain; <code>signalbox doctor</code> reports where it breaks.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>An append to the ledger costs one hash and one row of <code>meta</code>; an append to another stream costs one read of that row.</li><li>Data without a canonical form (half a surrogate pair) cannot be appended to the ledger. The ledger refuses such notes earlier.</li><li>After a damaged store is salvaged, the chain continues from the last readable hash, and the loss is reported as a break.</li><li>The chain detects edits by programs that do not know the rule. It is not a signature: a program that can write the file can compute a new chain. Storing a hash in another place would prevent that.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When there is a place outside the file for hashes, or when several hosts write to one ledger: the lock must then be that of the database.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0012-hash-chained-ledger.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0012HashChainedLedger = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0012HashChainedLedger as default
};
