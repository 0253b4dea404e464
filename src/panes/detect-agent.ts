import type { Detection } from '../screen/pack/index.js'
import { type Frame, TerminalEmulator } from '../terminal/index.js'
import type { ReplayEvent } from './replay.js'

/** The program detected in a terminal. `by`: the evidence. */
export interface DetectedAgent {
  agent: string
  version: string | null
  by: 'argv0' | 'banner' | 'title'
}

/** A banner appears within the first frames, or not at all. */
const FRAMES_MAX = 300
const BYTES_MAX = 2_000_000
const SEARCH_MAX_S = 60

/** Words that may precede a program's own name. */
const WRAPPERS = new Set(['node', 'bun', 'deno', 'npx', 'bunx', 'python', 'python3', 'uv', 'env', 'sudo'])

/** Detects by the command line: the first word that is not a wrapper. */
export function detectByCommand(command: string, detections: readonly Detection[]): DetectedAgent | null {
  const words = command.split(/\s+/).filter(word => word !== '' && !word.startsWith('-') && !word.includes('='))
  const program = words
    .map(word => word.replace(/^.*\//, '').replace(/\.(?:c|m)?js$/, ''))
    .find(word => !WRAPPERS.has(word))
  const found = program === undefined ? undefined : detections.find(({ argv0 }) => argv0.includes(program))
  return found ? { agent: found.agent, version: null, by: 'argv0' } : null
}

/**
 * Detects by the first frames: a banner with the version; else a title that only one agent uses.
 */
export function detectByScreen(
  events: Iterable<ReplayEvent>,
  size: { cols: number; rows: number },
  detections: readonly Detection[],
): DetectedAgent | null {
  const emulator = new TerminalEmulator({ ...size, scrollback: 0 })
  const look = new AgentSearch(detections)
  let bytes = 0
  for (const event of events) {
    if (event.t > SEARCH_MAX_S || bytes > BYTES_MAX || look.frames > FRAMES_MAX) break
    const due = emulator.nextDeadline()
    const made = due !== null && due <= event.t ? emulator.tick(event.t) : []
    if (event.kind === 'output') {
      bytes += event.bytes.length
      made.push(...emulator.feed(event.bytes, event.t, { live: false }))
    } else if (event.kind === 'resize') made.push(...emulator.resize(event.cols, event.rows, event.t))
    for (const one of made) {
      const found = one.type === 'frame' ? look.readFrame(one.frame) : null
      if (found) return found
    }
  }
  for (const one of emulator.endFrame(SEARCH_MAX_S)) {
    const found = one.type === 'frame' ? look.readFrame(one.frame) : null
    if (found) return found
  }
  return look.byTitle()
}

class AgentSearch {
  frames = 0
  readonly #detections: readonly Detection[]
  readonly #seen = new Set<string>()
  readonly #titled = new Set<string>()

  constructor(detections: readonly Detection[]) {
    this.#detections = detections
  }

  readFrame(frame: Frame): DetectedAgent | null {
    this.frames++
    for (const { agent, title } of this.#detections) if (title?.test(frame.title)) this.#titled.add(agent)
    for (const { text } of frame.lines) {
      if (text === '' || this.#seen.has(text)) continue
      this.#seen.add(text)
      for (const { agent, banner } of this.#detections) {
        const match = banner?.exec(text)
        if (match) return { agent, version: match.groups?.version ?? null, by: 'banner' }
      }
    }
    return null
  }

  byTitle(): DetectedAgent | null {
    const [agent, ...others] = this.#titled
    return agent !== undefined && others.length === 0 ? { agent, version: null, by: 'title' } : null
  }
}
