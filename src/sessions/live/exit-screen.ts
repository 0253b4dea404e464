import type { Look } from '../../panes/index.js'

/**
 * The rows an agent leaves behind when it ends, where many print how to come back. Only rows that were drawn after its input box was last
 * seen: the same words may have been said in the conversation.
 */
export class ExitScreen {
  #live = new Map<number, string>()

  observe({ frame, observation }: Look): void {
    if (!observation.composer && !observation.awaiting) return
    this.#live = new Map(frame.lines.map(row => [row.id, row.text]))
  }

  rows({ frame }: Look): string[] {
    return frame.lines.filter(row => this.#live.get(row.id) !== row.text).map(row => row.text)
  }
}
