// `npm run bench:diff`: the changes of a session with 20 000 changed lines in Chromium: from the
// press on *Changes* until the first lines are painted, and the frames while it scrolls from top to
// bottom. Bars: 300 ms, no frame over 50 ms. Times of the clock mean something on a quiet machine
// only; the CPU times of the page's main thread are printed next to them. `--shot <file.png>` also
// takes a picture.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { OWNER } from '../src/server/caller.ts'
import { TestServer } from '../test/server/support.ts'
import { openBrowser, openContext } from '../test/web/harness.ts'

const FILES = 40
/** Each file has this many lines, all changed: one removed and one added. */
const LINES = 250
const ROUNDS = 5
const FIRST_PAINT_MS = 300
const FRAME_MS = 50

const shot = process.argv.includes('--shot') ? process.argv[process.argv.indexOf('--shot') + 1] : undefined
const server = await TestServer.start()
const browser = await openBrowser()
try {
  const work = join(server.directory, 'big')
  mkdirSync(join(work, 'src'), { recursive: true })
  const git = (...args) => execFileSync('git', args, { cwd: work, stdio: 'pipe' })
  const write = word => {
    for (let file = 0; file < FILES; file++) {
      const line = n =>
        n % 12 === 0
          ? `// part ${n} of the file`
          : `  const value${n} = ${word}(input.part${n}, "text of ${n}", ${n * 7})`
      const text = Array.from({ length: LINES }, (_, n) => `${line(n)}${n % 12 === 0 ? ` ${word}` : ''}`).join('\n')
      writeFileSync(join(work, 'src', `module-${file}.ts`), `${text}\n`)
    }
  }
  git('init', '--quiet', '-b', 'main')
  write('before')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'first')
  const body = { agent: 'demo', cwd: work, label: 'big' }
  const session = (await server.ask('POST', '/api/v1/sessions', { as: 'token', body })).json.id
  write('after')
  const context = await openContext(browser, { viewport: { width: 1280, height: 900 } })
  // tsx names functions with this helper, which the page does not have.
  await context.addInitScript('globalThis.__name = named => named')
  const page = await context.newPage()
  await page.goto(`${server.address}/login#${await server.api.parts.auth.codes.make(OWNER)}`)
  await page.locator('.shell h1').first().waitFor()
  await page.goto(`${server.address}/s/${session}`)
  await page.getByRole('tab', { name: 'Changes' }).waitFor()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  /** CPU time of the main thread so far. */
  const cpuMs = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000
  }
  const cpuOfPaints = []
  const paints = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = await cpuMs()
    paints.push(
      await page.evaluate(
        () =>
          new Promise(resolve => {
            const began = performance.now()
            new MutationObserver((_, observer) => {
              if (!document.querySelector('.rows .diff-row')) return
              observer.disconnect()
              // After the frame that shows the lines.
              requestAnimationFrame(() => {
                const { port1, port2 } = new MessageChannel()
                port1.onmessage = () => {
                  const entries = performance.getEntriesByType('resource')
                  const answer = entries.filter(({ name }) => name.includes('/diff?')).at(-1)
                  const now = performance.now()
                  resolve({ whole: now - began, page: now - answer.responseEnd })
                }
                port2.postMessage(null)
              })
            }).observe(document.body, { childList: true, subtree: true })
            for (const tab of document.querySelectorAll('[role=tab]')) if (tab.textContent === 'Changes') tab.click()
          }),
      ),
    )
    cpuOfPaints.push((await cpuMs()) - before)
    if (round < ROUNDS - 1) {
      await page.getByRole('tab', { name: 'Conversation' }).click()
      await page.locator('.rows').waitFor({ state: 'detached' })
    }
  }
  const lines = await page.locator('.changes-head .diff-count').first().textContent()
  const scrolled = await page.evaluate(
    () =>
      new Promise(resolve => {
        const box = document.querySelector('.rows')
        const frames = []
        let last = performance.now()
        let rows = 0
        const step = now => {
          frames.push(now - last)
          last = now
          rows = Math.max(rows, box.querySelectorAll('.rows-drawn > div').length)
          if (box.scrollTop + box.clientHeight >= box.scrollHeight - 2) resolve({ frames: frames.slice(2), rows })
          else {
            box.scrollTop += 1_200
            requestAnimationFrame(step)
          }
        }
        requestAnimationFrame(step)
      }),
  )
  const cpuOfFrames = []
  for (let frame = 0; frame < 60; frame++) {
    const before = await cpuMs()
    await page.evaluate(
      top =>
        new Promise(resolve => {
          document.querySelector('.rows').scrollTop = top
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
        }),
      frame * 1_200,
    )
    cpuOfFrames.push((await cpuMs()) - before)
  }
  cpuOfFrames.sort((a, b) => a - b)
  const sorted = [...scrolled.frames].sort((a, b) => a - b)
  const slow = sorted.filter(ms => ms > FRAME_MS).length
  const round = ms => Math.round(ms)
  console.log(`load ${loadavg()[0].toFixed(1)}, ${lines} lines`)
  console.log(`press to first paint (bar ${FIRST_PAINT_MS}): ${paints.map(({ whole }) => round(whole)).join(' ')} ms`)
  console.log(`  of it after the answer arrived: ${paints.map(({ page: own }) => round(own)).join(' ')} ms`)
  console.log(
    `scroll: ${sorted.length} frames, p50 ${round(sorted[sorted.length >> 1])}, p99 ${round(sorted[Math.floor(sorted.length * 0.99)])}, ` +
      `longest ${round(sorted.at(-1))} ms, ${slow} over ${FRAME_MS}; at most ${scrolled.rows} rows in the document`,
  )
  console.log(
    `CPU of the main thread: first paint ${cpuOfPaints.map(round).join(' ')} ms; two frames of a scroll step ` +
      `p50 ${round(cpuOfFrames[30])}, longest ${round(cpuOfFrames.at(-1))} ms`,
  )
  if (shot !== undefined) {
    await page.evaluate(() => document.querySelector('.rows').scrollTo(0, 3_000))
    await page.screenshot({ path: shot })
  }
} finally {
  await browser.close()
  await server.close()
}
