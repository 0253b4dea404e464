// `npm run bench:page [-- --hours 24]`: a page of one session that stays open while its agent works
// for a day: a step every ten seconds (text as it is written, then the message), a request every
// three minutes. The hours are simulated: the next step comes when the page has drawn the last one.
// Prints heap (after a garbage collection), nodes of the document and CPU time of the page's main
// thread for each simulated hour. Bars: step 5 000 costs ≤ 1.2 × step 50; the heap has a plateau.
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { reportedOf } from '../src/approvals/testing/fixtures.ts'
import { newEvent } from '../src/events/index.ts'
import { OWNER } from '../src/server/caller.ts'
import { TestServer } from '../test/server/support.ts'
import { openBrowser, openContext } from '../test/web/harness.ts'

const { values } = parseArgs({ options: { hours: { type: 'string', default: '24' } } })
const HOURS = Number(values.hours)
const STEPS_AN_HOUR = 360
const STEPS_A_REQUEST = 18
/** Steps whose costs are compared: as many around each of the two. */
const AROUND = 40
const [EARLY, LATE] = [50, 5_000]
/** The page has shown all it shows at once, and has freed the first of what it removed. */
const PLATEAU_FROM = 2

const server = await TestServer.start()
const browser = await openBrowser()
try {
  const body = { agent: 'demo', cwd: server.work, label: 'day' }
  const session = (await server.ask('POST', '/api/v1/sessions', { as: 'token', body })).json.id
  const context = await openContext(browser, { viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.goto(`${server.address}/login#${await server.api.parts.auth.codes.make(OWNER)}`)
  await page.locator('.shell h1').first().waitFor()
  await page.goto(`${server.address}/s/${session}`)
  await page.locator('.talk').waitFor()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const metric = async name => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return metrics.find(found => found.name === name).value
  }
  const turn = `${session}.1`
  await append(newEvent('turn.opened', { session, turn, prompt: 'work for a day' }))
  console.log('hour   heap MB   nodes   messages   CPU ms a step')
  const costs = []
  const heaps = []
  let asked = null
  for (let step = 1; step <= HOURS * STEPS_AN_HOUR; step++) {
    const before = await metric('TaskDuration')
    await say(step)
    costs.push(((await metric('TaskDuration')) - before) * 1_000)
    if (step % STEPS_A_REQUEST === 0) {
      if (asked) await server.host.ledger.cancelled(asked, 'answered elsewhere')
      const report = { requestKey: `day-${step}`, input: { command: `echo ${step}` } }
      asked = await server.host.ledger.request(reportedOf(report, { session }))
    }
    if (step % STEPS_AN_HOUR === 0) await printHour(step / STEPS_AN_HOUR)
  }
  const late = heaps.slice(PLATEAU_FROM)
  if (late.length > 1)
    console.log(
      `heap from hour ${PLATEAU_FROM + 1} on: ${Math.min(...late).toFixed(1)} to ${Math.max(...late).toFixed(1)} MB, ` +
        `last hour ${(late.at(-1) / late[0]).toFixed(2)} × the first of them (bar 1.2)`,
    )
  const median = from => costs.slice(from - AROUND, from + AROUND).sort((a, b) => a - b)[AROUND]
  if (costs.length >= LATE + AROUND)
    console.log(
      `step ${LATE} against step ${EARLY}: ${median(LATE).toFixed(1)} against ${median(EARLY).toFixed(1)} ms of CPU: ` +
        `${(median(LATE) / median(EARLY)).toFixed(2)} × (bar 1.2); load ${loadavg()[0].toFixed(1)}`,
    )

  function append(event) {
    return server.host.store.append(`session/${session}`, 'any', [event], { durability: 'normal' })
  }

  /** The text while it is written, then the message; resolves when the page shows it. */
  async function say(step) {
    const text = `Step ${step}: ${'some words of the agent '.repeat(12)}`
    const blocks = [
      { id: `b${step}`, version: 1, kind: 'prose', variant: 'paragraph', at: Date.now(), runs: [{ text }] },
      { id: `c${step}`, version: 1, kind: 'prose', variant: 'paragraph', at: Date.now(), runs: [{ text }] },
    ]
    const message = `${turn}.${step}`
    server.host.bus.emit({ type: 'message.update', session, turn, message, blocks: blocks.slice(0, 1) })
    await append(newEvent('message.final', { session, turn, message, markdown: text, blocks }))
    await page.waitForFunction(
      wanted => document.querySelector('.talk .said:last-of-type:not(.provisional)')?.textContent.includes(wanted),
      `Step ${step}: `,
    )
  }

  async function printHour(hour) {
    await cdp.send('HeapProfiler.collectGarbage')
    const [heap, nodes] = [await metric('JSHeapUsedSize'), await metric('Nodes')]
    heaps.push(heap / 1e6)
    const messages = await page.locator('.talk .said').count()
    const ms = costs.slice(-STEPS_AN_HOUR).reduce((sum, cost) => sum + cost, 0) / STEPS_AN_HOUR
    const figures = [(heap / 1e6).toFixed(1), nodes, messages, ms.toFixed(1)]
    console.log([hour, ...figures].map((figure, at) => String(figure).padStart([4, 10, 8, 11, 16][at])).join(''))
  }
} finally {
  await browser.close()
  await server.close()
}
