import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Let an agent work overnight","description":"","frontmatter":{},"headers":[],"relativePath":"jobs/overnight-loop.md","filePath":"jobs/overnight-loop.md"}');
const _sfc_main = { name: "jobs/overnight-loop.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="let-an-agent-work-overnight" tabindex="-1">Let an agent work overnight <a class="header-anchor" href="#let-an-agent-work-overnight" aria-label="Permalink to &quot;Let an agent work overnight&quot;">​</a></h1><p>One agent works, another one judges the result, and they repeat it until the work is done, the budget is used up, or a person is needed. In the morning you read what happened.</p><div class="language-console vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">console</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox oneshot </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;Describe this project in NOTES.md&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> --worker demo --auditor demo</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">run_…  Describe this project in NOTES.md</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">● worker · iteration 1</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">● auditor · iteration 1</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">  DONE The task is done as asked.</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">COMPLETED · 1 iteration · …</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span></code></pre></div><p>With real agents, limits, and in a worktree of its own, so that your files stay as they are:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">signalbox</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> oneshot</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;Make npm test pass, without changing the tests&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> \\</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">  --worker</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> claude</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> --auditor</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> codex</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> --max-iterations</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> 8</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> --check</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;npm test&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> \\</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">  --worktree</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> --detach</span></span></code></pre></div><p><code>--detach</code> leaves it to the daemon: close the laptop&#39;s terminal. Set a budget for the day with <code>signalbox config set runs.day_usd 20</code>.</p><h2 id="in-the-morning" tabindex="-1">In the morning <a class="header-anchor" href="#in-the-morning" aria-label="Permalink to &quot;In the morning&quot;">​</a></h2><div class="language-console vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">console</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox runs</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">run_…  completed …  oneshot · Describe this project in NOTE…</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox show latest</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span></code></pre></div><p><code>signalbox logs latest</code> prints what the agents said and did. A machine that restarted, a daemon that was killed, a worker that died: <code>signalbox resume &lt;run&gt;</code> continues; finished work is recognised by the agent&#39;s own transcript and kept.</p><h2 id="what-it-may-do-without-you" tabindex="-1">What it may do without you <a class="header-anchor" href="#what-it-may-do-without-you" aria-label="Permalink to &quot;What it may do without you&quot;">​</a></h2><p>An agent that asks for a permission waits for you, all night if need be: silence approves nothing. Decide in advance with <code>--permissions edits</code> or <code>--permissions all</code>, preferably with <code>--sandbox</code>, or with a grant: <code>signalbox grants add &quot;npm test&quot;</code>. <a href="./../guides/oneshot.html">Oneshot</a> has the levels of each agent and the exit codes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("jobs/overnight-loop.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const overnightLoop = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  overnightLoop as default
};
