import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0033 Blobs, and aws4fetch for buckets","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0033-blobs-and-aws4fetch.md","filePath":"decisions/0033-blobs-and-aws4fetch.md"}');
const _sfc_main = { name: "decisions/0033-blobs-and-aws4fetch.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0033-blobs-and-aws4fetch-for-buckets" tabindex="-1">0033 Blobs, and aws4fetch for buckets <a class="header-anchor" href="#_0033-blobs-and-aws4fetch-for-buckets" aria-label="Permalink to &quot;0033 Blobs, and aws4fetch for buckets&quot;">​</a></h1><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Recordings of sessions on workers must outlive the worker. They are large, they only grow, and they do not belong into the log. A cluster has a bucket; a team with one server has a disk.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><ul><li>A <strong>blob</strong> is at most 4 MiB, named by the SHA-256 of its content and packed with brotli (quality 4). The same bytes are kept once, and damage is noticed when they are read.</li><li>A recording is a sequence of blobs: <code>recording.saved</code> names each part after it was written. A server reads the parts it has and asks the worker for the rest while that is connected.</li><li>A worker sends blobs to its server, never to the bucket: it has no keys of the bucket.</li><li><code>blobs.url</code> is a directory (<code>file:</code>) or a bucket (<code>s3://bucket?endpoint=…</code>).</li><li><strong><code>aws4fetch</code></strong> 1.0.20 (MIT, no dependencies, 88 KB unpacked) signs the requests; Node&#39;s <code>fetch</code> sends them. <code>@aws-sdk/client-s3</code> does the same with more than a hundred packages. It is bundled into a chunk that is loaded when <code>blobs.url</code> is a bucket.</li><li><code>s3rver</code> (development only) is the bucket of the tests.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>Blobs are not collected yet. <code>session.forgotten</code> leaves the blobs of a recording behind.</li><li>A recording is copied to the server when somebody opens it; the copy stays in <code>recordings/workers</code>.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When buckets grow: then blobs that no event names must be removed after a week.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0033-blobs-and-aws4fetch.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0033BlobsAndAws4fetch = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0033BlobsAndAws4fetch as default
};
