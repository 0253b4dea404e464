// The time that Chromium needs to draw one word in each of all pages at once. The time that a page
// of ours needs beyond that is ours; the rest is the cost of so many browsers on so few cores.
import type { Page } from 'playwright-core'
import { printTimes } from './server-times.js'

const ROUNDS = 8
const EVERY_MS = 1_000

/**
 * A string, because it runs in the page unchanged. The task after a frame runs when that frame was
 * handed over.
 */
const DRAW_WORD = (stamp: number) => `new Promise(resolve => {
  let word = document.getElementById('floor')
  if (!word) {
    word = document.createElement('div')
    word.id = 'floor'
    word.style.cssText = 'position: fixed; right: 4px; bottom: 4px'
    document.body.append(word)
  }
  word.textContent = '${stamp}'
  requestAnimationFrame(() => {
    const after = new MessageChannel()
    after.port1.onmessage = () => resolve(Date.now() - ${stamp})
    after.port2.postMessage(null)
  })
})`

/** Returns the 95th percentile. */
export async function measureFloor(pages: readonly Page[], name: string): Promise<number> {
  const ms: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const from = Date.now()
    ms.push(...(await Promise.all(pages.map(page => page.evaluate<number>(DRAW_WORD(from))))))
    await new Promise(resolve => setTimeout(resolve, Math.max(0, from + EVERY_MS - Date.now())))
  }
  return printTimes(name, ms)
}
