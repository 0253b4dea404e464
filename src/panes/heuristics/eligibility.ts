import type { HeuristicSettings } from './patterns.js'

/*
 * When may content heuristics report at all? Only if no better source does: the program is one of
 * the listed ones, and every proper source is absent or has been silent for a while. While
 * they may not report, no memory is lost; they may again only after a whole window of silence, so
 * that the last report of a shell and the first guess about it do not overlap.
 *
 * - Heuristics never report where they should: `explain` shows the reason; for `not_listed` add the
 *   program to `heuristics.jobs`.
 * - They report although a shell does: raise `heuristics.prompt_silence_s`.
 */
const ANCHORED_S = 5
const RESIZE_S = 1

export const INELIGIBLE_REASONS = [
  'off',
  'not_listed',
  'prompt_active',
  'higher_authority',
  'alternate_screen',
  'job_flip',
] as const
export type IneligibleReason = (typeof INELIGIBLE_REASONS)[number]

export interface EligibilityContext {
  t: number
  mode: 'auto' | 'off'
  /** The names of the job (`Job.names`); empty if it is unknown. */
  jobNames: readonly string[]
  title: string
  /** Process names of all known agents. */
  agentPrograms: readonly string[]
  /** When the shell integration last reported; null if there is none. */
  promptAt: number | null
  /**
   * Unexpired evidence of the process, the program itself, a hook or a transcript; or a command
   * that the shell has started.
   */
  hasHigher: boolean
  /** When a pack rule last matched. */
  anchoredAt: number | null
  isUnknownAlternate: boolean
  resizedAt: number | null
}

export class Eligibility {
  readonly #settings: HeuristicSettings
  #higherAt: number | null = null
  #flippedAt: number | null = null
  #wasListed: boolean | null = null

  constructor(settings: HeuristicSettings) {
    this.#settings = settings
  }

  /** @returns null if the heuristics may report */
  check(context: EligibilityContext): IneligibleReason | null {
    const { t } = context
    const silence = this.#settings.prompt_silence_s
    const isListed = this.#isListed(context)
    if (this.#wasListed === true && !isListed) this.#flippedAt = t
    this.#wasListed = isListed
    if (context.hasHigher) this.#higherAt = t
    const isWithin = (at: number | null, seconds: number) => at !== null && t - at < seconds
    if (context.mode === 'off' || this.#settings.mode === 'off') return 'off'
    if (!isListed) return 'not_listed'
    if (isWithin(this.#flippedAt, silence)) return 'job_flip'
    if (context.hasHigher || isWithin(this.#higherAt, silence)) return 'higher_authority'
    if (isWithin(context.anchoredAt, ANCHORED_S)) return 'higher_authority'
    if (isWithin(context.promptAt, silence)) return 'prompt_active'
    if (context.isUnknownAlternate || isWithin(context.resizedAt, RESIZE_S)) return 'alternate_screen'
    return null
  }

  #isListed({ jobNames, title, agentPrograms }: EligibilityContext): boolean {
    const { titles, prefer_job_name: prefersJob } = this.#settings
    if (isListedJob(jobNames, this.#settings, agentPrograms)) return true
    if (jobNames.length > 0 && prefersJob) return false
    const low = title.toLowerCase()
    return titles.some(word => low.includes(word.toLowerCase()))
  }
}

/** Whether the settings list a job by one of its names, or it is an agent's program. */
export function isListedJob(
  names: readonly string[],
  { jobs }: Pick<HeuristicSettings, 'jobs'>,
  agentPrograms: readonly string[],
): boolean {
  return names.some(name => jobs.includes(name) || agentPrograms.includes(name))
}
