import { hashTexts, type Observation } from '../screen/index.js'
import type { Look } from './pane-screen.js'

export interface DriftCounts {
  anchored: number
  structural: number
  unknown: number
  /** Frames on which the screen and another source of the status disagreed. */
  disagreements: number
}

type Recognition = 'anchored' | 'structural' | 'unknown'

/** Screens that do not match the pack: too many (`screens`), or one that stays. */
export interface DriftReport {
  reason: 'screens' | 'screen'
  counts: DriftCounts
  look: Look
  screenHash: string
}

const FRAMES_MIN = 50
const UNMATCHED_SHARE_MAX = 0.2
const UNKNOWN_STABLE_S = 10

/**
 * Counts the settled frames of one agent version by how they were recognised. Releases change
 * screens; when a rule stops matching, reading falls back to structure silently, and this makes it
 * visible.
 */
export class DriftDetector {
  readonly #counts: DriftCounts = { anchored: 0, structural: 0, unknown: 0, disagreements: 0 }
  readonly #reported = new Set<string>()
  #lastFrame = -1
  #isReported = false
  #unknown: { hash: string; since: number; look: Look } | null = null

  get counts(): DriftCounts {
    return { ...this.#counts }
  }

  /** `isDisputed`: another source says something else than the screen. */
  observe(look: Look, isDisputed = false): DriftReport[] {
    if (!look.isSettled || look.frame.seq === this.#lastFrame || look.frame.lines.every(row => row.text === ''))
      return []
    this.#lastFrame = look.frame.seq
    const kind = kindOf(look.observation)
    const before = this.tick(look.t)
    if (kind) this.#counts[kind]++
    if (kind && isDisputed) this.#counts.disagreements++
    if (kind !== 'unknown') this.#unknown = null
    else {
      const hash = screenHash(look)
      if (this.#unknown?.hash !== hash) this.#unknown = { hash, since: look.t, look }
    }
    return [...before, ...this.#tooMany(look, kind)]
  }

  /** Only time has passed. */
  tick(t: number): DriftReport[] {
    const due = this.nextDeadline()
    if (due === null || t < due) return []
    const { hash, look } = this.#unknown!
    this.#reported.add(hash)
    return [{ reason: 'screen', counts: this.counts, look, screenHash: hash }]
  }

  nextDeadline(): number | null {
    return this.#unknown === null || this.#reported.has(this.#unknown.hash)
      ? null
      : this.#unknown.since + UNKNOWN_STABLE_S
  }

  #tooMany(look: Look, kind: Recognition | null): DriftReport[] {
    const { anchored, structural, unknown } = this.#counts
    const all = anchored + structural + unknown
    const isDrift = all >= FRAMES_MIN && (structural + unknown) / all > UNMATCHED_SHARE_MAX
    if (!isDrift || this.#isReported || kind === 'anchored') return []
    this.#isReported = true
    return [{ reason: 'screens', counts: this.counts, look, screenHash: screenHash(look) }]
  }
}

/** Null for a screen that is recognised and makes no claim, such as a help page. */
function kindOf(observation: Observation): Recognition | null {
  if (observation.view === 'unknown')
    return (observation as Observation<'unknown'>).payload.recognised ? null : 'unknown'
  // A low-confidence fallback does not count as recognition.
  if (!observation.anchored && observation.confidence < CONFIDENCE_MIN) return 'unknown'
  return observation.anchored ? 'anchored' : 'structural'
}

const CONFIDENCE_MIN = 0.5

/** Equal for screens that differ only in numbers and moving cells. */
function screenHash({ frame }: Look): string {
  return hashTexts(frame.lines.map(row => row.text.replace(/\d+/gu, '0').replace(/[\u2800-\u28ff◐◑◒◓◜◝◞◟|/\\-]/gu, '')))
}
