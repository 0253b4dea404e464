import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { loadPack } from '../../src/agents/index.js'
import { type PaneState, type PaneStep, Replay, type ReplayEvent } from '../../src/panes/index.js'
import type { Block, Pack } from '../../src/screen/index.js'
import { Conversation } from '../../src/sessions/index.js'
import { type RecordingEvent, readWholeRecording } from '../../src/terminal/recording/index.js'

const STEP_S = 0.7

/** Every recording below a directory, in a fixed order. */
export function castsBelow(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .sort()
    .flatMap(name => {
      const path = join(directory, name)
      if (statSync(path).isDirectory()) return castsBelow(path)
      return name.endsWith('.cast') ? [path] : []
    })
}

/** The agent whose screens a recording shows, by its folder; null for a shell. */
function agentOf(cast: string): string | null {
  const folder = basename(dirname(cast)) === 'fixtures' ? basename(dirname(dirname(cast))) : basename(dirname(cast))
  return folder === 'shell' || folder === 'generic' ? null : folder.replace(/-[\d.]+$/, '')
}

/**
 * A recording, played once to its end through a pane and a conversation. Tests look at the states
 * on the way and at what the pane shows at the end.
 */
export class PlayedRecording {
  readonly agent: string | null
  readonly events: readonly RecordingEvent[]
  /** The pane's state whenever a frame was classified. */
  readonly states: PaneState[] = []
  readonly #pack: Pack
  readonly #start: { cols: number; rows: number }
  readonly #replay: Replay
  readonly #conversation: Conversation
  #t: number

  static async play(cast: string): Promise<PlayedRecording> {
    const { header, events } = await readWholeRecording(cast)
    const agent = agentOf(cast)
    return new PlayedRecording({ agent, pack: await loadPack(agent, null), size: header, events })
  }

  private constructor({
    agent,
    pack,
    size,
    events,
  }: {
    agent: string | null
    pack: Pack
    size: { cols: number; rows: number }
    events: readonly RecordingEvent[]
  }) {
    this.agent = agent
    this.events = events
    this.#pack = pack
    this.#start = { cols: size.cols, rows: size.rows }
    this.#replay = new Replay({ pack, ...this.#start })
    this.#conversation = new Conversation('s', pack, this.#replay.pane.screen)
    for (const event of events) this.#see(this.#replay.apply(event))
    this.#see(this.#replay.finish())
    this.#t = this.#replay.t
  }

  /** The states that the same recording gives when its bytes arrive in other pieces. */
  *replayed(events: Iterable<ReplayEvent>): Generator<PaneState> {
    const replay = new Replay({ pack: this.#pack, ...this.#start })
    const statesOf = (steps: readonly PaneStep[]) => steps.flatMap(step => (step.type === 'look' ? [step.state] : []))
    for (const event of events) yield* statesOf(replay.apply(event))
    yield* statesOf(replay.finish())
  }

  /** The newest answer, if the agent leaves it to the terminal's scrollback and waits for input. */
  answerInScrollback(): readonly Block[] | null {
    const last = this.#replay.pane.screen.last
    if (last?.frame.buffer !== 'normal' || !last.observation.composer) return null
    this.#conversation.beginTurn(last)
    return this.#conversation.extract(last, { isOpen: false })
  }

  /**
   * Resizes the window many times and back to its last size. The live part, which agents draw again
   * after a resize, is removed before and drawn again afterwards.
   */
  shake(times: number, random: () => number): void {
    const { pane } = this.#replay
    const { frame, outline } = pane.screen.last!
    const { cols, rows } = this.#lastSize()
    const first = outline.liveFirst
    const live = frame.lines.slice(first).map(row => row.text)
    while (live.at(-1) === '') live.pop()
    this.#print(`\u001b[${first + 1};1H\u001b[J`)
    for (let count = 0; count < times; count++) {
      this.#t += STEP_S
      this.#see(pane.resize(20 + Math.floor(random() * 180), 8 + Math.floor(random() * 60), this.#t))
      this.#see(pane.tick(this.#t + STEP_S / 2))
    }
    this.#t += STEP_S
    this.#see(pane.resize(cols, rows, this.#t))
    this.#see(pane.endFrame((this.#t += STEP_S)))
    const up = first + live.length - 1 - frame.cursor.y
    this.#print(`${live.join('\r\n')}${up > 0 ? `\u001b[${up}A` : ''}\u001b[${frame.cursor.x + 1}G`)
  }

  #lastSize(): { cols: number; rows: number } {
    const resize = this.events.findLast(event => event.kind === 'resize')
    return resize?.kind === 'resize' ? resize : this.#start
  }

  #print(text: string): void {
    const { pane } = this.#replay
    this.#see(pane.feed(new TextEncoder().encode(text), (this.#t += STEP_S), { live: false }))
    this.#see(pane.endFrame((this.#t += STEP_S)))
  }

  #see(steps: readonly PaneStep[]): void {
    for (const step of steps) {
      if (step.type !== 'look') continue
      this.#conversation.observe(step.look)
      this.states.push(step.state)
    }
  }
}
