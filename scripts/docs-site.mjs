// `npm run docs:site [-- --check [page]…]`: builds the documentation site from docs/ into
// site/dist. A link that leads nowhere, or a page that is not in the sidebar, ends the build.
// `--check` also opens every page in Chromium, light and dark, and runs the accessibility check of
// axe. The packages of the site are in site/package.json: nothing else needs them.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { SIDEBAR } from '../site/sidebar.mjs'
import { checkSite } from './check-site.mjs'
import { install, requireNode, root, run } from './setup.mjs'

requireNode()
install()
const site = join(root, 'site')
const pages = join(site, 'pages')
/** Pages outside of docs/, by their name on the site. */
const OTHERS = { 'CHANGELOG.md': 'changes.md', 'SECURITY.md': 'security.md' }

if (!existsSync(join(site, 'node_modules', 'vitepress'))) {
  console.error('Installing the packages of the site …')
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: site })
}
copyPages()
const { status } = spawnSync(
  process.execPath,
  [join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build'],
  {
    cwd: site,
    stdio: ['ignore', 'inherit', 'inherit'],
  },
)
if (status !== 0) process.exit(status ?? 1)
const names = SIDEBAR.flatMap(({ pages: listed }) => listed)
console.log(`site/dist: ${names.length} pages in the sidebar, ${count(join(site, 'dist'), '.html')} in all`)
const check = process.argv.indexOf('--check')
if (check > 0) await checkSite(join(site, 'dist'), process.argv.slice(check + 1))

function copyPages() {
  rmSync(pages, { recursive: true, force: true })
  cpSync(join(root, 'docs'), pages, { recursive: true })
  for (const [from, to] of Object.entries(OTHERS)) writeFileSync(join(pages, to), readFileSync(join(root, from)))
  cpSync(join(site, 'home.md'), join(pages, 'index.md'))
  // The home page names its picture by address.
  cpSync(join(root, 'docs', 'images', 'demo.svg'), join(pages, 'public', 'images', 'demo.svg'))
  cpSync(join(pages, 'decisions', 'README.md'), join(pages, 'decisions', 'index.md'))
  rmSync(join(pages, 'decisions', 'README.md'))
  for (const file of markdownBelow(pages)) writeFileSync(file, rewriteLinks(file, readFileSync(file, 'utf8')))
  const listed = new Set(SIDEBAR.flatMap(({ pages: all }) => all))
  const missing = [...markdownBelow(pages)]
    .map(file => relative(pages, file).replace(/\.md$/, ''))
    .filter(name => name !== 'index' && !name.startsWith('decisions/') && !listed.has(name))
  if (missing.length > 0) {
    console.error(`not in the sidebar (site/sidebar.mjs): ${missing.join(', ')}`)
    process.exit(1)
  }
  const titleOf = name => /^# (.+)$/m.exec(readFileSync(join(pages, `${name}.md`), 'utf8'))?.[1] ?? name
  const sidebar = SIDEBAR.map(({ text, pages: all }) => ({
    text,
    items: all.map(name => ({ text: titleOf(name), link: `/${name.replace(/index$/, '')}` })),
  }))
  mkdirSync(pages, { recursive: true })
  writeFileSync(join(pages, 'sidebar.json'), JSON.stringify({ sidebar }))
}

/** Links to files that are not pages (sources, examples) become plain text. */
function rewriteLinks(file, text) {
  let isCode = false
  return text
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .split('\n')
    .map(line => {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
      return isCode
        ? line
        : line.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, image, label, target) =>
            linkOf(file, whole, image, label, target),
          )
    })
    .join('\n')
}

function linkOf(file, whole, image, label, target) {
  if (/^[a-z]+:/.test(target) || target.startsWith('#') || image) return whole
  const [path, anchor] = target.split('#')
  const place = relative(pages, join(dirname(file), path))
  const other = place.startsWith('..')
    ? OTHERS[place.replace(/^(\.\.\/)+/, '')]
    : place.replace(/decisions\/README\.md$/, 'decisions/index.md')
  if (!other?.endsWith('.md') || !existsSync(join(pages, other))) return label
  const link = relative(dirname(file), join(pages, other))
  return `[${label}](${link.startsWith('.') ? link : `./${link}`}${anchor ? `#${anchor}` : ''})`
}

function* markdownBelow(directory) {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (statSync(path).isDirectory()) yield* markdownBelow(path)
    else if (name.endsWith('.md')) yield path
  }
}

function count(directory, suffix) {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith(suffix)).length
}
