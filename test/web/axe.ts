import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on the page as it is shown: with these rules alone, or with all of them. The terminal's own cells are left out. */
async function examine(page: Page, rules: readonly string[] | null): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE)
  return page.evaluate(async only => {
    // Colours on their way to others are neither. They set out with the next frame, and what inherits one sets out after it. With motion
    // reduced none is on its way for long; what never ends (a cursor that blinks) is not waited for.
    for (let rounds = 0; rounds < 10; rounds++) {
      await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      if (!document.getAnimations().some(({ playState }) => playState === 'running')) break
    }
    interface Violation {
      id: string
      nodes: { target: unknown[]; failureSummary?: string }[]
    }
    const { axe } = globalThis as unknown as {
      axe: { run(target: object, options: object): Promise<{ violations: Violation[] }> }
    }
    // Sheets are not fetched a second time: no rule that is on reads them.
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

/** What axe finds on the page that is shown, on a screen and on a phone, in both themes; and whether it has to be scrolled sideways. */
export async function examineAll(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // What a page is made of is the same in the dark; its colours are not.
      const violations = await examine(page, colorScheme === 'light' ? null : ['color-contrast'])
      found.push(...violations.map(violation => `${name} ${width} ${colorScheme}: ${violation}`))
    }
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (sideways > 0) found.push(`${name} ${width}: scrolls sideways by ${sideways} px`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  return found
}
