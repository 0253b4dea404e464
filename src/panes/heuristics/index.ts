/*
 * Guesses about programs that report nothing: eligibility.ts says when they may be used,
 * content-features.ts and patterns.ts what they look for, analyser.ts turns that into signals,
 * near-miss.ts explains what almost matched.
 */

export {
  HeuristicAnalyser,
  type HeuristicResult,
  type HeuristicSignal,
} from './analyser.js'
export { type ContentFeatures, featuresLater, featuresOf, hasLiveMenu, spinnerMask } from './content-features.js'
export { Eligibility, isListedJob } from './eligibility.js'
export type { HeuristicSettings } from './patterns.js'
