import { closeSync, constants, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { demoArgv, temporaryDirectory } from '../demo-agent/terminal-harness.js'

/** What the demo agent printed, and when it was resized. */
export type DemoEvent = { t: number; bytes: Uint8Array } | { t: number; cols: number; rows: number }

export interface DemoSession {
  markdown: string
  cols: number
  rows: number
  args?: string[]
  speed?: number
  /** Sizes that the terminal takes one after the other while the agent answers. */
  sizes?: readonly { cols: number; rows: number }[]
}

const DONE = 'Finished in'
const WAIT_MS = 150_000
/** How long a size stands once the agent has drawn itself in it. */
const RESIZE_MS = 80
/** When the agent's picture of a new size is there, in recorded time: a loaded machine takes longer, and that is not what is tested. */
const DRAWN_S = 0.05
/** Recorded times are stretched: between two resizes the hold is over, and the answer is read there too. */
const STRETCH = 5

/** Lets the demo agent give one answer in a real PTY. Ends when the answer has and every size was taken. */
export async function recordDemo(session: DemoSession): Promise<DemoEvent[]> {
  const home = temporaryDirectory()
  const scenario = join(home, 'scenario.json')
  await writeFile(
    scenario,
    JSON.stringify({
      name: 'answer',
      description: 'one answer',
      turns: [{ steps: [{ say: { markdown: session.markdown } }] }],
    }),
  )
  const args = demoArgv(['--speed', String(session.speed ?? 0), '--scenario', scenario, ...(session.args ?? [])])
  const events: DemoEvent[] = []
  const began = performance.now()
  const passed = () => ((performance.now() - began) / 1000) * STRETCH
  // Time stands still from a resize until the agent has drawn itself anew: its input box reaches from edge to edge.
  let waited = 0
  let standing: { t: number; edge: RegExp; drawn: string } | null = null
  const now = () => standing?.t ?? passed() - waited
  const pty = spawn(process.execPath, args, {
    name: 'xterm-256color',
    cols: session.cols,
    rows: session.rows,
    cwd: home,
    encoding: null,
    env: { ...process.env, COLORTERM: 'truecolor', SIGNALBOX_DEMO_HOME: home, NO_COLOR: '' },
  })
  const slave = openSync((pty as IPty & { ptsName: string }).ptsName, constants.O_RDWR | constants.O_NOCTTY)
  const sizes = [...(session.sizes ?? [])]
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the demo agent did not finish: ${all.slice(-400)}`)), WAIT_MS)
      const decoder = new TextDecoder()
      let all = ''
      let isAsked = false
      let resizing: NodeJS.Timeout | null = null
      let ending: NodeJS.Timeout | null = null
      const resizeNext = () => {
        const size = sizes.shift()
        if (!size) return
        const t = now()
        events.push({ t, ...size })
        const isSame = size.cols === pty.cols && size.rows === pty.rows
        // Nothing is drawn anew where nothing changed.
        if (isSame) resizing = setTimeout(resizeNext, RESIZE_MS)
        else standing = { t: t + DRAWN_S, edge: new RegExp(`(?<!─)─{${size.cols}}(?=[^─])`, 'u'), drawn: '' }
        pty.resize(size.cols, size.rows)
        ending?.refresh()
      }
      const noteDrawn = (text: string) => {
        if (!standing) return
        standing.drawn += text
        if (!standing.edge.test(standing.drawn)) return
        waited = passed() - standing.t
        standing = null
        resizing = setTimeout(resizeNext, RESIZE_MS)
      }
      pty.onData(data => {
        const bytes = Buffer.from(data as unknown as Uint8Array)
        events.push({ t: now(), bytes })
        const text = decoder.decode(bytes, { stream: true })
        all += text
        noteDrawn(text)
        if (!isAsked && all.includes('▷')) {
          isAsked = true
          pty.write('go on')
          setTimeout(() => pty.write('\r'), 120)
          if (sizes.length > 0) resizing = setTimeout(resizeNext, 400)
        }
        // The picture has to stand for a while: the last resize is drawn with a delay.
        if (all.includes(DONE)) {
          if (ending) ending.refresh()
          else
            ending = setTimeout(() => {
              if (sizes.length > 0 || standing) return ending!.refresh()
              clearTimeout(timer)
              if (resizing) clearTimeout(resizing)
              resolve()
            }, 700)
        }
      })
    })
  } finally {
    pty.kill()
    closeSync(slave)
  }
  return events
}
