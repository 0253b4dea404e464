// Checks every page of a built site: links and images that lead nowhere (in its files), the
// accessibility check of axe in Chromium, light and dark, and the search.
//
// All pages share a frame (navigation, sidebar) and a handful of colours, so axe checks the frame
// once, the text of every page, and the contrast of each combination of colours twice in a page.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright-core'

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** `only`: names of pages; without them all are opened. */
export async function checkSite(directory, only = []) {
  const executablePath = BROWSERS.find(path => existsSync(path))
  if (!executablePath) {
    console.error('Chromium is not installed: the pages are not checked')
    process.exit(1)
  }
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/\/$/, '/index.html')
    const file = [path, `${path}.html`]
      .map(name => join(directory, name))
      .find(name => existsSync(name) && statSync(name).isFile())
    if (!file) return void response.writeHead(404).end()
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${server.address().port}`
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const problems = []
  const report = problem => {
    console.error(problem)
    problems.push(problem)
  }
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(
      name =>
        name.endsWith('.html') &&
        name !== '404.html' &&
        (only.length === 0 || only.some(part => name.startsWith(part))),
    )
    .sort()
  try {
    for (const problem of deadLinks(directory, names)) report(problem)
    const left = names.filter(name => !FRAMES.has(name))
    for (const name of names.filter(one => FRAMES.has(one))) {
      const page = await openPage(browser, axe, { report, hasPrograms: true })
      await page.goto(`${origin}/${name}`, { waitUntil: 'networkidle' })
      for (const violation of await violationsOf(page, { isWhole: true })) report(`${name}, ${violation}`)
    }
    const work = async () => {
      const page = await openPage(browser, axe, { report, hasPrograms: false })
      for (let name = left.shift(); name; name = left.shift()) {
        await page.goto(`${origin}/${name}`, { waitUntil: 'load' })
        for (const violation of await violationsOf(page, { isWhole: false })) report(`${name}, ${violation}`)
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    const page = await browser.newPage()
    await page.goto(`${origin}/quick-start.html`, { waitUntil: 'networkidle' })
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill('standing approval')
    await page.locator('#localsearch-list .result').first().waitFor()
  } finally {
    await browser.close()
    server.close()
  }
  console.log(`${names.length} pages, light and dark: ${problems.length} problems; the search finds`)
  if (problems.length > 0) process.exit(1)
}

/** Pages on which the frame is checked, too: one of each layout. */
const FRAMES = new Set(['index.html', 'quick-start.html'])

/** Without its programs a page is as the server sends it: what they add is on the frame. */
async function openPage(browser, axe, { report, hasPrograms }) {
  const page = await browser.newPage({ bypassCSP: true })
  await page.addInitScript(axe)
  if (!hasPrograms) await page.route(/\/assets\/.*\.js$/, route => route.abort())
  page.on('response', response => {
    if (response.status() >= 400) report(`${page.url()}: ${response.url()} answers ${response.status()}`)
  })
  return page
}

async function violationsOf(page, { isWhole }) {
  // Colours are compared as they are in the end, not on the way.
  await page.addStyleTag({ content: '* { transition: none !important }' })
  return page.evaluate(async isFrame => {
    const { axe, document, getComputedStyle } = globalThis
    const scope = { include: [isFrame ? 'html' : 'main, .VPContent'] }
    const found = []
    const check = async (name, context, options) => {
      const { violations } = await axe.run(context, { resultTypes: ['violations'], ...options })
      for (const { id, nodes } of violations)
        found.push(`${name}: ${id}: ${nodes.length}, ${nodes[0].html.slice(0, 120)}`)
    }
    await check('structure', scope, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'],
      rules: { 'color-contrast': { enabled: false } },
    })
    for (const scheme of ['light', 'dark']) {
      document.documentElement.classList.toggle('dark', scheme === 'dark')
      const seen = new Map()
      for (const element of document.querySelectorAll('main *, .VPContent *')) {
        element.removeAttribute('data-seen')
        if (element.childElementCount > 0) continue
        const { color, fontSize, fontWeight } = getComputedStyle(element)
        let behind = element
        while (behind && /^rgba\(.*, 0\)$|^transparent$/.test(getComputedStyle(behind).backgroundColor))
          behind = behind.parentElement
        const key = [color, fontSize, fontWeight, behind && getComputedStyle(behind).backgroundColor].join()
        seen.set(key, (seen.get(key) ?? 0) + 1)
        if (seen.get(key) > 2) element.setAttribute('data-seen', '')
      }
      await check(scheme, { ...scope, exclude: ['[data-seen]'] }, { runOnly: ['color-contrast'] })
    }
    return found
  }, isWhole)
}

/** Links within the site that lead to no page, no heading or no file, by the files of the site. */
function deadLinks(directory, names) {
  const texts = new Map()
  const textOf = path => {
    if (!texts.has(path)) {
      const file = [path, `${path}.html`, join(path, 'index.html')]
        .map(name => join(directory, name))
        .find(name => existsSync(name) && statSync(name).isFile())
      texts.set(path, file ? (file.endsWith('.html') ? readFileSync(file, 'utf8') : '') : null)
    }
    return texts.get(path)
  }
  const problems = []
  for (const name of names) {
    const links = textOf(name).matchAll(/<(?:a|img|link)\b[^>]*?\s(?:href|src)="([^"]*)"/g)
    for (const href of new Set([...links].map(([, found]) => found.replaceAll('&amp;', '&')))) {
      if (/^[a-z]+:|^\/\//i.test(href)) continue
      const { pathname, hash } = new URL(href, `http://site/${name}`)
      const text = textOf(decodeURIComponent(pathname).slice(1) || 'index.html')
      const id = decodeURIComponent(hash.slice(1))
      if (text === null || (id !== '' && !text.includes(`id="${id}"`)))
        problems.push(`${name}: the link ${href} leads nowhere`)
    }
  }
  return problems
}
