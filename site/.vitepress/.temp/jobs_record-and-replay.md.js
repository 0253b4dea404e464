import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Record and replay","description":"","frontmatter":{},"headers":[],"relativePath":"jobs/record-and-replay.md","filePath":"jobs/record-and-replay.md"}');
const _sfc_main = { name: "jobs/record-and-replay.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="record-and-replay" tabindex="-1">Record and replay <a class="header-anchor" href="#record-and-replay" aria-label="Permalink to &quot;Record and replay&quot;">​</a></h1><p>Every session is recorded: bytes, times, sizes and markers, as <a href="https://docs.asciinema.org/manual/asciicast/v2/" target="_blank" rel="noreferrer">asciicast v2</a>. A recording can be played by any player, and read again by Signalbox.</p><div class="language-console vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">console</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox start demo</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">ses_…  demo  number 1, pid …</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox send 1 </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;Fix the failing test&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> --wait</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox replay 1 --markdown</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">I will look at the code first, then let the tests tell me what is wrong.</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">$ signalbox replay 1 --at 0 --json</span></span>
<span class="line"><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">…</span></span></code></pre></div><table tabindex="0"><thead><tr><th>you want</th><th>command</th></tr></thead><tbody><tr><td>the conversation as text</td><td><code>signalbox replay 1 --markdown</code></td></tr><tr><td>what was recognised, when, and why</td><td><code>signalbox replay 1 --explain</code></td></tr><tr><td>to play it in the browser, with requests and decisions on the time line</td><td>the session&#39;s page, <em>Replay</em></td></tr><tr><td>the file</td><td><code>signalbox sessions --json</code> names it (<code>recording</code>); <code>signalbox export --all</code> copies all of them</td></tr><tr><td>a picture for a page</td><td><code>node scripts/screen-to-svg.mjs file.cast -o picture.svg</code>, <code>--moving</code> for a moving one (in the repository)</td></tr><tr><td>recordings of other programs</td><td><code>signalbox replay file.cast</code>, or raw bytes with <code>--size 80x24</code></td></tr></tbody></table><p>A recording holds everything that was shown and typed. <code>signalbox doctor --secrets</code> searches log and recordings for secrets. When an agent&#39;s new version is read wrongly, its recording is the report: <code>signalbox replay file.cast --at 5.3 --explain</code> shows the rule at fault.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("jobs/record-and-replay.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const recordAndReplay = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  recordAndReplay as default
};
