// `npm run bench:notifications`: how long after an agent has drawn its menu the open page shows a
// notification, beside 100 streaming sessions. Needs a build and Chromium.
//   bar: p95 < 1 s
// BENCH_LOAD: streaming sessions (100); BENCH_ASKED: requests (20). The first part of the way, from
// the menu to the request in the log, is printed as well, and how late a timer of this machine is.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { DaemonHome, inParallel, noiseFloor, print, root, sleep, threadSetting } from './daemon-home.mjs'

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
try {
  print('machine', await noiseFloor())
  home.configure(`[agents.demo]\nhooks = false\n${threadSetting()}`)
  home.startDaemon()
  await inParallel(LOAD, 4, home.recordedAgent())
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  const page = await openPage()
  const asking = home.scenario(
    'ask',
    Array.from({ length: ASKED }, (_, index) => ({
      tool: { name: 'Shell', kind: 'shell', command: `true ${index}`, output: 'ok', ms: 300, permission: true },
    })),
  )
  const session = await home.startDemo(asking)
  await home.post(`/sessions/${session.id}/messages`, { text: 'go' })
  for (let asked = 0; asked < ASKED; asked++) await approveNext(session)
  const notified = new Map((await page.evaluate('notified')).map(({ tag, at }) => [tag, at]))
  const { items } = await home.get('/approvals?all')
  const requests = items.filter(({ subject }) => subject.session === session.id)
  const menus = menusOf(session)
  const rows = requests.map(({ id, requestedAt }) => {
    const requested = Date.parse(requestedAt)
    const menu = Math.max(...menus.filter(at => at <= requested + 1))
    return { pending: requested - menu, notified: (notified.get(id) ?? Number.NaN) - menu }
  })
  const missing = rows.filter(row => Number.isNaN(row.notified)).length
  const times = rows.map(row => row.notified).filter(Number.isFinite)
  print('menu → request', percentiles(rows.map(row => row.pending)))
  print('menu → notification', `${percentiles(times)}, bar ${BAR_MS} ms; ${missing} without one`)
  print('machine', await noiseFloor())
  if (missing > 0 || percentile(times, 0.95) > BAR_MS) process.exitCode = 1
} catch (error) {
  console.error(`${error.stack}; the end of the daemon's log:\n${home.log()}`)
  process.exitCode = 1
} finally {
  await browser?.close()
  await home.close()
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

async function approveNext(session) {
  await home.get(`/sessions/${session.id}/wait?for=approval&timeoutMs=60000`)
  const { items } = await home.get('/approvals?state=pending')
  const approval = items.find(({ subject }) => subject.session === session.id)
  // The notification must have had time to come, and a person needs a moment.
  await sleep(1_500)
  await home.post(`/approvals/${approval.id}/decision`, {
    fingerprint: approval.fingerprint,
    option: approval.request.options.find(({ meaning }) => meaning === 'allow-once').key,
    seen: { displayHash: approval.display.hash, whole: true },
    idempotencyKey: approval.id,
    actor: { id: 'bench', name: 'bench' },
    waitMs: 20_000,
  })
}

/** A menu is on screen when its bytes reach the keeper: the recording has that time. */
function menusOf({ recording }) {
  const startedAt = statSync(recording).birthtimeMs
  return readFileSync(recording, 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(([, code, data]) => code === 'o' && data.includes('May I run'))
    .map(([t]) => startedAt + t * 1000)
}

function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

function percentiles(values) {
  const at = part => percentile(values, part).toFixed(0)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms (${values.length})`
}
