// The documentation site: made from docs/ by scripts/docs-site.mjs, which copies the pages here.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const { sidebar } = JSON.parse(readFileSync(new URL('../pages/sidebar.json', import.meta.url), 'utf8'))

export default defineConfig({
  srcDir: 'pages',
  outDir: 'dist',
  title: 'Signalbox',
  description: 'Runs coding agents in real terminals, reads their screens, and takes your approvals exactly once.',
  lang: 'en-GB',
  cleanUrls: false,
  // A link that leads nowhere ends the build.
  ignoreDeadLinks: false,
  lastUpdated: false,
  // Pages are plain Markdown: braces and angle brackets in them are text.
  markdown: {
    config: plainText,
    languageAlias: { console: 'shellsession' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Reference', link: '/reference/cli' },
    ],
    sidebar,
    outline: [2, 3],
    docFooter: { prev: false, next: false },
  },
})

/** No HTML in pages, except the line break in cells of tables. */
function plainText(md) {
  md.options.html = false
  md.inline.ruler.before('autolink', 'line-break', (state, isSilent) => {
    if (!state.src.startsWith('<br>', state.pos)) return false
    if (!isSilent) state.push('hardbreak', 'br', 0)
    state.pos += '<br>'.length
    return true
  })
}
