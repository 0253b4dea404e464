import { createHash } from 'node:crypto'
import type { Clock, Timer } from '../../clock/index.js'
import type { Host } from '../../host/index.js'
import type { PaneInfo, PaneListChange } from '../../supervision/index.js'
import type { Row } from '../../terminal/index.js'
import type { PaneChange, PanePreview } from '../api-types.js'
import { screenShown } from '../views/screen-shown.js'
import type { CleanText } from '../wire/clean-text.js'
import type { Sendable } from '../wire/index.js'
import { serverSentEvent } from './event-stream.js'

const PREVIEW_MS = 1_000

/** A pane with a version that only grows. */
export type VersionedPane = PaneInfo & { version: number }

export interface SerializedPaneChange {
  type: PaneChange['type']
  at: number
  pane: VersionedPane
  /** Serialised once for all streams. */
  text: string
}

/**
 * Follows the panes. They are not in the log, because their past is not needed. Versions start with
 * the time of the server's start, so that those of a restarted server are greater than the previous
 * ones.
 */
export class PaneFeed {
  readonly #host: Host
  readonly #text: CleanText
  readonly #versions = new Map<string, number>()
  readonly #listeners = new Set<(change: SerializedPaneChange) => void>()
  readonly #previewers = new Set<{ wants: () => ReadonlySet<string>; show: (preview: PanePreview) => void }>()
  readonly #hashes = new Map<string, string>()
  readonly #clock: Clock
  readonly #unlisten: () => void
  #timer: Timer | null = null
  #next: number

  constructor(host: Host, text: CleanText) {
    this.#host = host
    this.#text = text
    this.#clock = host.clock
    this.#next = host.clock.now()
    this.#unlisten = host.panes?.listen(change => this.#applyChange(change)) ?? (() => undefined)
  }

  list(): VersionedPane[] {
    return (this.#host.panes?.list() ?? []).map(pane => this.versioned(pane))
  }

  versioned(pane: PaneInfo): VersionedPane {
    const version = this.#versions.get(pane.id) ?? this.#next++
    this.#versions.set(pane.id, version)
    return { ...pane, version }
  }

  listen(listener: (change: SerializedPaneChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Sends previews of watched panes, at most once a second and only if the screen changed. */
  preview(wants: () => ReadonlySet<string>, show: (preview: PanePreview) => void): () => void {
    const previewer = { wants, show }
    this.#previewers.add(previewer)
    this.#timer ??= this.#clock.setTimer(PREVIEW_MS, () => this.#beat())
    return () => this.#previewers.delete(previewer)
  }

  close(): void {
    this.#timer?.cancel()
    this.#unlisten()
    this.#listeners.clear()
    this.#previewers.clear()
  }

  #applyChange(change: PaneListChange): void {
    const { pane } = change
    this.#versions.set(pane.id, this.#next++)
    const versioned = this.versioned(pane)
    if (change.type === 'gone') {
      this.#versions.delete(pane.id)
      this.#hashes.delete(pane.id)
    }
    if (this.#listeners.size === 0) return
    const serialized = this.#change(nameOf(change), versioned)
    for (const listener of this.#listeners) listener(serialized)
  }

  /** The current state of a pane as a change. */
  asIs(pane: VersionedPane): SerializedPaneChange {
    return this.#change('pane.status', pane)
  }

  #change(type: PaneChange['type'], pane: VersionedPane): SerializedPaneChange {
    const at = this.#clock.now()
    const body: Sendable<PaneChange> = { type, at, subject: `pane/${pane.id}`, version: pane.version, data: { pane } }
    return { type, at, pane, text: serverSentEvent(type, this.#text.json(body, 'rfc3339')) }
  }

  #beat(): void {
    this.#timer = this.#previewers.size > 0 ? this.#clock.setTimer(PREVIEW_MS, () => this.#beat()) : null
    const wanted = new Set<string>()
    for (const { wants } of this.#previewers) for (const id of wants()) wanted.add(id)
    if (wanted.size === 0) return
    for (const pane of this.#host.panes?.list() ?? []) {
      // A worker that leaves meanwhile shows nothing new.
      if (wanted.has(pane.id)) void this.#show(pane).catch(() => undefined)
    }
  }

  async #show(pane: PaneInfo): Promise<void> {
    const shown = await screenShown(this.#host, pane.id)
    const hash = shown && hashOfLines(shown.lines)
    if (hash === null || this.#hashes.get(pane.id) === hash) return
    this.#hashes.set(pane.id, hash)
    for (const { wants, show } of this.#previewers)
      if (wants().has(pane.id)) show({ pane: pane.id, hash, status: pane.status, reading: pane.why })
  }
}

/** Hash of the text of a screen. */
export function hashOfLines(lines: readonly Row[]): string {
  const hash = createHash('sha256')
  for (const line of lines) hash.update(`${line.hash};`)
  return hash.digest('base64url').slice(0, 16)
}

function nameOf(change: PaneListChange): PaneChange['type'] {
  if (change.type === 'gone') return 'pane.gone'
  const { pane, before } = change
  if (!before) return 'pane.found'
  if (before.stuck !== pane.stuck) return 'pane.stuck'
  return before.status === pane.status && before.shown === pane.shown ? 'pane.reading' : 'pane.status'
}
