import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The violations that axe finds on the page, with the given rules or with all. Excludes terminals.
 */
async function examine(page: Page, rules: readonly string[] | null): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE)
  return page.evaluate(async only => {
    // During a transition colours have intermediate values. Transitions start with the next frame,
    // inherited ones after it. Waits until all of them have finished; endless animations, such as a
    // blinking cursor, do not count.
    for (let rounds = 0; rounds < 100; rounds++) {
      await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      const running = document
        .getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
      if (running.length === 0) break
      await Promise.allSettled(running.map(({ finished }) => finished))
    }
    interface Violation {
      id: string
      nodes: { target: unknown[]; failureSummary?: string }[]
    }
    const { axe } = globalThis as unknown as {
      axe: { run(target: object, options: object): Promise<{ violations: Violation[] }> }
    }
    // Style sheets are not fetched again: no active rule reads them.
    const options = { resultTypes: ['violations'], preload: false, ...(only && { runOnly: only }) }
    const { violations } = await axe.run({ exclude: [['.xterm']] }, options)
    return violations.map(({ id, nodes }) => {
      const places = nodes
        .slice(0, 3)
        .map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`)
      return `${id}: ${places.join(' | ')}`
    })
  }, rules)
}

const DESKTOP = 1440
const PHONE = 390

/**
 * The violations on a desktop and on a phone, and whether the page scrolls sideways. The colours of
 * the dark theme are checked on the desktop only: they do not depend on the width.
 */
export async function examineAll(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const width of [DESKTOP, PHONE]) {
    await page.setViewportSize({ width, height: 900 })
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    for (const colorScheme of width === DESKTOP ? (['light', 'dark'] as const) : (['light'] as const)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // The dark theme has the same elements; only its colours differ.
      const violations = await examine(page, colorScheme === 'light' ? null : ['color-contrast'])
      found.push(...violations.map(violation => `${name} ${width} ${colorScheme}: ${violation}`))
    }
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (sideways > 0) found.push(`${name} ${width}: scrolls sideways by ${sideways} px`)
  }
  await page.setViewportSize({ width: DESKTOP, height: 900 })
  return found
}
