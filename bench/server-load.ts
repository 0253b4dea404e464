// The size of the first page and the time until it is interactive, on a processor slowed down four
// times.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { PACKAGE_ROOT } from '../src/process/index.js'

const web = join(PACKAGE_ROOT, 'dist', 'web')
const LOADS = 7

function zipped(file: string): number {
  return gzipSync(readFileSync(join(web, file)), { level: 9 }).length
}

/** Needs a build. The page with its files and their static imports; then what a terminal adds. */
export function printWeight(): void {
  const page = readFileSync(join(web, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, name]) => name!)
  const first = ['index.html', ...new Set(named)].reduce((sum, file) => sum + zipped(file), 0)
  const terminal = readdirSync(join(web, 'assets'))
    .filter(file => /^(xterm|session)-/.test(file))
    .reduce((sum, file) => sum + zipped(join('assets', file)), 0)
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
  console.log(`first load, gzip ${kB(first)} (bar 250 kB), with a terminal ${kB(first + terminal)} (bar 400 kB)`)
}

/**
 * From the first request to an interactive page, with an empty cache each time: the heading is
 * shown, the data is from the server, and a task that is queued then has run.
 */
export async function measureFirstLoad(browser: Browser, links: readonly string[]): Promise<void> {
  const times: number[] = []
  let bytes = 0
  for (const link of links.slice(0, LOADS)) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    context.setDefaultTimeout(90_000)
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    // The login creates the key of the device; the page after it is measured.
    await page.goto(link)
    await page.locator('.shell h1').first().waitFor()
    await cdp.send('Network.enable')
    const assets = new Set<string>()
    bytes = 0
    cdp.on('Network.responseReceived', ({ requestId, response }) => {
      if (!new URL(response.url).pathname.startsWith('/api/')) assets.add(requestId)
    })
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (assets.has(requestId)) bytes += encodedDataLength
    })
    await cdp.send('Network.clearBrowserCache')
    await page.evaluate(
      'navigator.serviceWorker?.getRegistrations().then(all => Promise.all(all.map(one => one.unregister())))',
    )
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.goto(new URL('/', link).href, { waitUntil: 'commit' })
    await page.locator('main h1').first().waitFor()
    times.push(
      await page.evaluate<number>(
        `new Promise(resolve => requestAnimationFrame(() => {
          const after = new MessageChannel()
          after.port1.onmessage = () => resolve(performance.now())
          after.port2.postMessage(null)
        }))`,
      ),
    )
    await context.close()
  }
  times.sort((a, b) => a - b)
  const [middle, most] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0]
  console.log(
    `over the wire    ${(bytes / 1000).toFixed(0)} kB of page, script and style for the first view, cache empty`,
  )
  console.log(
    `interactive      p50 ${middle.toFixed(0)} ms, most ${most.toFixed(0)} ms, CPU slowed 4 times, 200 panes, ${times.length} loads (bar 1000 ms)`,
  )
}
