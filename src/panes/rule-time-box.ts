import type { Pack, RuleSpec, RuleTimer } from '../screen/pack/index.js'

/** A rule that takes longer than this three times is disabled. */
const RULE_MAX_MS = 5
const SLOW_RUNS_MAX = 3
/** If all rules of a frame together take longer than this, the slowest is disabled at once. */
const FRAME_MAX_MS = 20

export interface SwitchedOff {
  rule: string
  ms: number
  reason: 'three times slow' | 'slowest of a slow frame'
}

/**
 * Times the rules of one pack and disables those that delay a pane. A busy machine is slow through
 * no fault of the rule, so a slow measurement counts only if the same rule is as slow again on the
 * same frame.
 */
export function timeBox(pack: Pack, options: { now(): number; onSwitchedOff(off: SwitchedOff): void }): RuleTimer {
  const strikes = new Map<string, number>()
  const switchOff = (rule: RuleSpec, ms: number, reason: SwitchedOff['reason']) => {
    pack.rules = pack.rules.filter(other => other !== rule)
    options.onSwitchedOff({ rule: rule.id, ms, reason })
  }
  return {
    now: options.now,
    frame(times) {
      const slow = times.filter(({ ms }) => ms > RULE_MAX_MS)
      for (const { rule, ms, again } of slow) {
        const least = Math.min(ms, again())
        if (least <= RULE_MAX_MS) continue
        const count = (strikes.get(rule.id) ?? 0) + 1
        strikes.set(rule.id, count)
        if (least > FRAME_MAX_MS) switchOff(rule, least, 'slowest of a slow frame')
        else if (count >= SLOW_RUNS_MAX) switchOff(rule, least, 'three times slow')
      }
      const total = times.reduce((sum, { ms }) => sum + ms, 0)
      if (total <= FRAME_MAX_MS) return
      const slowest = times.reduce((most, one) => (one.ms > most.ms ? one : most))
      const isOff = !pack.rules.includes(slowest.rule)
      // The frame as a whole is slow again only if its parts are.
      if (!isOff && times.reduce((sum, { ms, again }) => sum + Math.min(ms, again()), 0) > FRAME_MAX_MS)
        switchOff(slowest.rule, slowest.ms, 'slowest of a slow frame')
    },
  }
}
