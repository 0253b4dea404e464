// Opens every page of a built site in Chromium, light and dark, and runs the accessibility check of
// axe; looks for links and images that lead nowhere, and tries the search.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
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

export async function checkSite(directory) {
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
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.html') && name !== '404.html')
    .sort()
  try {
    const page = await browser.newPage()
    page.on('response', response => {
      if (response.status() >= 400) problems.push(`${page.url()}: ${response.url()} answers ${response.status()}`)
    })
    for (const name of names) {
      await page.goto(`${origin}/${name}`, { waitUntil: 'networkidle' })
      for (const { href, isThere } of await linksOf(page))
        if (!isThere) problems.push(`${name}: the link ${href} leads nowhere`)
      await page.evaluate(axe)
      for (const scheme of ['light', 'dark']) {
        await page.evaluate(isDark => document.documentElement.classList.toggle('dark', isDark), scheme === 'dark')
        const violations = await page.evaluate(async () => {
          const { violations: found } = await globalThis.axe.run(document, {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'],
          })
          return found.map(({ id, nodes }) => `${id}: ${nodes.length}, ${nodes[0].html.slice(0, 120)}`)
        })
        problems.push(...violations.map(violation => `${name}, ${scheme}: ${violation}`))
      }
    }
    await page.goto(`${origin}/quick-start.html`, { waitUntil: 'networkidle' })
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill('standing approval')
    await page.locator('#localsearch-list .result').first().waitFor()
  } finally {
    await browser.close()
    server.close()
  }
  for (const problem of problems) console.error(problem)
  console.log(`${names.length} pages, light and dark: ${problems.length} problems; the search finds`)
  if (problems.length > 0) process.exit(1)
}

/** Links within the site: the page answers, and has the heading. */
function linksOf(page) {
  return page.evaluate(async () => {
    const hrefs = [...new Set([...document.querySelectorAll('a[href]')].map(({ href }) => href))].filter(href =>
      href.startsWith(location.origin),
    )
    const cache = (globalThis.__pages ??= new Map())
    return Promise.all(
      hrefs.map(async href => {
        const { pathname, hash } = new URL(href)
        if (!cache.has(pathname))
          cache.set(
            pathname,
            fetch(pathname).then(answer => (answer.ok ? answer.text() : null)),
          )
        const text = await cache.get(pathname)
        const id = decodeURIComponent(hash.slice(1))
        return { href, isThere: text !== null && (id === '' || text.includes(`id="${id}"`)) }
      }),
    )
  })
}
