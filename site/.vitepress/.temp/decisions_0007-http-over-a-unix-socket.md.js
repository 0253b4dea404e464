import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0007 The daemon speaks HTTP over a unix socket","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0007-http-over-a-unix-socket.md","filePath":"decisions/0007-http-over-a-unix-socket.md"}');
const _sfc_main = { name: "decisions/0007-http-over-a-unix-socket.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0007-the-daemon-speaks-http-over-a-unix-socket" tabindex="-1">0007 The daemon speaks HTTP over a unix socket <a class="header-anchor" href="#_0007-the-daemon-speaks-http-over-a-unix-socket" aria-label="Permalink to &quot;0007 The daemon speaks HTTP over a unix socket&quot;">​</a></h1><p><strong>Superseded in part by <a href="./0016-the-dashboard.html">0016</a></strong>: the daemon now also listens on a TCP port of 127.0.0.1, with logins and roles. What this page says about the socket still holds.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Commands query the daemon, follow events and attach to terminals. Any process of any user can connect to a TCP port, and so can any web page in a browser.</p><h2 id="choice" tabindex="-1">Choice <a class="header-anchor" href="#choice" aria-label="Permalink to &quot;Choice&quot;">​</a></h2><p>HTTP/1.1 on a unix socket with mode 0600 in a directory with mode 0700: the kernel checks who connects. JSON in and out; unknown fields are refused; all errors have one shape. Server-sent events can be resumed from a position of the log (<code>/api/v1/events</code>). One WebSocket per terminal (<code>/api/v1/panes/&lt;id&gt;/terminal</code>) carries its bytes, with acknowledgements, so that a slow viewer gets a new snapshot instead of a growing queue. A request with an <code>Origin</code> header is refused: browsers cannot open unix sockets, so another program forwarded it.</p><p>A protocol of our own would be smaller on the wire but would need a client for every language; <code>curl --unix-socket</code> speaks this one. The keeper, where every byte counts and nothing else connects, has its own protocol (<a href="./0003-keeper-is-a-process.html">0003</a>).</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>The API decides nothing: routes check their input, call the host, and answer.</li><li>A process that can open the socket has the rights of the owner. There are no roles on the socket.</li><li>Socket paths have at most 107 bytes (103 on macOS). A longer home directory gets a short socket directory below <code>/tmp</code>, named by a hash; its owner is checked.</li><li>The API has a version in its path. It may change until 1.0.</li></ul><h2 id="when-to-look-again" tabindex="-1">When to look again <a class="header-anchor" href="#when-to-look-again" aria-label="Permalink to &quot;When to look again&quot;">​</a></h2><p>When hosts on other machines must connect.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0007-http-over-a-unix-socket.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0007HttpOverAUnixSocket = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0007HttpOverAUnixSocket as default
};
