import { loadPack } from '../../src/agents/packs/index.js'
import { Pane, type PaneStep } from '../../src/panes/index.js'
import { renderAnsi, renderMarkdown, renderTelegram } from '../../src/screen/index.js'
import { Conversation } from '../../src/sessions/index.js'

/*
 * A separate program, so that its memory can be limited. It prints one long line into a terminal
 * and reads it as a session does: blocks and all three outputs, several times on the way and at the
 * end. Arguments: what the line is made of (JSON), its bytes, columns.
 */
const [fill = 'x', bytes, cols] = [
  JSON.parse(process.argv[2]!) as string,
  Number(process.argv[3]),
  Number(process.argv[4]),
]
const CHUNK = 65_536
const READINGS = 4

const pack = await loadPack('claude', null)
const pane = new Pane(pack, { cols, rows: 40 })
const conversation = new Conversation('long', pack, pane.screen)
const observe = (steps: readonly PaneStep[]) => {
  for (const step of steps) if (step.type === 'look') conversation.observe(step.look)
}
const whole = new TextEncoder().encode(`● ${fill.repeat(Math.floor(bytes / Buffer.byteLength(fill)))}`)
const readEvery = Math.ceil(whole.length / CHUNK / READINGS)
let last = { markdown: 0, ansi: 0, telegram: 0 }
for (let at = 0, t = 0; at < whole.length; at += CHUNK) {
  t += 0.02
  observe(pane.feed(whole.subarray(at, at + CHUNK), t, { live: false }))
  const isLast = at + CHUNK >= whole.length
  if (isLast) observe(pane.endFrame(t + 1))
  const look = pane.screen.last
  if (!look || (!isLast && (at / CHUNK) % readEvery !== 0)) continue
  conversation.beginTurn(look)
  conversation.openMessage()
  const blocks = conversation.extract(look, { isOpen: !isLast })
  last = {
    markdown: renderMarkdown(blocks).length,
    ansi: renderAnsi(blocks, { isColour: true, width: 80 }).join('\n').length,
    telegram: renderTelegram(blocks).join('').length,
  }
}
console.log(JSON.stringify({ ...last, rss: process.memoryUsage().rss }))
