export {
  HeuristicAnalyser,
  type HeuristicResult,
  type HeuristicSignal,
} from './analyser.js'
export { type ContentFeatures, featuresLater, featuresOf, hasLiveMenu, spinnerMask } from './content-features.js'
export { Eligibility, isListedJob } from './eligibility.js'
export type { HeuristicSettings } from './patterns.js'
