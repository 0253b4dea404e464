import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0042 Web push without a package","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0042-web-push.md","filePath":"decisions/0042-web-push.md"}');
const _sfc_main = { name: "decisions/0042-web-push.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0042-web-push-without-a-package" tabindex="-1">0042 Web push without a package <a class="header-anchor" href="#_0042-web-push-without-a-package" aria-label="Permalink to &quot;0042 Web push without a package&quot;">​</a></h1><p><strong>Context.</strong> The dashboard calls people who do not look at it: through a browser that is open, and through the browser&#39;s push service while it is closed. The second needs the payload encrypted for one browser (RFC 8291) and each request signed by the server (VAPID, RFC 8292).</p><p><strong>Choice.</strong> <code>src/notifications/push/encrypt.ts</code>, about 70 lines over <code>node:crypto</code>: ECDH, HKDF, AES-128-GCM and ES256 are all there. The test vector of RFC 8291 is a test. The alternative, <code>web-push</code>, does the same on top of six further packages (<code>asn1.js</code>, <code>bn.js</code>, <code>jws</code>, <code>http_ece</code>, <code>https-proxy-agent</code>, <code>minimist</code>), and sends with its own HTTPS client, which a test on loopback cannot use.</p><ul><li>The keys and the subscriptions are in <code>push.json</code> (0600) in the data directory. A subscription that its push service no longer knows (404, 410) is removed.</li><li>The message says what is asked, because only that browser can read it. <em>Allow</em> is offered only for low risks; <em>Deny</em> always. The service worker does not decide: it hands the press to the page, which has the key of this browser, through a store that only this origin can write. An address alone never answers a request.</li><li>Browsers are one channel with the desktop and webhooks (<code>browser</code> in <code>notify.channels</code>): quiet hours, grace time and escalation apply to all of them.</li></ul><p><strong>Consequences.</strong> Push needs a page over HTTPS, or on this machine. The push services of browser vendors see when a notification is sent and to which browser, not what it says.</p><p><strong>Look again</strong> if the RFCs get a successor, or if a push service needs more than they say.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0042-web-push.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0042WebPush = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0042WebPush as default
};
