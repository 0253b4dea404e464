import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Use it in CI","description":"","frontmatter":{},"headers":[],"relativePath":"jobs/ci.md","filePath":"jobs/ci.md"}');
const _sfc_main = { name: "jobs/ci.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="use-it-in-ci" tabindex="-1">Use it in CI <a class="header-anchor" href="#use-it-in-ci" aria-label="Permalink to &quot;Use it in CI&quot;">​</a></h1><p>In CI there is no terminal and no person. Signalbox then prints plain lines or JSON, never waits for input, and its exit codes say what happened.</p><div class="language-console vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">console</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox start --wait -- sh -c </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&#39;echo hi; exit 7&#39;</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">hi</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ echo </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">$?</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">7</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox oneshot </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;Describe this project in NOTES.md&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> --agent demo --json</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">{…</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ echo </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">$?</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">0</span></span></code></pre></div><table tabindex="0"><thead><tr><th>exit code</th><th>meaning</th></tr></thead><tbody><tr><td>0</td><td>done</td></tr><tr><td>1</td><td>failed</td></tr><tr><td>3</td><td>rejected or denied</td></tr><tr><td>4</td><td>a person is needed and none is there</td></tr><tr><td>5</td><td>timeout or budget</td></tr><tr><td>6</td><td>invalid settings</td></tr><tr><td>7</td><td>agent missing, or not signed in</td></tr></tbody></table><p>A job of GitHub Actions that reviews a pull request:</p><div class="language-yaml vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">yaml</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">jobs</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">:</span></span>
<span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">  review</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">:</span></span>
<span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">    runs-on</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">ubuntu-latest</span></span>
<span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">    steps</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">:</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">      - </span><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">uses</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">actions/checkout@v4</span></span>
<span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">        with</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: { </span><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">fetch-depth</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">0</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> }</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">      - </span><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">uses</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">actions/setup-node@v4</span></span>
<span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">        with</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: { </span><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">node-version</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">22</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> }</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">      - </span><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">run</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">npm install -g signalbox @anthropic-ai/claude-code</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">      - </span><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">run</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">signalbox review origin/main..HEAD --agent claude --json &gt; review.json</span></span>
<span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">        env</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">:</span></span>
<span class="line"><span style="--shiki-light:#024C1A;--shiki-dark:#72F088;">          ANTHROPIC_API_KEY</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">\${{ secrets.ANTHROPIC_API_KEY }}</span></span></code></pre></div><p>Files of the project that start programs (profiles, checks, graphs) need trust: CI gives it by name with <code>signalbox trust</code>, or the run exits with 4. Set <code>SIGNALBOX_HOME</code> to a directory of the job; keep it as an artefact and the whole run can be replayed later. <code>signalbox graph</code>, <code>validate</code> and <code>packs check</code> need no agent and no daemon.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("jobs/ci.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ci = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ci as default
};
