import { loadConfig } from '../../../config/index.js'
import { classify, initialMemory, parsePack } from '../../../screen/index.js'
import { type Frame, TerminalEmulator } from '../../../terminal/index.js'
import type { PaneStatus } from '../../status-table.js'
import { HeuristicAnalyser, type HeuristicResult, type SuppressReason } from '../analyser.js'
import { type ContentFeatures, featuresLater, featuresOf, spinnerMask } from '../content-features.js'
import type { IneligibleReason } from '../eligibility.js'
import { compilePatterns, type HeuristicSettings } from '../patterns.js'

export const DEFAULTS = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' }).config.heuristics
const PACK = parsePack('pack = 1\nagent = "none"\n', 'none')

/** A terminal, and the analyser that reads it. */
export class HeuristicFixture {
  readonly analyser: HeuristicAnalyser
  readonly #settings: HeuristicSettings
  readonly #emulator = new TerminalEmulator({ cols: 80, rows: 12, scrollback: 50 })
  readonly #mask
  #frame: Frame | null = null
  #features: ContentFeatures | null = null
  status: PaneStatus = 'running'
  ineligible: IneligibleReason | null = null
  /** Every guess loses to a better source. */
  isLosing = false

  constructor(settings: Partial<HeuristicSettings> = {}) {
    this.#settings = { ...DEFAULTS, ...settings }
    this.analyser = new HeuristicAnalyser(this.#settings)
    this.#mask = spinnerMask(compilePatterns(this.#settings.patterns))
    this.print(0, '')
  }

  print(t: number, text: string): HeuristicResult {
    this.#emulator.feed(Buffer.from(text === '' ? '\0' : text), t, { live: false })
    const frame = this.#emulator
      .endFrame(t)
      .flatMap(event => (event.type === 'frame' ? [event.frame] : []))
      .at(-1)!
    const { observation } = classify(frame, initialMemory(), PACK)
    this.#features = featuresOf(frame, this.#frame, { observation, settings: this.#settings, mask: this.#mask })
    this.#frame = frame
    return this.#look(this.#features)
  }

  wait(t: number): HeuristicResult {
    return this.#look(featuresLater(this.#features!, t))
  }

  #look(features: ContentFeatures): HeuristicResult {
    const guess = this.analyser.analyse(features, { status: this.status, ineligible: this.ineligible })
    if (guess.emitted && !this.isLosing) this.analyser.applied(guess.emitted.signal, features)
    return guess
  }

  /** Why this text gives no signal, right when it is printed or at the given time. */
  said(text: string, at?: number): SuppressReason | undefined {
    const guess = this.print(at === undefined ? 2 : 1, text)
    return (at === undefined ? guess : this.wait(at)).suppressed?.reason
  }
}
