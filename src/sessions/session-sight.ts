import { type Look, Pane, type PaneOutput, type PaneScreen, type PaneState, type SavedPane } from '../panes/index.js'
import type { Observation, Pack } from '../screen/index.js'

/**
 * What a session goes by: its screen, joined with what the program says about itself in the same stream of bytes (its status, its title). An
 * agent whose screen looks at rest while it writes is at work, and one that says that it asks is asking. Only bytes count here: whoever reads
 * the recording again sees the same.
 */
export class SessionSight {
  readonly #pane: Pane
  #last: Look | null = null

  constructor(pack: Pack, screen: PaneScreen, saved?: SavedPane) {
    this.#pane = new Pane(pack, screen)
    if (saved) this.#pane.restore(saved)
    this.#last = joined(this.#pane.state(screen.last?.t ?? 0))
  }

  /** The newest look, joined. */
  get last(): Look | null {
    return this.#last
  }

  get saved(): SavedPane {
    return this.#pane.saved
  }

  /** Looks in the order they came; a report that changes what the last picture means makes it a look of its own. */
  take(outputs: readonly PaneOutput[], t: number): Look[] {
    const looks: Look[] = []
    for (const step of this.#pane.take([...outputs], t)) {
      if (step.type === 'reply') continue
      const look = joined(step.type === 'look' ? step.state : this.#pane.state(t))
      if (!look || (step.type === 'evidence' && (!look.isSettled || isSame(look, this.#last)))) continue
      this.#last = look
      looks.push(look)
    }
    return looks
  }

  noteInput(t: number, bytes: Uint8Array): void {
    this.#pane.noteInput(t, bytes)
  }
}

function joined({ look, view, payload, busy, awaiting, t }: PaneState): Look | null {
  if (!look) return null
  const observation = { ...look.observation, view, payload, busy, awaiting } as Observation
  return { ...look, t: Math.max(look.t, t), observation }
}

function isSame({ observation: a }: Look, last: Look | null): boolean {
  const b = last?.observation
  return b !== undefined && a.view === b.view && a.busy === b.busy && a.awaiting === b.awaiting
}
