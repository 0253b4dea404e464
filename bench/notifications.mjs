// `npm run bench:notifications`: how long after an agent has drawn its menu the open page shows a
// notification, beside 100 streaming sessions. Needs a build and Chromium.
//   bar: p95 < 1 s
// BENCH_LOAD: streaming sessions (100); BENCH_ASKED: requests (20). The first part of the way, from
// the menu to the request in the log, is printed as well, and how late a timer of this machine is.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { approveNext, percentile, percentiles, requestsWithMenus, startAsking } from './asking-session.mjs'
import { DaemonHome, inParallel, print, root, runBenchmark, threadSetting } from './daemon-home.mjs'

const LOAD = Number(process.env.BENCH_LOAD ?? 100)
const ASKED = Number(process.env.BENCH_ASKED ?? 20)
const BAR_MS = 1_000

/** A page that a person does not look at notifies; the notification is recorded, not shown. */
const WATCH = `
  window.notified = []
  document.hasFocus = () => false
  localStorage.setItem('signalbox.notify', 'true')
  ServiceWorkerRegistration.prototype.showNotification = async (title, { tag }) => {
    window.notified.push({ tag, at: Date.now() })
  }
`

const home = new DaemonHome()
let browser
await runBenchmark(home, async () => {
  home.configure(`[agents.demo]\nhooks = false\n${threadSetting()}`)
  home.startDaemon()
  await inParallel(LOAD, 4, home.recordedAgent())
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  await measure().finally(() => browser.close())
})

async function measure() {
  const page = await openPage()
  const session = await startAsking(home, 'ask', ASKED)
  await home.post(`/sessions/${session.id}/messages`, { text: 'go' })
  // The notification must have had time to come.
  for (let asked = 0; asked < ASKED; asked++) await approveNext(home, session, { pauseMs: 1_500 })
  const notified = new Map((await page.evaluate('notified')).map(({ tag, at }) => [tag, at]))
  const rows = (await requestsWithMenus(home, session)).map(({ id, requested, menu }) => ({
    pending: requested - menu,
    notified: (notified.get(id) ?? Number.NaN) - menu,
  }))
  const missing = rows.filter(row => Number.isNaN(row.notified)).length
  const times = rows.map(row => row.notified).filter(Number.isFinite)
  print('menu → request', percentiles(rows.map(row => row.pending)))
  print('menu → notification', `${percentiles(times)}, bar ${BAR_MS} ms; ${missing} without one`)
  if (missing > 0 || percentile(times, 0.95) > BAR_MS) process.exitCode = 1
}

async function openPage() {
  const printed = execFileSync(process.execPath, [join(root, 'dist', 'cli.js'), 'serve', '--link', '--json'], {
    env: home.env,
    cwd: home.cwd,
    encoding: 'utf8',
  })
  const { link } = JSON.parse(printed)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(120_000)
  await context.grantPermissions(['notifications'], { origin: new URL(link).origin })
  await context.addInitScript({ content: WATCH })
  const page = await context.newPage()
  await page.goto(link)
  await page.locator('.shell h1').first().waitFor()
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
  return page
}
