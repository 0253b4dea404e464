import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on the page as it is shown: with these rules alone, or with all of them. The terminal's own cells are left out. */
export async function examine(page: Page, rules: readonly string[] | null): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE)
  return page.evaluate(async only => {
    // Colours on their way to others are neither. They set out with the next frame, and what inherits one sets out after it.
    for (;;) {
      await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      const passing = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
      if (passing.length === 0) break
      await Promise.all(passing.map(({ finished }) => finished.catch(() => undefined)))
    }
    interface Violation {
      id: string
      nodes: { target: unknown[]; failureSummary?: string }[]
    }
    const { axe } = globalThis as unknown as {
      axe: { run(target: object, options: object): Promise<{ violations: Violation[] }> }
    }
    const options = { resultTypes: ['violations'], ...(only && { runOnly: only }) }
    const { violations } = await axe.run({ exclude: [['.xterm']] }, options)
    return violations.map(({ id, nodes }) => {
      const places = nodes
        .slice(0, 3)
        .map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`)
      return `${id}: ${places.join(' | ')}`
    })
  }, rules)
}
