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
const WAIT_MS = 50_000
/** The agent draws a resize after 30 ms. */
const RESIZE_MS = 80
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
  const now = () => ((performance.now() - began) / 1000) * STRETCH
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
      let all = ''
      let isAsked = false
      let resizing: NodeJS.Timeout | null = null
      let ending: NodeJS.Timeout | null = null
      const resizeNext = () => {
        const size = sizes.shift()
        if (!size) return
        events.push({ t: now(), ...size })
        pty.resize(size.cols, size.rows)
        ending?.refresh()
        resizing = setTimeout(resizeNext, RESIZE_MS)
      }
      pty.onData(data => {
        const bytes = Buffer.from(data as unknown as Uint8Array)
        events.push({ t: now(), bytes })
        all += bytes.toString('utf8')
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
              if (sizes.length > 0) return ending!.refresh()
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
