import { type PaneInfo, rawDoing } from './pane-info.js'
import type { SessionPane } from './pane-registry.js'
import type { TmuxPane } from './tmux-pane.js'

export type PaneListChange =
  | { type: 'pane'; pane: PaneInfo; before: PaneInfo | null }
  | { type: 'gone'; pane: PaneInfo }

/** Publishes changes of panes: each change once, and nothing if a pane is unchanged. */
export class PaneChangeFeed {
  readonly #shown = new Map<string, PaneInfo>()
  readonly #keys = new Map<string, string>()
  readonly #digests = new Map<string, PaneDigest>()
  readonly #listeners = new Set<(change: PaneListChange) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  listen(listener: (change: PaneListChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Most panes have not changed since they were last described. */
  isNew(id: string, digest: PaneDigest): boolean {
    const isSame = isSameDigest(this.#digests.get(id), digest)
    this.#digests.set(id, digest)
    return !isSame
  }

  publish(info: PaneInfo): void {
    const { id } = info
    const key = JSON.stringify({
      ...info,
      title: titleWithoutSpinner(info.title),
      stateId: 0,
      why: { ...info.why, staleForS: info.why.staleForS === null ? null : 1 },
    })
    if (this.#keys.get(id) === key) return
    this.#keys.set(id, key)
    const before = this.#shown.get(id) ?? null
    this.#shown.set(id, info)
    this.#send({ type: 'pane', pane: info, before })
  }

  remove(id: string): void {
    const info = this.#shown.get(id)
    this.#shown.delete(id)
    this.#keys.delete(id)
    this.#digests.delete(id)
    if (info) this.#send({ type: 'gone', pane: info })
  }

  #send(change: PaneListChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}

/** All inputs of a pane's description, as values and references that are cheap to compare. */
type PaneDigest = readonly unknown[]

/**
 * A hundred idle panes are checked each second for changes, and a working one twenty times: most
 * looks bring only another spinner frame or another row of text, which no list shows. Describing a
 * pane costs redaction and string building; comparing its inputs costs little. Every input of a
 * description must be listed here; time itself only where it changes the text.
 */
export function digestOf(pane: SessionPane | TmuxPane, more: readonly unknown[]): PaneDigest {
  const t = pane.now()
  const { supervisor } = pane
  const state = supervisor.state(t)
  const { staleFor, work: _work, claim, ...values } = state
  const { name, commandLine } = supervisor.job ?? {}
  const about = 'about' in pane ? Object.values(pane.about()) : [pane.info, pane.agent]
  return [
    staleFor === null,
    ...Object.values(values),
    claim?.is,
    rawDoing(supervisor.pane.state(t), state),
    titleWithoutSpinner(supervisor.pane.screen.last?.frame.title ?? ''),
    name,
    commandLine,
    ...about,
    ...more,
  ]
}

/** Spinners in titles move ten times a second: the next other change updates them. */
function titleWithoutSpinner(title: string): string {
  return title.replace(/^[^\p{L}\p{N}]+/u, '')
}

function isSameDigest(before: PaneDigest | undefined, now: PaneDigest): boolean {
  return (
    before !== undefined && before.length === now.length && now.every((value, index) => Object.is(value, before[index]))
  )
}
