// From an event in the server to the screen of a page: real Chromium pages, each with its own login
// and stream.
import type { ChildProcess } from 'node:child_process'
import { chromium, type Page } from 'playwright-core'
import { measureFloor } from './server-floor.js'
import { measureFirstLoad, printWeight } from './server-load.js'
import { describeMemory, type HeldMemory } from './server-memory.js'
import { printTimes } from './server-times.js'

const FIRST_LOADS = 7

/** From an event to the screen, p95, beyond the time that the browsers need to draw one word. */
const SCREEN_BAR_MS = 300

/** How long the floor is measured while the load runs. */
const FLOOR_S = 10

interface Shown {
  /** `arrived`: the page has received a request; `request`: it has drawn it. */
  kind: 'text' | 'arrived' | 'request'
  ms: number
}

/**
 * Records every stamp `@…@` when the frame that shows it was painted. A string, because it runs in
 * the page unchanged.
 */
const WATCH_STAMPS = `
  window.shown = []
  const startedAt = Date.now()
  const known = new Set()
  const look = () => {
    for (const element of document.querySelectorAll('.talk .said, article.card')) {
      const stamp = /@(\\d{13})@/.exec(element.textContent ?? '')?.[1]
      const kind = element.matches('.card') ? 'request' : 'text'
      if (stamp === undefined || Number(stamp) < startedAt || known.has(kind + stamp)) continue
      known.add(kind + stamp)
      requestAnimationFrame(() => {
        // The task after a frame runs when that frame was handed over.
        const after = new MessageChannel()
        after.port1.onmessage = () => window.shown.push({ kind, ms: Date.now() - Number(stamp) })
        after.port2.postMessage(null)
      })
    }
  }
  const parse = JSON.parse
  JSON.parse = (text, reviver) => {
    const stamp = text.startsWith('{"type":"approval.requested"') && /@(\\d{13})@/.exec(text)?.[1]
    if (stamp) window.shown.push({ kind: 'arrived', ms: Date.now() - Number(stamp) })
    return parse(text, reviver)
  }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
`

const WATCH_ECHO = `
  window.echoes = []
  let pressedAt = 0
  document.addEventListener('keydown', () => { pressedAt = performance.now() }, true)
  new MutationObserver(() => {
    if (pressedAt === 0) return
    const from = pressedAt
    pressedAt = 0
    requestAnimationFrame(() => {
      const after = new MessageChannel()
      after.port1.onmessage = () => window.echoes.push(performance.now() - from)
      after.port2.postMessage(null)
    })
  }).observe(document.querySelector('.xterm-rows'), { subtree: true, childList: true, characterData: true })
`

export async function measurePages(
  child: ChildProcess,
  told: <T>(type: string) => Promise<T>,
  { pages: count, seconds }: { pages: number; seconds: number },
): Promise<void> {
  printWeight()
  child.send({ type: 'links', events: count + FIRST_LOADS, seconds: 0 })
  const { links, sessions } = await told<{ links: string[]; sessions: string[] }>('links')
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  // Before the load starts.
  await measureFirstLoad(browser, links.slice(count))
  const pages: Page[] = []
  const openPage = async (n: number): Promise<void> => {
    const link = links[n]!
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    context.setDefaultTimeout(90_000)
    await context.addInitScript({ content: WATCH_STAMPS })
    const page = await context.newPage()
    await page.goto(link)
    await page.locator('.shell h1').first().waitFor()
    // Half of them show a session, the others the start page, the panes and the runs.
    const path = n % 2 === 0 ? `/s/${sessions[n]}` : ['/', '/', '/panes', '/runs'][((n - 1) / 2) % 4]!
    await page.goto(new URL(path, link).href)
    await page.locator('main h1').first().waitFor()
    pages[n] = page
  }
  for (let n = 0; n < count; n += 4)
    await Promise.all(Array.from({ length: Math.min(4, count - n) }, (_, k) => openPage(n + k)))
  const heapBefore = await heapsOf(pages)
  await Promise.all(pages.map(page => page.evaluate('shown.splice(0)')))
  child.send({ type: 'load', seconds })
  const done = await told<{ cpu: number; share: number; memory: HeldMemory }>('done')
  const shown = (await Promise.all(pages.map(page => page.evaluate<Shown[]>('shown')))).flat()
  console.log(`${count} pages in Chromium, 100 sessions writing 10/s, 200 panes changing 1/s, ${seconds} s`)
  console.log(`load             ${(done.share * 100).toFixed(0)} % of the intended load was written`)
  const p95 = { text: 0, request: 0, arrived: 0 }
  for (const [kind, what] of [
    ['text', 'text to screen'],
    ['request', 'request to screen'],
    ['arrived', '  to all pages'],
  ] as const)
    p95[kind] = printTimes(
      what,
      shown.filter(one => one.kind === kind).map(one => one.ms),
    )
  console.log(`server           ${(done.cpu * 100).toFixed(0)} % of a core, ${describeMemory(done.memory)}`)
  const heapAfter = await heapsOf(pages)
  console.log(
    `heap of a page   at most ${Math.max(...heapBefore).toFixed(0)} MB before and ${Math.max(...heapAfter).toFixed(0)} MB after it, in use`,
  )
  child.send({ type: 'load', seconds: FLOOR_S })
  const ended = told('done')
  const floor = await measureFloor(pages, 'a word, same load')
  for (const kind of ['text', 'request'] as const)
    console.log(
      `${`${kind}, p95`.padEnd(16)} ${Math.max(0, p95[kind] - floor).toFixed(0)} ms beyond the browsers' own drawing (bar ${SCREEN_BAR_MS} ms)`,
    )
  await ended
  await measureFloor(pages, 'a word, no load')
  await measureEcho(pages[0]!, child, told)
  await browser.close()
}

/** The heap of each page that is still reachable, in MB. */
async function heapsOf(pages: readonly Page[]): Promise<number[]> {
  const heaps: number[] = []
  for (const page of pages) {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = await cdp.send('Runtime.getHeapUsage')
    heaps.push(usedSize / 1e6)
    await cdp.detach()
  }
  return heaps
}

const KEYS = 60

/**
 * From the press of a key to the frame that shows its echo: page, server, terminal, program and
 * back.
 */
async function measureEcho(page: Page, child: ChildProcess, told: <T>(type: string) => Promise<T>): Promise<void> {
  child.send({ type: 'echo', events: 0, seconds: 0 })
  const { id } = await told<{ id: string }>('echo')
  await page.goto(new URL(`/s/${id}?view=terminal`, page.url()).href)
  await page.getByRole('button', { name: 'Take keyboard' }).click()
  await page.getByText('You have the keyboard').waitFor()
  await page.evaluate(WATCH_ECHO)
  for (let n = 0; n < KEYS; n++) {
    await page.keyboard.press('abcdefghij'[n % 10]!)
    while ((await page.evaluate<number>('echoes.length')) <= n) await new Promise(resolve => setTimeout(resolve, 5))
  }
  printTimes('key to its echo', await page.evaluate<number[]>('echoes'))
}
